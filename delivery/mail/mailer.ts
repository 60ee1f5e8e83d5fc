import { type SendOutcome, toLine } from "../../model/deliveries/mail_outcome.ts";
import type { Mailbox } from "../../model/values/mailbox.ts";

export type { SendOutcome } from "../../model/deliveries/mail_outcome.ts";
export type { Mailbox } from "../../model/values/mailbox.ts";

/**
 * One mail to one recipient, before it is encoded. Its fields have the names that nodemailer uses,
 * so that nodemailer accepts a `Mail` unchanged.
 */
export interface Mail {
  /** The sender. */
  readonly from: Mailbox;
  /** The e-mail address of the recipient. */
  readonly to: string;
  /** The subject, without line breaks. */
  readonly subject: string;
  /** The plain text part, with line breaks of any kind. */
  readonly text: string;
  /** The HTML part. */
  readonly html: string;
  /** The value of `Message-ID`, angle brackets included. */
  readonly messageId: string;
  /**
   * The addresses for the relay, which may differ from those in the header because failures are
   * reported to another address. Default: the addresses of `from` and `to`.
   */
  readonly envelope?: { readonly from: string; readonly to: string } | undefined;
  /** More header fields: names, and values of printable ASCII. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Options of `Mailer.send`. */
export interface SendOptions {
  /** Aborted when nobody waits for the outcome any more. */
  readonly signal?: AbortSignal | undefined;
}

/** Passes mails to a relay. */
export interface Mailer {
  /**
   * Sends one mail. Calls may overlap; each uses a connection of its own.
   *
   * Resolves to the outcome for this recipient. Rejects with a {@linkcode MailerError} if the relay
   * as a whole can't be used: it is down, does not answer in time, refuses the login or the sender,
   * has a certificate that is not trusted, or answers 421 before the recipient is named. The
   * outcome is `unknown` if the whole mail was handed over but the reply was lost: the mail may
   * have been sent. The mail of an entry is then tried again later; a link to confirm is not.
   *
   * The mailer calls `isWanted` when a connection is ready for the mail. If it resolves to `false`,
   * nothing is sent and the outcome is `skipped`. A mailer of your own may ignore it: then an
   * opt-out counts until `send` is called.
   *
   * Once the signal is aborted, nobody waits for the outcome, and the mailer may close the
   * connection.
   */
  send(mail: Mail, isWanted?: () => Promise<boolean>, options?: SendOptions): Promise<SendOutcome>;
  /**
   * Closes all connections. Calls of `send` in flight and later calls reject, so await them first.
   * Closing again does nothing.
   */
  close(): Promise<void>;
}

/** The reason why a relay can't be used. The message has no passwords and no e-mail addresses. */
export class MailerError extends Error {
  /** Always `MailerError`. Compare this name, because there may be several copies of the class. */
  override readonly name = "MailerError";
}

/** Returns the reason of a mailer's failure; another error's message may contain secrets. */
export function describeFailure(error: unknown): string {
  const isMailerError = error instanceof Error && error.name === "MailerError";
  return isMailerError ? toLine(error.message) : "The mailer failed; the log has details";
}
