import type { Entry } from "../../model/entries/entry.ts";
import { datesOf } from "../../model/locales/language.ts";
import {
  excerptOf,
  type MarkdownTree,
  parseMarkdown,
  renderText,
} from "../../model/entries/markdown.ts";
import { entryAddress } from "../../model/public_site.ts";
import { textsOf } from "../../model/locales/locales.ts";
import { createYielder } from "../../model/turns.ts";
import { nameEntryMail } from "../../services/deliveries/mail_ids.ts";
import {
  addAskedPlace,
  fillAskedPlace,
  finishListMail,
  type MailSender,
  renderListMail,
} from "./list_mail.ts";
import {
  byteLength,
  renderMailMarkdown,
  renderMore,
  shortenMailMarkdown,
} from "./mail_markdown.ts";
import type { Addressee, WriteMail } from "./mail_plan.ts";
import type { MailParts } from "./template.ts";

// Gmail clips a mail at 102 KB.
const MAX_HTML_BYTES = 90 * 1_024;

/**
 * Prepares the mails of an entry; `test` is a unique text for test mails, and marks them. Yields
 * between steps, because a step takes up to 60 ms for the worst text.
 */
export async function prepareEntryMail(
  entry: Entry,
  sender: MailSender,
  { test, now = () => new Date().toISOString() }: {
    readonly test?: string | undefined;
    readonly now?: () => string;
  } = {},
): Promise<WriteMail<Pick<Addressee, "userEmail"> & Partial<Addressee>>> {
  const { title, publishedAt, url } = entry;
  const { settings: mailSettings } = sender;
  const { language, timeZone } = mailSettings;
  const texts = textsOf(language);
  const subject = test === undefined ? title : `[${texts.test}] ${title}`;
  const imageBase = `${mailSettings.publicUrl}/changelog/`;
  const yieldIfBusy = createYielder();
  await yieldIfBusy();
  const tree = parseMarkdown(entry.body, { imageBase });
  await yieldIfBusy();
  const action = { label: texts.readOnWeb, url: entryAddress(mailSettings, entry) };
  const text = renderText(tree);
  const preheader = excerptOf(tree) || texts.preheader(mailSettings.title);
  const more = renderMore(action);
  const dates = datesOf({ language, timeZone });
  function render(
    shown: MarkdownTree,
    end = "",
    { isAsked = false, isSubscribed = true } = {},
  ): MailParts {
    const body = { html: renderMailMarkdown(shown) + end, text };
    return renderListMail(mailSettings, {
      title: subject,
      preheader,
      byline: publishedAt === null ? undefined : dates.day(publishedAt),
      body: isAsked ? addAskedPlace(body) : body,
      action,
      links: url === null ? [] : [{ label: texts.learnMore, url }],
    }, { isSubscribed });
  }
  await yieldIfBusy();
  const maxSize = MAX_HTML_BYTES - byteLength(render([], more).html);
  const shown = shortenMailMarkdown(tree, maxSize, mailSettings);
  await yieldIfBusy();
  const end = shown === tree ? "" : more;
  const parts = render(shown, end);
  const asked = new Map<boolean, MailParts>();
  const name = nameEntryMail(entry, test);
  return ({ userEmail: to, asks = [], subscription }, unsubscribeUrl) => {
    const mail = { name, to, subject, unsubscribeUrl };
    if (asks.length === 0) return finishListMail(sender, { ...parts, ...mail });
    const isSubscribed = subscription !== undefined;
    const askedParts = asked.get(isSubscribed) ??
      render(shown, end, { isAsked: true, isSubscribed });
    asked.set(isSubscribed, askedParts);
    const options = { settings: mailSettings, now: now() };
    return finishListMail(sender, { ...mail, ...fillAskedPlace(askedParts, asks, options) });
  };
}
