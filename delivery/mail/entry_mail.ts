import type { Entry } from "../../model/entries/entry.ts";
import { escape as escapeHtml } from "@std/html/entities";
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
import { entryAddress, type PublicSite } from "../../model/public_site.ts";
import type { Subscription } from "../../model/subscriptions/subscription.ts";
import type { RecipientQuery } from "../../services/deliveries/recipients.ts";
import { mailHash } from "../../model/deliveries/message_id.ts";
import { textsOf } from "../../model/locales/locales.ts";
import { type MailParts, renderMail } from "./template.ts";
import type { Mail, Mailbox } from "./mailer.ts";
import { formatMailbox, listHeaders, type MailingList } from "./message.ts";

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

/** Writes the mail to one person, who unsubscribes by the link. */
export type WriteMail = (
  person: Pick<Subscription, "userEmail" | "labels" | "pace" | "paceChanges">,
  unsubscribeUrl: string,
) => Promise<Mail>;

/** A mail, and who gets it. */
export interface MailPlan extends Pick<RecipientQuery, "index" | "judge"> {
  readonly write: WriteMail;
}

// Gmail cuts at 102 KB.
const MAX_HTML_BYTES = 90 * 1_024;
// Stands for the link to unsubscribe until it is known whom the mail is for.
const LINK = "https://unsubscribe.invalid/";

/** Prepares the mails of an entry; `test` is unique where they are tests, and marks them as such. */
export function prepareEntryMail(
  entry: Entry,
  mailSettings: MailSettings,
  { test }: { readonly test?: string | undefined } = {},
): WriteMail {
  const { title, publishedAt, url } = entry;
  const { footer, language } = mailSettings;
  const texts = textsOf(language);
  const subject = test === undefined ? title : `[${texts.test}] ${title}`;
  const imageBase = `${mailSettings.publicUrl}/changelog/`;
  const tree = parseMarkdown(entry.body, { imageBase });
  const action = { label: texts.readOnWeb, url: entryAddress(mailSettings, entry) };
  const bodyText = renderText(tree);
  const { html: more } = markup`<p>… <a href="${action.url}">${action.label}</a></p>\n`;
  const render = (shown: MarkdownTree, end = "") =>
    renderMail(mailSettings, {
      title: subject,
      preheader: excerptOf(tree) || texts.preheader(mailSettings.title),
      byline: publishedAt === null ? undefined : datesOf(language).day(publishedAt),
      body: {
        html: withDirections(withoutControls(renderHtml(shown, { headingOffset: 1 }))) + end,
        text: bodyText,
      },
      action,
      links: url === null ? [] : [{ label: texts.learnMore, url }],
      footer,
      notes: [texts.notTracked, texts.whyYouGetThis(mailSettings.title)],
      ends: [{ label: texts.unsubscribe, url: LINK }, { label: texts.choose, url: LINK }],
    });
  const fits = ({ html }: MailParts) => new TextEncoder().encode(html).length <= MAX_HTML_BYTES;
  const whole = render(tree);
  const parts = fits(whole)
    ? whole
    : render(shortenMarkdown(tree, (shown) => fits(render(shown, more))), more);
  const [text, html] = [parts.text.split(LINK), parts.html.split(LINK)];
  const list = listOf(mailSettings);

  return async function write({ userEmail }, unsubscribeUrl) {
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

/** Returns the list that mails go to. */
export function listOf(mailSettings: MailSettings): MailingList {
  return { id: `changelog.${listDomain(mailSettings)}`, name: mailSettings.title };
}

/** Returns the domain of the list (RFC 2919): where the public URL has an address, that of the sender. */
function listDomain({ publicUrl, from }: MailSettings): string {
  const { hostname } = new URL(publicUrl);
  const isAddress = /^\[|^[\d.]+$/.test(hostname);
  return isAddress ? domainOf(from) : hostname.replace(/[^a-z0-9.-]/g, "");
}

function domainOf({ address }: Mailbox): string {
  return address.slice(address.lastIndexOf("@") + 1);
}

/** Adds to a mail whom it comes from; `id` is unique to it. */
export function addressMail(
  { from, replyTo, bouncesTo }: MailSettings,
  { id, headers, ...mail }: Omit<Mail, "from" | "messageId" | "envelope"> & { readonly id: string },
): Mail {
  return {
    ...{ from, ...mail, messageId: `<${id}@${domainOf(from)}>` },
    ...(bouncesTo !== undefined && { envelope: { from: bouncesTo, to: mail.to } }),
    headers: { ...(replyTo && { "Reply-To": formatMailbox(replyTo) }), ...headers },
  };
}
