/** The number of digits in a tag: hexadecimal, as relays may change letters to lower case. */
export const TAG_LENGTH = 32;

/** A report on a mail to one person, by a provider or by a mail. */
export interface BounceEvent {
  /** The address that the report names, as it stands there; empty where it names none. */
  readonly address: string;
  readonly type: BounceType;
  /** When it happened (RFC 3339, UTC, milliseconds); `null` where the report does not say. */
  readonly at: string | null;
  /** The enhanced status code (RFC 3463), else the reply code, else an empty text. */
  readonly code: string;
  /** The words of a relay or of the provider. */
  readonly text: string;
  /** Other addresses that the report names for the same person, the surest first. */
  readonly otherAddresses?: readonly string[];
  /** The `Message-ID` of the mail, where the report repeats it. */
  readonly messageId?: string;
  /**
   * Proof of the person whom a report by mail is about, as anybody can write one. Absent where a
   * provider posts the event: it knows the secret URL.
   */
  readonly evidence?: BounceEvidence;
}

/** The parts of a mail that only those have who got a mail of ours, or passed it on. */
export interface BounceEvidence {
  /** Parts of a `Message-ID` before the `@`, of the mail that is returned. */
  readonly messageIds: readonly string[];
  /** Tokens of links to unsubscribe, in the mail that is returned. */
  readonly tokens: readonly string[];
  /** Tags of the address that the report was sent to. */
  readonly tags: readonly string[];
  /** Whether the report is about one recipient alone. */
  readonly isAboutOne: boolean;
}

/**
 * The meaning of a report: there is no such mailbox or domain (`permanent`), the mail was not
 * delivered for another reason (`temporary`), it was called spam (`complaint`), the person asked
 * the provider for no more mail (`unsubscribe`), it was `delivered`, or anything else, such as an
 * out-of-office answer.
 */
export type BounceType =
  | "permanent"
  | "temporary"
  | "complaint"
  | "unsubscribe"
  | "delivered"
  | "other";
