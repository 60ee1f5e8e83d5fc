/** The number of digits in a tag: hexadecimal, as relays may change letters to lower case. */
export const TAG_LENGTH = 32;

/** A report on a mail to one person, from a provider or in a returned mail. */
export interface BounceEvent {
  /** The address in the report, as it is written there; empty if it names none. */
  readonly address: string;
  readonly type: BounceType;
  /**
   * The time of the event (RFC 3339, UTC, milliseconds); `null` if the report does not contain it.
   */
  readonly at: string | null;
  /** The enhanced status code (RFC 3463), else the reply code, else an empty text. */
  readonly code: string;
  /** The explanation by the relay or the provider. */
  readonly text: string;
  /** Other addresses in the report for the same person, the most reliable first. */
  readonly otherAddresses?: readonly string[];
  /** The `Message-ID` of the mail, if the report repeats it. */
  readonly messageId?: string;
  /**
   * Proof that a report by mail is about this person, because anybody can write such a report.
   * Absent if a provider posts the event: it knows the secret URL.
   */
  readonly evidence?: BounceEvidence;
}

/** The parts of a mail that only its recipient and the relays on its way know. */
export interface BounceEvidence {
  /** The parts before the `@` of each `Message-ID` in the returned mail. */
  readonly messageIds: readonly string[];
  /** Tokens of unsubscribe links in the returned mail. */
  readonly tokens: readonly string[];
  /** Tags of the address that the report was sent to. */
  readonly tags: readonly string[];
  /** Whether the report is about exactly one recipient. */
  readonly isAboutOne: boolean;
}

/**
 * The meaning of a report. `permanent`: the mailbox or domain does not exist; `temporary`: the mail
 * failed for another reason; `complaint`: the recipient called it spam; `unsubscribe`: the person
 * asked the provider for no more mail; `delivered`; or `other`, such as an out-of-office reply.
 */
export type BounceType =
  | "permanent"
  | "temporary"
  | "complaint"
  | "unsubscribe"
  | "delivered"
  | "other";
