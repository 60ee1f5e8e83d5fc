import type { Storage } from "../../adapters/storage.ts";
import { encodeBase64Url } from "../../model/crypto/encoding.ts";
import { hashSecret } from "../../model/crypto/key_secret.ts";
import { MEMBERS } from "../../model/kinds.ts";
import type { Member } from "../../model/team/member.ts";
import { type MemberSession, SESSIONS } from "../../model/team/records.ts";
import { randomText } from "../../model/crypto/random.ts";
import { addMs } from "../../model/values/time.ts";
import { change, type ChangeTools, type Reading } from "../change.ts";
import { getSetting, removeRecord } from "../records.ts";

/** A session that counts, and its member. */
export interface Presence {
  readonly session: MemberSession;
  readonly member: Member;
}

/** A session to start. */
export interface NewSession {
  /** The secret for the browser's cookie: 32 random bytes, base64url. */
  readonly token: string;
  readonly session: Omit<MemberSession, "memberId" | "epoch">;
  /** The sessions to remove: the one that the browser had, and those beyond the limit. */
  readonly ended: readonly string[];
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** The time after its last use at which a session ends, in milliseconds. */
export const IDLE_MS: number = 30 * DAY_MS;
const LIFE_MS = 365 * DAY_MS;
const PROVIDER_LIFE_MS = 7 * DAY_MS;
const MAX_SESSIONS = 20;
const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const COOKIE_LETTERS = "abcdefghijklmnopqrstuvwxyz";

/**
 * Prepares a session of a member at a time (RFC 3339, UTC, milliseconds). `former` is the token of
 * the session that the browser has now.
 */
export async function prepareSession(
  storage: Storage,
  memberId: string,
  { at, former, isOfProvider = false }: {
    readonly at: string;
    readonly former: string | undefined;
    readonly isOfProvider?: boolean;
  },
): Promise<NewSession> {
  const token = encodeBase64Url(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)));
  const sessionId = await hashSecret(token);
  const known = await listSessions(storage, memberId);
  const surplus = known.toSorted((one, other) => one.lastUsedAt < other.lastUsedAt ? 1 : -1)
    .slice(MAX_SESSIONS - 1);
  const had = former === undefined ? [] : [await hashSecret(former)];
  return {
    token,
    session: {
      sessionId,
      createdAt: at,
      lastUsedAt: hourOf(at),
      endsAt: addMs(at, isOfProvider ? PROVIDER_LIFE_MS : LIFE_MS),
    },
    ended: [...new Set([...had, ...surplus.map((session) => session.sessionId)])],
  };
}

/** Starts a prepared session within a change; returns the member as it is stored then. */
export function* startSession(
  { read, put, remove }: ChangeTools,
  member: Member,
  { session, ended }: NewSession,
): Reading<Member> {
  for (const sessionId of ended) {
    yield* read(SESSIONS, sessionId);
    remove(SESSIONS, sessionId);
  }
  yield* read(SESSIONS, session.sessionId);
  put(SESSIONS, { ...session, memberId: member.memberId, epoch: member.sessionEpoch });
  const seen = { ...member, lastSeenAt: session.lastUsedAt };
  put(MEMBERS, seen);
  return seen;
}

/**
 * Returns the session with a token and its member; `undefined` if it has ended at a time (RFC 3339,
 * UTC, milliseconds). `hash` is the SHA-256 of the token, if it is known.
 */
export async function findSession(
  storage: Storage,
  sessionId: string,
  at: string,
): Promise<Presence | undefined> {
  const session = await storage.get(SESSIONS, sessionId);
  if (session === undefined || at >= endOf(session)) return undefined;
  const member = await storage.get(MEMBERS, session.memberId);
  return member?.sessionEpoch === session.epoch ? { session, member } : undefined;
}

/** Tells whether a member has a session at a time (RFC 3339, UTC, milliseconds). */
export async function hasSession(storage: Storage, memberId: string, at: string): Promise<boolean> {
  const member = await storage.get(MEMBERS, memberId);
  if (member === undefined) return false;
  const sessions = await listSessions(storage, memberId);
  return sessions.some((session) => session.epoch === member.sessionEpoch && at < endOf(session));
}

/** Returns when a session ends unless it is used (RFC 3339, UTC, milliseconds). */
export function endOf({ lastUsedAt, endsAt }: MemberSession): string {
  const idle = addMs(lastUsedAt, IDLE_MS);
  return idle < endsAt ? idle : endsAt;
}

/** Tells whether a text has the form of a session's token. */
export function isSessionToken(text: string): boolean {
  return TOKEN.test(text);
}

/** Tells whether a use at a time (RFC 3339, UTC, milliseconds) has to be recorded. */
export function isLaterHour({ lastUsedAt }: MemberSession, at: string): boolean {
  const hour = hourOf(at);
  // A use that is further ahead was recorded by a wrong clock.
  return lastUsedAt < hour || lastUsedAt > addMs(hour, HOUR_MS);
}

/** Records the hour in which a session was last used, for the session and its member. */
export async function recordSessionUse(
  storage: Storage,
  sessionId: string,
  at: string,
): Promise<void> {
  await change(storage, function* ({ read, put }) {
    const session = yield* read(SESSIONS, sessionId);
    if (session === undefined || !isLaterHour(session, at)) return;
    const member = yield* read(MEMBERS, session.memberId);
    if (member?.sessionEpoch !== session.epoch) return;
    put(SESSIONS, { ...session, lastUsedAt: hourOf(at) });
    put(MEMBERS, { ...member, lastSeenAt: hourOf(at) });
  });
}

export async function endSession(storage: Storage, token: string): Promise<void> {
  await removeRecord(storage, SESSIONS, await hashSecret(token));
}

/** Ends all sessions of the member who has the session with a token. */
export async function endAllSessions(storage: Storage, token: string): Promise<void> {
  const sessionId = await hashSecret(token);
  await change(storage, function* ({ read, put, remove }) {
    const session = yield* read(SESSIONS, sessionId);
    if (session === undefined) return;
    remove(SESSIONS, sessionId);
    const member = yield* read(MEMBERS, session.memberId);
    if (member?.sessionEpoch !== session.epoch) return;
    put(MEMBERS, { ...member, sessionEpoch: member.sessionEpoch + 1 });
  });
}

/** Removes all sessions of a member who was removed. */
export async function removeSessions(storage: Storage, memberId: string): Promise<void> {
  for (const { sessionId } of await listSessions(storage, memberId)) {
    await removeRecord(storage, SESSIONS, sessionId);
  }
}

/**
 * Returns 8 letters that belong to the storage. They name the cookie of sessions, so that several
 * services on one host have cookies of their own.
 */
export function cookieLetters(storage: Storage): Promise<string> {
  return getSetting(storage, "teamCookie", () => randomText(8, COOKIE_LETTERS));
}

async function listSessions(storage: Storage, memberId: string): Promise<readonly MemberSession[]> {
  const found = await storage.list(SESSIONS, {
    index: "byMember",
    after: { by: memberId, key: "" },
    // More than the limit of sessions, as some may have ended.
    limit: 4 * MAX_SESSIONS,
  });
  return found.filter((session) => session.memberId === memberId);
}

function hourOf(at: string): string {
  return `${at.slice(0, 13)}:00:00.000Z`;
}
