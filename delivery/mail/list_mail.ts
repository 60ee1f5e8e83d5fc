import { escapeHtml } from "../../std.ts";
import { textsOf } from "../../model/locales/locales.ts";
import type { PublicSite } from "../../model/public_site.ts";
import type { Subscription } from "../../model/subscriptions/subscription.ts";
import type { RecipientQuery } from "../../services/deliveries/recipients.ts";
import type { Mail, Mailbox } from "./mailer.ts";
import { formatMailbox, listHeaders } from "./message.ts";
import { type MailContent, type MailParts, renderMail } from "./template.ts";

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
export type WriteMail<Person> = (person: Person, unsubscribeUrl: string) => Promise<Mail>;

/** A mail, and who gets it. */
export interface MailPlan extends Pick<RecipientQuery, "index" | "judge"> {
  readonly write: WriteMail<Subscription>;
}

// Stands for the link to unsubscribe until it is known whom the mail is for.
const LINK = "https://unsubscribe.invalid/";

/** Lays out a mail to subscribers, all but their link. */
export function renderListMail(
  settings: MailSettings,
  content: Omit<MailContent, "footer" | "notes" | "ends">,
): MailParts {
  const texts = textsOf(settings.language);
  return renderMail(settings, {
    ...content,
    footer: settings.footer,
    notes: [texts.notTracked, texts.whyYouGetThis(settings.title)],
    ends: [{ label: texts.unsubscribe, url: LINK }, { label: texts.choose, url: LINK }],
  });
}

/** Makes the mail to one subscriber, with their link, of what was laid out; `id` is unique to it. */
export function finishListMail(
  settings: MailSettings,
  { text, html, unsubscribeUrl, ...mail }: MailParts & Pick<Mail, "to" | "subject"> & {
    readonly id: string;
    readonly unsubscribeUrl: string;
  },
): Mail {
  const list = { id: `changelog.${listDomain(settings)}`, name: settings.title };
  return addressMail(settings, {
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
