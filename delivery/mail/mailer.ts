import type { SendOutcome } from "../../model/deliveries/mail_outcome.ts";

export type { SendOutcome } from "../../model/deliveries/mail_outcome.ts";

/** The name and address of a sender. */
export interface Mailbox {
  /** The name for people to read; empty where there is none. */
  readonly name: string;
  /** The e-mail address, in normal form. */
  readonly address: string;
}

/**
 * One mail to one recipient, as plain data that is still to be encoded. Its fields are named as
 * those of nodemailer, which takes a `Mail` as it is.
 */
export interface Mail {
  /** The sender. */
  readonly from: Mailbox;
  /** The e-mail address of the recipient. */
  readonly to: string;
  /** The title, without line breaks. */
  readonly subject: string;
  /** The plain text part, with line breaks of any kind. */
  readonly text: string;
  /** The HTML part. */
  readonly html: string;
  /** The value of `Message-ID`, angle brackets included. */
  readonly messageId: string;
  /**
   * The addresses that relays are told, as those to whom they report failures may differ from `from`.
   * Absent: those of `from` and `to`.
   */
  readonly envelope?: { readonly from: string; readonly to: string } | undefined;
  /** More header fields: names, and values of printable ASCII. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Options of `Mailer.send`. */
export interface SendOptions {
  /** Aborted when the outcome is awaited no longer. */
  readonly signal?: AbortSignal | undefined;
}

/** Passes mail on to a relay. */
export interface Mailer {
  /**
   * Sends one mail. May be called any number of times at once, each of which uses a connection.
   *
   * Resolves to what became of the mail as far as it is a matter of its recipient. Rejects with a
   * {@linkcode MailerError} if the relay as a whole can't be used: it is down, does not answer in
   * time, refuses the login or the sender, has a certificate that is not trusted, or answers 421.
   * A mail that was handed over whole, and whose answer was lost, is `unknown`: it may have been sent. The
   * mail of an entry is then tried again later, a link to confirm is not.
   *
   * `isWanted` is asked once a connection stands and the mail is next on it; where it resolves to
   * `false`, nothing is sent, and the outcome is `skipped`. A mailer of your own may leave it out: then an
   * opt-out counts up to the call of `send`.
   *
   * Once the signal is aborted, nobody waits for the outcome: the connection may be closed at once.
   */
  send(mail: Mail, isWanted?: () => Promise<boolean>, options?: SendOptions): Promise<SendOutcome>;
  /**
   * Closes all connections. Calls of `send` under way reject, and later ones do: await them first.
   * Closing again does nothing.
   */
  close(): Promise<void>;
}

/** Why a relay can't be used at present. The message has no passwords and no e-mail addresses. */
export class MailerError extends Error {
  /** Always `MailerError`: recognise it by this, as there may be several copies of the class. */
  override readonly name = "MailerError";
}
