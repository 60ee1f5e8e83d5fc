import type { Storage } from "../../adapters/storage.ts";
import { MEMBERS } from "../../model/kinds.ts";
import type { Member } from "../../model/team/member.ts";
import { TEAM_MAILS, type TeamMail } from "../../model/team/records.ts";
import { addMs } from "../../model/values/time.ts";
import { change } from "../change.ts";
import { openTeamCipher } from "./invitations.ts";

// Pauses before the second and later attempts, in milliseconds; the last one repeats.
const RETRY_MS = [10_000, 30_000, 60_000, 300_000, 1_800_000, 7_200_000];
// The time after which another process tries a mail whose sender crashed.
const CLAIM_MS = 60_000;
const MAX_AT_ONCE = 100;

/** A mail to send now, its member, and the code, the token or the news that it brings. */
export interface DueMail {
  readonly mail: TeamMail;
  readonly member: Member;
  readonly secret: string;
}

/** Lists the mails that are due at a time (RFC 3339, UTC, milliseconds). */
export async function listDueTeamMails(
  storage: Storage,
  now: string,
): Promise<readonly TeamMail[]> {
  const found = await storage.list(TEAM_MAILS, { index: "byDue", limit: MAX_AT_ONCE });
  return found.filter((mail) => isDue(mail, now));
}

function isDue({ dueAt }: TeamMail, now: string): boolean {
  // A clock that was ahead may have planned an attempt in the future.
  return dueAt <= now || dueAt > addMs(now, 2 * RETRY_MS[RETRY_MS.length - 1]);
}

/**
 * Claims a due mail for one attempt. Returns `undefined` if it is no longer due or of no more use:
 * then it is dropped.
 */
export async function claimTeamMail(
  storage: Storage,
  { mailId }: TeamMail,
  now: string,
): Promise<DueMail | undefined> {
  const claimed = await change(storage, function* ({ read, put, remove }) {
    const mail = yield* read(TEAM_MAILS, mailId);
    if (mail === undefined || !isDue(mail, now)) return undefined;
    const member = yield* read(MEMBERS, mail.memberId);
    if (member === undefined || now >= mail.endsAt) {
      remove(TEAM_MAILS, mailId);
      return undefined;
    }
    const next = { ...mail, dueAt: addMs(now, CLAIM_MS), attempts: mail.attempts + 1 };
    put(TEAM_MAILS, next);
    return { mail: next, member };
  });
  if (claimed === undefined) return undefined;
  const secret = (await openTeamCipher(storage)).decrypt(claimed.mail.secret);
  return secret === undefined ? undefined : { ...claimed, secret };
}

/** Ends a mail after an attempt, or plans the next one; a newer mail in its place stays. */
export async function settleMail(
  storage: Storage,
  claimed: TeamMail,
  { isDone, now }: { readonly isDone: boolean; readonly now: string },
): Promise<void> {
  await change(storage, function* ({ read, put, remove }) {
    const mail = yield* read(TEAM_MAILS, claimed.mailId);
    if (mail?.secret !== claimed.secret || mail.attempts !== claimed.attempts) return;
    const pauseMs = RETRY_MS[Math.min(mail.attempts, RETRY_MS.length) - 1];
    const dueAt = addMs(now, pauseMs);
    if (isDone || dueAt >= mail.endsAt) remove(TEAM_MAILS, mail.mailId);
    else put(TEAM_MAILS, { ...mail, dueAt });
  });
}
