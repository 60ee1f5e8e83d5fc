import type { Kind } from "../kind.ts";

/** The owner of an address, so that an address has one member. */
export interface MemberAddress {
  readonly userEmail: string;
  readonly memberId: string;
}

/** The members by address. */
export const MEMBER_ADDRESSES: Kind<MemberAddress> = {
  name: "memberAddresses",
  key: "userEmail",
  fields: { userEmail: "text", memberId: "text" },
  personal: true,
};

/** The session of a member in one browser. */
export interface MemberSession {
  /** SHA-256 of the token in the browser's cookie, in hexadecimal. */
  readonly sessionId: string;
  readonly memberId: string;
  /** The member's `sessionEpoch` at the start of the session. */
  readonly epoch: number;
  readonly createdAt: string;
  /** The hour of the last use (RFC 3339, UTC, milliseconds). */
  readonly lastUsedAt: string;
  /** When the session ends however often it is used (RFC 3339, UTC, milliseconds). */
  readonly endsAt: string;
}

/** The sessions of members. */
export const SESSIONS: Kind<MemberSession> = {
  name: "sessions",
  key: "sessionId",
  fields: {
    sessionId: "text",
    memberId: "text",
    epoch: "integer",
    createdAt: "time",
    lastUsedAt: "time",
    endsAt: "time",
  },
  indexes: { byMember: { by: "memberId" } },
  staleMs: 500,
};

/** The code that signs a member in. */
export interface SignInCode {
  readonly memberId: string;
  /** The code, encrypted; `null` once it was used. */
  readonly code: string | null;
  /** When the code was made (RFC 3339, UTC, milliseconds). */
  readonly createdAt: string;
  /** The number of codes that were tried. */
  readonly tries: number;
}

/** The last code of each member. */
export const SIGN_IN_CODES: Kind<SignInCode> = {
  name: "signInCodes",
  key: "memberId",
  fields: { memberId: "text", code: "text?", createdAt: "time", tries: "integer" },
};

/** The contents of mails to members. */
export type TeamMailContent = "code" | "invitation" | "digest";

/** A mail to a member that has not been sent yet. */
export interface TeamMail {
  /** The content and the member: see {@linkcode teamMailId}. */
  readonly mailId: string;
  readonly memberId: string;
  readonly content: TeamMailContent;
  /** The code, the token of the invitation, or the news of the morning mail, encrypted. */
  readonly secret: string;
  /** When the mail is of no more use (RFC 3339, UTC, milliseconds). */
  readonly endsAt: string;
  /** When the mail is tried next (RFC 3339, UTC, milliseconds). */
  readonly dueAt: string;
  /** The number of attempts so far. */
  readonly attempts: number;
}

/** The mails to members. */
export const TEAM_MAILS: Kind<TeamMail> = {
  name: "teamMails",
  key: "mailId",
  fields: {
    mailId: "text",
    memberId: "text",
    content: "text",
    secret: "text",
    endsAt: "time",
    dueAt: "time",
    attempts: "integer",
  },
  indexes: { byDue: { by: "dueAt" } },
};

/** Creates a mail to a member that is due at once; `at` is RFC 3339, UTC, milliseconds. */
export function teamMailOf(
  content: TeamMailContent,
  { memberId, secret, at, endsAt }: Pick<TeamMail, "memberId" | "secret" | "endsAt"> & {
    readonly at: string;
  },
): TeamMail {
  const mailId = teamMailId(content, memberId);
  return { mailId, memberId, content, secret, endsAt, dueAt: at, attempts: 0 };
}

/** Returns the key of a member's mail; a new mail replaces an earlier one with this content. */
export function teamMailId(content: TeamMailContent, memberId: string): string {
  return `${content}.${memberId}`;
}

/** The member who signs in as one subject of a provider. */
export interface Binding {
  /** SHA-256 of issuer and subject, in hexadecimal. */
  readonly bindingId: string;
  readonly memberId: string;
}

/** The members by their identity at the provider. */
export const BINDINGS: Kind<Binding> = {
  name: "bindings",
  key: "bindingId",
  fields: { bindingId: "text", memberId: "text" },
};

/** The trace of a removed member, who does not come back without an invitation. */
export interface FormerMember {
  /** The keyed hash of the address or of the identity at the provider. */
  readonly formerId: string;
  /** The other traces of the same person. */
  readonly others: readonly string[];
}

/** The removed members. */
export const FORMER_MEMBERS: Kind<FormerMember> = {
  name: "formerMembers",
  key: "formerId",
  fields: { formerId: "text", others: "texts" },
};
