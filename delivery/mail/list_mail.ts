import { escapeHtml } from "../../std.ts";
import { datesOf } from "../../model/locales/language.ts";
import { textsOf } from "../../model/locales/locales.ts";
import type { PublicSite } from "../../model/public_site.ts";
import type { MailIds } from "../../services/deliveries/mail_ids.ts";
import type { Ask } from "../../services/deliveries/ask.ts";
import type { Mail, Mailbox } from "./mailer.ts";
import { formatMailbox, listHeaders } from "./message.ts";
import { type MailContent, type MailParts, renderMail } from "./template.ts";

/** Settings that all mails of a changelog share. */
export interface MailSettings extends PublicSite {
  /** The sender. */
  readonly from: Mailbox;
  /** The mailbox for replies; `undefined`: the mailbox of `from`. */
  readonly replyTo?: Mailbox | undefined;
  /**
   * The envelope sender, to whom relays report failures; `undefined`: the address of `from`. The
   * recipient's tag replaces a `*` in it.
   */
  readonly bouncesTo?: string | undefined;
  /** The text at the end, such as a postal address; may be empty. */
  readonly footer: string;
}

export interface MailSender {
  readonly settings: MailSettings;
  readonly ids: MailIds;
}

/** A mail without a sender; `name` distinguishes it from other mails to the same person. */
type UnaddressedMail = Omit<Mail, "from" | "messageId" | "envelope"> & { readonly name: string };

// Placeholder for the unsubscribe link, until the recipient is known.
const LINK = "https://unsubscribe.invalid/";

/** Lays out a mail to subscribers, without their links. */
export function renderListMail(
  settings: MailSettings,
  content: Omit<MailContent, "footer" | "notes" | "ends">,
  { isSubscribed = true }: {
    /**
     * Whether it is for a subscriber; otherwise the mail itself explains why the person gets it.
     */
    readonly isSubscribed?: boolean;
  } = {},
): MailParts {
  const texts = textsOf(settings.language);
  const { notTracked } = texts;
  return renderMail(settings, {
    ...content,
    footer: settings.footer,
    notes: isSubscribed ? [notTracked, texts.whyYouGetThis(settings.title)] : [notTracked],
    ends: isSubscribed
      ? [{ label: texts.unsubscribe, url: LINK }, { label: texts.choose, url: LINK }]
      : [{ label: texts.endAsks, url: LINK }],
  });
}

// Placeholder for the posts that a recipient asked about, until the recipient is known.
const ASKED = "asked-for.invalid";

/** Puts the placeholder for what a recipient asked about above the body of a mail. */
export function addAskedPlace({ html, text }: MailContent["body"]): MailContent["body"] {
  return { html: `<p>${ASKED}</p>\n${html}`, text: `${ASKED}\n\n${text}` };
}

/** Replaces the placeholder by a line for each post that a recipient asked about. */
export function fillAskedPlace(
  { text, html }: MailParts,
  asks: readonly Ask[],
  { settings, now }: { readonly settings: MailSettings; readonly now: string },
): MailParts {
  const dates = datesOf(settings);
  const { youAsked } = textsOf(settings.language);
  const lines = asks.map(({ at, title }) => youAsked(dates.recentDay(at, now), title));
  return {
    text: text.replace(ASKED, () => lines.join("\n")),
    html: html.replace(ASKED, () => lines.map(escapeHtml).join("<br>")),
  };
}

/** Completes the mail for one subscriber: inserts their link into the shared parts. */
export async function finishListMail(
  { settings, ids }: MailSender,
  { text, html, unsubscribeUrl, ...mail }:
    & MailParts
    & Pick<UnaddressedMail, "name" | "to" | "subject">
    & {
      readonly unsubscribeUrl: string;
    },
): Promise<Mail> {
  const list = { id: `changelog.${listDomain(settings)}`, name: settings.title };
  return await addressMail({ settings, ids }, {
    ...mail,
    text: text.replaceAll(LINK, () => unsubscribeUrl),
    html: html.replaceAll(LINK, () => escapeHtml(unsubscribeUrl)),
    headers: listHeaders(list, unsubscribeUrl),
  });
}

/**
 * Returns the domain of the list (RFC 2919): that of the public URL or, if its host is an IP
 * address, that of the sender.
 */
function listDomain({ publicUrl, from }: MailSettings): string {
  const { hostname } = new URL(publicUrl);
  const isAddress = /^\[|^[\d.]+$/.test(hostname);
  return isAddress ? domainOfMailbox(from) : hostname.replace(/[^a-z0-9.-]/g, "");
}

export function domainOfMailbox({ address }: Mailbox): string {
  return address.slice(address.lastIndexOf("@") + 1);
}

/**
 * Adds the sender to a mail, and the identifiers that let a report prove which mail it is about.
 */
export async function addressMail(
  { settings: { from, replyTo, bouncesTo }, ids }: MailSender,
  { name, headers, to, ...mail }: UnaddressedMail,
): Promise<Mail> {
  const messageId = `<${await ids.create(name, to)}@${domainOfMailbox(from)}>`;
  const envelope = bouncesTo === undefined
    ? undefined
    : { from: bouncesTo.replace("*", await ids.tagOf(to)), to };
  const replies = replyTo === undefined ? undefined : { "Reply-To": formatMailbox(replyTo) };
  return { ...mail, to, from, messageId, envelope, headers: { ...replies, ...headers } };
}
