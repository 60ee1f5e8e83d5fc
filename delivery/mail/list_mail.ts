import { escapeHtml } from "../../std.ts";
import { textsOf } from "../../model/locales/locales.ts";
import type { PublicSite } from "../../model/public_site.ts";
import type { MailIds } from "../../services/deliveries/mail_ids.ts";
import type { Mail, Mailbox } from "./mailer.ts";
import { formatMailbox, listHeaders } from "./message.ts";
import { type MailContent, type MailParts, renderMail } from "./template.ts";

/** Settings that all mails of a changelog share. */
export interface MailSettings extends PublicSite {
  /** The sender. */
  readonly from: Mailbox;
  /** The mailbox for replies; `undefined`: that of `from`. */
  readonly replyTo?: Mailbox | undefined;
  /**
   * The envelope sender, to whom relays report failures; `undefined`: the address of `from`. A `*` in it
   * stands for the tag of the recipient.
   */
  readonly bouncesTo?: string | undefined;
  /** The text at the end, such as a postal address; may be empty. */
  readonly footer: string;
}

/** The sender of mails. */
export interface MailSender {
  readonly settings: MailSettings;
  readonly ids: MailIds;
}

/** A mail that has no sender yet; `name` tells it from other mails to the same person. */
type UnaddressedMail = Omit<Mail, "from" | "messageId" | "envelope"> & { readonly name: string };

// Stands for the link to unsubscribe until it is known whom the mail is for.
const LINK = "https://unsubscribe.invalid/";

/** Lays out a mail to subscribers, all but their link. */
export function renderListMail(
  settings: MailSettings,
  content: Omit<MailContent, "footer" | "notes" | "ends">,
  { isSubscribed = true }: {
    /** Whether it is for a subscriber; else the mail itself says why somebody gets it. */
    readonly isSubscribed?: boolean;
  } = {},
): MailParts {
  const texts = textsOf(settings.language);
  return renderMail(settings, {
    ...content,
    footer: settings.footer,
    notes: [texts.notTracked, ...isSubscribed ? [texts.whyYouGetThis(settings.title)] : []],
    ends: [{ label: texts.unsubscribe, url: LINK }, { label: texts.choose, url: LINK }],
  });
}

/** Makes the mail to one subscriber, with their link, of the parts that all of them share. */
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

/** Returns the domain of the list (RFC 2919): where the public URL has an address, that of the sender. */
function listDomain({ publicUrl, from }: MailSettings): string {
  const { hostname } = new URL(publicUrl);
  const isAddress = /^\[|^[\d.]+$/.test(hostname);
  return isAddress ? domainOf(from) : hostname.replace(/[^a-z0-9.-]/g, "");
}

function domainOf({ address }: Mailbox): string {
  return address.slice(address.lastIndexOf("@") + 1);
}

/** Adds the sender to a mail, and the parts by which a report proves that it is about this mail. */
export async function addressMail(
  { settings: { from, replyTo, bouncesTo }, ids }: MailSender,
  { name, headers, to, ...mail }: UnaddressedMail,
): Promise<Mail> {
  const messageId = `<${await ids.create(name, to)}@${domainOf(from)}>`;
  const envelope = bouncesTo === undefined
    ? undefined
    : { from: bouncesTo.replace("*", await ids.tagOf(to)), to };
  const replies = replyTo === undefined ? undefined : { "Reply-To": formatMailbox(replyTo) };
  return { ...mail, to, from, messageId, envelope, headers: { ...replies, ...headers } };
}
