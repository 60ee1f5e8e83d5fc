import type { Entry } from "../../model/entries/entry.ts";
import { escape as escapeHtml } from "@std/html/entities";
import { datesOf } from "../../model/locales/language.ts";
import {
  excerptOf,
  parseMarkdown,
  renderHtml,
  renderText,
  withoutControls,
} from "../../model/entries/markdown.ts";
import { entryAddress, type PublicSite } from "../../model/public_site.ts";
import { mailHash } from "../../model/deliveries/message_id.ts";
import { textsOf } from "../../model/locales/locales.ts";
import { renderMail } from "./template.ts";
import type { Mail, Mailbox } from "./mailer.ts";
import { formatMailbox, listHeaders } from "./message.ts";

/** What all mails of a changelog have in common. */
export interface MailSettings extends PublicSite {
  /** Whom mails come from. */
  readonly from: Mailbox;
  /** Where replies go; `undefined` for back to `from`. */
  readonly replyTo?: Mailbox | undefined;
  /** Whom relays report failures to; `undefined` for the address of `from`. */
  readonly bouncesTo?: string | undefined;
  /** What stands at the end, such as a postal address; may be empty. */
  readonly footer: string;
}

/** Writes the mail of an entry to one person, who unsubscribes by the link. */
export type WriteMail = (userEmail: string, unsubscribeUrl: string) => Promise<Mail>;

// Stands for the link to unsubscribe until it is known whom the mail is for.
const LINK = "https://unsubscribe.invalid/";

/** Prepares the mails of an entry; `test` is unique where they are tests, and marks them as such. */
export function prepareEntryMail(
  entry: Entry,
  mailSettings: MailSettings,
  { test }: { readonly test?: string | undefined } = {},
): WriteMail {
  const { title, publishedAt, url } = entry;
  const { publicUrl, footer, language } = mailSettings;
  const texts = textsOf(language);
  const subject = test === undefined ? title : `[${texts.test}] ${title}`;
  const tree = parseMarkdown(entry.body);
  const parts = renderMail(mailSettings, {
    title: subject,
    preheader: excerptOf(tree) || texts.preheader(mailSettings.title),
    byline: publishedAt === null ? undefined : datesOf(language).day(publishedAt),
    body: {
      html: withoutControls(renderHtml(tree, { headingOffset: 1 })),
      text: renderText(tree),
    },
    action: { label: texts.readOnWeb, url: entryAddress(mailSettings, entry) },
    links: url === null ? [] : [{ label: texts.learnMore, url }],
    footer,
    notes: [texts.notTracked, texts.whyYouGetThis(mailSettings.title)],
    end: { label: texts.unsubscribe, url: LINK },
  });
  const [text, html] = [parts.text.split(LINK), parts.html.split(LINK)];
  const { hostname } = new URL(publicUrl);
  const list = {
    id: `changelog.${hostname.replace(/[^a-z0-9.-]/g, "")}`,
    name: mailSettings.title,
  };

  return async function write(userEmail, unsubscribeUrl) {
    return addressMail(mailSettings, {
      id: await mailHash(entry, userEmail, test),
      to: userEmail,
      subject,
      text: text.join(unsubscribeUrl),
      html: html.join(escapeHtml(unsubscribeUrl)),
      headers: listHeaders(list, unsubscribeUrl),
    });
  };
}

/** Adds to a mail whom it comes from; `id` is unique to it. */
export function addressMail(
  { from, replyTo, bouncesTo }: MailSettings,
  { id, headers, ...mail }: Omit<Mail, "from" | "messageId" | "envelope"> & { readonly id: string },
): Mail {
  const domain = from.address.slice(from.address.lastIndexOf("@") + 1);
  return {
    ...{ from, ...mail, messageId: `<${id}@${domain}>` },
    ...(bouncesTo !== undefined && { envelope: { from: bouncesTo, to: mail.to } }),
    headers: { ...(replyTo && { "Reply-To": formatMailbox(replyTo) }), ...headers },
  };
}
