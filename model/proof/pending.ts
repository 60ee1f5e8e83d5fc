import type { Kind } from "../kind.ts";

/** A request of a form, which waits until the person has proven their address. */
export type PendingItem = PendingSignUp | PendingVote | PendingIdea;

/** A sign-up for the changelog. */
export interface PendingSignUp {
  /** The kind of request. */
  readonly type: "sign-up";
  /** The name; `null` if none was given. */
  readonly userName: string | null;
  /**
   * Identifies the state of the subscription. A later opt-out changes the state and ends the
   * request.
   */
  readonly state: string;
}

/** A vote for a post. */
export interface PendingVote {
  /** The kind of request. */
  readonly type: "vote";
  /** The board of the post. */
  readonly boardId: string;
  /** The identifier of the post. */
  readonly postId: string;
  /** Whether the person asks to be told what becomes of it. */
  readonly notify: boolean;
}

/** An idea, with its author's vote. */
export interface PendingIdea {
  /** The kind of request. */
  readonly type: "idea";
  /** The board of the idea. */
  readonly boardId: string;
  /** The identifier is chosen with the form, so that confirming an idea twice creates one post. */
  readonly postId: string;
  /** The title of the idea. */
  readonly title: string;
  /** The text in Markdown; `null` for none. */
  readonly body: string | null;
  /** Whether the person asks to be told what becomes of it. */
  readonly notify: boolean;
}

/** A {@linkcode PendingItem} as it is stored: nothing in it can be read without a key. */
export interface Pending {
  /**
   * The {@linkcode mailboxId} and a hash of the request, so that a repetition is the same record.
   */
  readonly pendingId: string;
  /** The encrypted item. */
  readonly content: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly createdAt: string;
  readonly expiresAt: string;
}

/** The requests of forms that wait for the proof of an address. */
export const PENDING: Kind<Pending> = {
  name: "pending",
  key: "pendingId",
  fields: { pendingId: "text", content: "text", createdAt: "time", expiresAt: "time" },
  indexes: { byExpiry: { by: "expiresAt" } },
  counted: true,
  personal: true,
};

/**
 * The last mail by which a mailbox can prove its address, and the items that wait for this proof.
 */
export interface ProofMail {
  /** The keyed hash of the mailbox. */
  readonly mailboxId: string;
  /**
   * `due`: the mail waits to be sent; `sending`: a relay has it, or had it when a server ended;
   * `sent`: it is done; `none`: it could not be sent, so the next form causes another mail.
   */
  readonly state: "due" | "sending" | "sent" | "none";
  /**
   * The time at which it was sent or, if it waits, accepted for sending (RFC 3339, UTC,
   * milliseconds).
   */
  readonly mailedAt: string;
  /** The time of the next attempt; `null` after the last one. */
  readonly dueAt: string | null;
  /** The number of attempts that have begun. */
  readonly attempts: number;
  /** The encrypted address; removed after the last attempt. */
  readonly recipient: string | null;
  /** The board of the form; `null`: the changelog. */
  readonly boardId: string | null;
  /** The item for which the mail is sent; `null`: none, the person asked for their own page. */
  readonly itemId: string | null;
  readonly waiting: readonly WaitingItem[];
  readonly expiresAt: string;
}

/** The mails by which people prove their address. */
export const PROOF_MAILS: Kind<ProofMail> = {
  name: "proofMails",
  key: "mailboxId",
  fields: {
    mailboxId: "text",
    state: "text",
    mailedAt: "time",
    dueAt: "time?",
    attempts: "integer",
    recipient: "text?",
    boardId: "text?",
    itemId: "text?",
    waiting: "json",
    expiresAt: "time",
  },
  indexes: { byDue: { by: "dueAt" }, byExpiry: { by: "expiresAt" } },
  defaults: { itemId: null },
  personal: true,
};

export interface WaitingItem {
  readonly pendingId: string;
  readonly expiresAt: string;
}

/** A mailbox that wants no mail because of forms. */
export interface ClosedMailbox {
  /** The keyed hash of the mailbox. */
  readonly mailboxId: string;
  /** The time of that request (RFC 3339, UTC, milliseconds). */
  readonly at: string;
}

/** The mailboxes to which forms cause no mail. */
export const CLOSED_MAILBOXES: Kind<ClosedMailbox> = {
  name: "closedMailboxes",
  key: "mailboxId",
  fields: { mailboxId: "text", at: "time" },
};

/** The time for which a pending item and a link are valid, in milliseconds. */
export const PROOF_VALID_MS: number = 7 * 86_400_000;
/** The maximum number of pending items of one mailbox. */
export const MAX_PENDING_OF_MAILBOX = 20;
/** The maximum number of pending items. Beyond it, the oldest is dropped. */
export const MAX_PENDING = 10_000;

const END = "!";

/** Returns the text with which the keys of all items of a mailbox begin. */
export function pendingPrefix(mailboxId: string): string {
  return `${mailboxId}${END}`;
}
