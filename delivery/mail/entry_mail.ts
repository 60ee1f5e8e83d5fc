import type { Entry } from "../../model/entries/entry.ts";
import { markup } from "../../model/values/html.ts";
import { datesOf } from "../../model/locales/language.ts";
import {
  excerptOf,
  type MarkdownTree,
  parseMarkdown,
  renderHtml,
  renderText,
  shortenMarkdown,
  withDirections,
  withoutControls,
} from "../../model/entries/markdown.ts";
import type { Subscription } from "../../model/subscriptions/subscription.ts";
import { entryAddress } from "../../model/public_site.ts";
import { textsOf } from "../../model/locales/locales.ts";
import { createPace } from "../../model/turns.ts";
import { nameEntryMail } from "../../services/deliveries/mail_ids.ts";
import { finishListMail, type MailSender, renderListMail, type WriteMail } from "./list_mail.ts";
import { inlineStyles } from "./style.ts";

// Gmail cuts at 102 KB.
const MAX_HTML_BYTES = 90 * 1_024;

const utf8 = new TextEncoder();

/**
 * Prepares the mails of an entry; `test` is unique where they are tests, and marks them as such. Others
 * have their turns in between, as each step takes up to 60 ms of the worst text.
 */
export async function prepareEntryMail(
  entry: Entry,
  sender: MailSender,
  { test }: { readonly test?: string | undefined } = {},
): Promise<WriteMail<Pick<Subscription, "userEmail">>> {
  const { title, publishedAt, url } = entry;
  const { settings: mailSettings } = sender;
  const { language, timeZone } = mailSettings;
  const texts = textsOf(language);
  const subject = test === undefined ? title : `[${texts.test}] ${title}`;
  const imageBase = `${mailSettings.publicUrl}/changelog/`;
  const pace = createPace();
  await pace();
  const tree = parseMarkdown(entry.body, { imageBase });
  await pace();
  const action = { label: texts.readOnWeb, url: entryAddress(mailSettings, entry) };
  const text = renderText(tree);
  const preheader = excerptOf(tree) || texts.preheader(mailSettings.title);
  const { html: more } = markup`<p>… <a href="${action.url}">${action.label}</a></p>\n`;
  const toHtml = (shown: MarkdownTree) =>
    withDirections(withoutControls(renderHtml(shown, { headingOffset: 1 })));
  const render = (shown: MarkdownTree, end = "") =>
    renderListMail(mailSettings, {
      title: subject,
      preheader,
      byline: publishedAt === null ? undefined : datesOf({ language, timeZone }).day(publishedAt),
      body: { html: toHtml(shown) + end, text },
      action,
      links: url === null ? [] : [{ label: texts.learnMore, url }],
    });
  const sizeOf = (shown: MarkdownTree) =>
    byteLength(inlineStyles(toHtml(shown), mailSettings.accent.light));
  await pace();
  const maxSize = MAX_HTML_BYTES - byteLength(render([], more).html);
  const shown = shortenMarkdown(tree, maxSize, sizeOf);
  await pace();
  const parts = render(shown, shown === tree ? "" : more);
  const name = nameEntryMail(entry, test);
  return ({ userEmail: to }, unsubscribeUrl) =>
    finishListMail(sender, { ...parts, name, to, subject, unsubscribeUrl });
}

function byteLength(text: string): number {
  return utf8.encode(text).length;
}
