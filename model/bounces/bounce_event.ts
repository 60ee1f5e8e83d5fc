/** What is reported of a mail to one person by a provider, or by a mail. */
export interface BounceEvent {
  /** The address that the report names, as it stands there; empty where it names none. */
  readonly address: string;
  readonly type: BounceType;
  /** When it happened (RFC 3339, UTC, milliseconds); `null` where the report does not say. */
  readonly at: string | null;
  /** The enhanced status code (RFC 3463), else the reply code, else an empty text. */
  readonly code: string;
  /** What a relay or the provider says. */
  readonly text: string;
  /** Other addresses that the report names for the same person, the surest first. */
  readonly otherAddresses?: readonly string[];
  /** The `Message-ID` of the mail, where the report repeats it. */
  readonly messageId?: string;
  /** The value of `List-Unsubscribe` of the mail, where the report repeats it. */
  readonly listUnsubscribe?: string;
}

/**
 * What a report comes to: there is no such mailbox or domain (`permanent`), the mail was not delivered
 * for another reason (`temporary`), it was called spam (`complaint`), the person asked the provider for
 * no more mail (`unsubscribe`), it was `delivered`, or anything else, such as an out-of-office answer.
 */
export type BounceType =
  | "permanent"
  | "temporary"
  | "complaint"
  | "unsubscribe"
  | "delivered"
  | "other";
