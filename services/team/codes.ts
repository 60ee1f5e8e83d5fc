import type { Storage } from "../../adapters/storage.ts";
import { randomText } from "../../model/crypto/random.ts";
import { MEMBERS } from "../../model/kinds.ts";
import { isBound, type Member } from "../../model/team/member.ts";
import {
  SIGN_IN_CODES,
  type SignInCode,
  TEAM_MAILS,
  teamMailId,
  teamMailOf,
} from "../../model/team/records.ts";
import { addMs } from "../../model/values/time.ts";
import { all, change } from "../change.ts";
import { findMember } from "./members.ts";
import { openTeamCipher } from "./invitations.ts";
import { prepareSession, startSession } from "./sessions.ts";

/** The time for which a code works, in milliseconds. */
export const CODE_MS: number = 10 * 60_000;
const MAIL_EVERY_MS = 2 * 60_000;
const MAX_TRIES = 10_000;
const CODE_LENGTH = 8;
// Without 0 and O, 1, I and L, 5 and S, 8 and B, 2 and Z, U and V.
const CODE_ALPHABET = "34679ACDEFGHJKMNPQRTWXY";
// Wrong tries at an address without a code are counted here, so that they take as long.
const NOBODY = "nobody";

/** Returns a code as a person may have typed it, without case and hyphens. */
export function normalizeCode(text: string): string {
  return text.replace(/[\s\u2010-\u2015-]/g, "").toUpperCase();
}

/**
 * Creates a code for the member with an address, and the mail that brings it. Does nothing for an
 * address without a member, for a member who signs in at the provider, and within two minutes of
 * the last mail.
 */
export async function requestCode(
  storage: Storage,
  userEmail: string,
  { at, issuer }: { readonly at: string; readonly issuer: string | undefined },
): Promise<void> {
  const found = await findMember(storage, userEmail);
  if (found === undefined || isBound(found, issuer)) return;
  const { memberId } = found;
  const code = randomText(CODE_LENGTH, CODE_ALPHABET);
  const secret = (await openTeamCipher(storage)).encrypt(code);
  await change(storage, function* ({ read, put }) {
    const member = yield* read(MEMBERS, memberId);
    const current = yield* read(SIGN_IN_CODES, memberId);
    if (member?.userEmail !== userEmail || isRecent(current, at)) return;
    yield* read(TEAM_MAILS, teamMailId("code", memberId));
    put(SIGN_IN_CODES, { memberId, code: secret, createdAt: at, tries: 0 });
    const endsAt = addMs(at, CODE_MS);
    put(TEAM_MAILS, teamMailOf("code", { memberId, secret, at, endsAt }));
  });
}

/**
 * Signs a member in by a code; returns the token of the new session. `undefined`: the code is
 * wrong, was used or has expired. Takes the same steps whether the address has a member or not.
 */
export async function useCode(
  storage: Storage,
  { userEmail, code, at, former, issuer }: {
    readonly userEmail: string;
    /** The code in its normal form: see {@linkcode normalizeCode}. */
    readonly code: string;
    readonly at: string;
    readonly former: string | undefined;
    readonly issuer: string | undefined;
  },
): Promise<string | undefined> {
  const member = await findMember(storage, userEmail);
  const memberId = member?.memberId ?? NOBODY;
  const cipher = await openTeamCipher(storage);
  const next = await prepareSession(storage, memberId, { at, former });
  return await change(storage, function* (steps) {
    const [current, owner] = yield* all(
      steps.read(SIGN_IN_CODES, memberId),
      steps.read(MEMBERS, memberId),
    );
    const isOpen = current !== undefined && isLive(current, at) && current.tries < MAX_TRIES;
    const isRight = cipher.decrypt(current?.code ?? "") === code;
    if (isRight && isOpen && canSignIn(owner, userEmail, issuer)) {
      steps.put(SIGN_IN_CODES, { ...current, code: null });
      yield* startSession(steps, owner, next);
      return next.token;
    }
    const counted = current ?? { memberId, code: null, createdAt: at, tries: 0 };
    steps.put(SIGN_IN_CODES, { ...counted, tries: counted.tries + 1 });
    return undefined;
  });
}

function canSignIn(
  member: Member | undefined,
  userEmail: string,
  issuer: string | undefined,
): member is Member {
  return member?.userEmail === userEmail && !isBound(member, issuer);
}

function isLive({ createdAt }: SignInCode, at: string): boolean {
  return isBetween(createdAt, at, CODE_MS);
}

function isRecent(code: SignInCode | undefined, at: string): boolean {
  return code !== undefined && isBetween(code.createdAt, at, MAIL_EVERY_MS);
}

/** Tells whether two times differ by less than some milliseconds; clocks may have been set back. */
function isBetween(createdAt: string, at: string, durationMs: number): boolean {
  return at < addMs(createdAt, durationMs) && createdAt < addMs(at, durationMs);
}
