import type { Storage } from "../../adapters/storage.ts";
import { randomText } from "../../model/crypto/random.ts";
import { hashSecret } from "../../model/crypto/key_secret.ts";
import { MEMBERS, SETTINGS } from "../../model/kinds.ts";
import type { Member } from "../../model/team/member.ts";
import { MEMBER_ADDRESSES, TEAM_MAILS, teamMailId, teamMailOf } from "../../model/team/records.ts";
import { addMs } from "../../model/values/time.ts";
import { change } from "../change.ts";
import { hasMembers, memberOf } from "./members.ts";
import { prepareSession, startSession } from "./sessions.ts";
import { openCipher } from "../privacy/sealed.ts";

/** A link that signs a member in, once. */
export interface Invitation {
  /** The last segment of the link's path. */
  readonly token: string;
  /** When it ends (RFC 3339, UTC, milliseconds). */
  readonly endsAt: string;
}

const INVITATION_MS = 7 * 86_400_000;
const FIRST_LINK_MS = 86_400_000;
const SECRET_LENGTH = 32;
/** The setting with the link of the first start. */
export const FIRST_LINK = "firstAdminLink";
// No member has this identifier, as those have lower-case letters and digits.
const FIRST_PREFIX = "FIRST-";
const TOKEN = /^([a-z0-9]{8}|FIRST-)[0-9A-Za-z]{32}$/;

/**
 * Creates an invitation, which ends the former one and the binding to a provider, and with
 * `isMailed` also the mail that brings it. Returns `undefined` if there is no such member.
 */
export async function inviteMember(
  storage: Storage,
  memberId: string,
  { at, isMailed }: { readonly at: string; readonly isMailed: boolean },
): Promise<Invitation | undefined> {
  const token = `${memberId}${randomText(SECRET_LENGTH)}`;
  const endsAt = addMs(at, INVITATION_MS);
  const invitationHash = await hashSecret(token);
  const secret = (await openTeamCipher(storage)).encrypt(token);
  return await change(storage, function* ({ read, put }) {
    const member = yield* read(MEMBERS, memberId);
    if (member === undefined) return undefined;
    put(MEMBERS, {
      ...member,
      invitationHash,
      invitationEndsAt: endsAt,
      issuer: null,
      subject: null,
    });
    if (isMailed) {
      yield* read(TEAM_MAILS, teamMailId("invitation", memberId));
      put(TEAM_MAILS, teamMailOf("invitation", { memberId, secret, at, endsAt }));
    }
    return { token, endsAt };
  });
}

/** The person whom an invitation is for; `first` is the link that makes the first admin. */
export type Invited = Member | "first";

/** Returns the person whom an invitation is for; `undefined` if it was used or has ended. */
export async function readInvitation(
  storage: Storage,
  token: string,
  at: string,
): Promise<Invited | undefined> {
  const [, owner] = TOKEN.exec(token) ?? [];
  if (owner === undefined) return undefined;
  const hash = await hashSecret(token);
  if (owner !== FIRST_PREFIX) {
    const member = await storage.get(MEMBERS, owner);
    return member !== undefined && isOpen(member, hash, at) ? member : undefined;
  }
  const setting = await storage.get(SETTINGS, FIRST_LINK);
  const isValid = isOpenFirst(setting?.value, hash, at) && !await hasMembers(storage);
  return isValid ? "first" : undefined;
}

/**
 * Uses an invitation of a member; returns the token of the new session. `undefined`: it was used or
 * has ended. `former` is the token of the session that the browser has.
 */
export async function useInvitation(
  storage: Storage,
  token: string,
  { at, former }: { readonly at: string; readonly former: string | undefined },
): Promise<string | undefined> {
  const [, memberId] = TOKEN.exec(token) ?? [];
  if (memberId === undefined) return undefined;
  const hash = await hashSecret(token);
  const next = await prepareSession(storage, memberId, { at, former });
  return await change(storage, function* (steps) {
    const member = yield* steps.read(MEMBERS, memberId);
    if (member === undefined || !isOpen(member, hash, at)) return undefined;
    const mailId = teamMailId("invitation", memberId);
    yield* steps.read(TEAM_MAILS, mailId);
    steps.remove(TEAM_MAILS, mailId);
    const used = { ...member, invitationHash: null, invitationEndsAt: null };
    yield* startSession(steps, used, next);
    return next.token;
  });
}

/** Creates the link that makes the first admin, which replaces an earlier one. */
export async function createFirstLink(storage: Storage, at: string): Promise<string> {
  const token = `${FIRST_PREFIX}${randomText(SECRET_LENGTH)}`;
  const value = JSON.stringify({ hash: await hashSecret(token), endsAt: addMs(at, FIRST_LINK_MS) });
  await change(storage, function* ({ read, put }) {
    yield* read(SETTINGS, FIRST_LINK);
    put(SETTINGS, { settingId: FIRST_LINK, value });
  });
  return token;
}

/**
 * Uses the link of the first start: makes the first admin, and returns the token of the session.
 * `undefined`: it was used or has ended, or there is a member.
 */
export async function useFirstLink(
  storage: Storage,
  token: string,
  { userEmail, userName, at, former }: {
    readonly userEmail: string;
    readonly userName: string;
    readonly at: string;
    readonly former: string | undefined;
  },
): Promise<string | undefined> {
  if (await readInvitation(storage, token, at) !== "first") return undefined;
  const hash = await hashSecret(token);
  const member = memberOf({ userEmail, userName, role: "admin" }, at);
  const next = await prepareSession(storage, member.memberId, { at, former });
  return await change(storage, function* (steps) {
    const setting = yield* steps.read(SETTINGS, FIRST_LINK);
    if (!isOpenFirst(setting?.value, hash, at)) return undefined;
    steps.remove(SETTINGS, FIRST_LINK);
    if ((yield* steps.read(MEMBER_ADDRESSES, userEmail)) !== undefined) return undefined;
    steps.put(MEMBER_ADDRESSES, { userEmail, memberId: member.memberId });
    yield* steps.read(MEMBERS, member.memberId);
    yield* startSession(steps, member, next);
    return next.token;
  });
}

/** Opens the cipher for codes and invitations whose mail waits. */
export function openTeamCipher(storage: Storage) {
  return openCipher(storage, "teamMail");
}

function isOpen({ invitationHash, invitationEndsAt }: Member, hash: string, at: string): boolean {
  return invitationHash === hash && invitationEndsAt !== null && at < invitationEndsAt;
}

function isOpenFirst(value: string | undefined, hash: string, at: string): boolean {
  if (value === undefined) return false;
  const link: { readonly hash: string; readonly endsAt: string } = JSON.parse(value);
  return link.hash === hash && at < link.endsAt;
}
