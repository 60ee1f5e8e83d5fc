import type { Storage } from "../../adapters/storage.ts";
import { PENDING, PROOF_MAILS, type ProofMail } from "../../model/proof/pending.ts";
import { addMs } from "../../model/values/time.ts";
import { meterOf } from "../shared.ts";
import { removeRecord } from "../records.ts";

/** The time that one process has to send a mail before another may claim it, in milliseconds. */
export const CLAIM_MS = 60_000;
// Pauses before the second and later attempts, in milliseconds.
const RETRY_MS = [30_000, 300_000, 1_800_000, 7_200_000, 28_800_000];
const MAX_AT_ONCE = 100;

/** Lists the mails that are due. Each process claims some of them. */
export async function listDueProofMails(
  storage: Storage,
  now: string,
): Promise<readonly ProofMail[]> {
  const found = await storage.list(PROOF_MAILS, { index: "byDue", limit: MAX_AT_ONCE });
  return found.filter((mail) => isDue(mail, now));
}

function isDue({ dueAt }: ProofMail, now: string): boolean {
  // A clock that was ahead may have planned an attempt in the future.
  const latest = addMs(now, 2 * RETRY_MS[RETRY_MS.length - 1]);
  return dueAt !== null && (dueAt <= now || dueAt > latest);
}

/**
 * Claims a due mail for one attempt; returns the claimed mail. Returns `undefined` if another
 * process has claimed it, or if an earlier process crashed while sending: that mail may have
 * arrived.
 */
export function claimProofMail(
  storage: Storage,
  { mailboxId }: ProofMail,
  now: string,
): Promise<ProofMail | undefined> {
  return change(storage, mailboxId, (mail) => {
    if (mail === undefined || !isDue(mail, now)) return undefined;
    if (mail.state !== "due") return { next: end(mail, "sent"), result: undefined };
    const next = { ...mail, dueAt: addMs(now, CLAIM_MS), attempts: mail.attempts + 1 };
    return { next, result: next };
  });
}

/**
 * Records that a relay is about to get a mail, so that a crash never causes a second one. It may be
 * about to get it several times, when connections fail before. Returns `false` if another process
 * has claimed the mail meanwhile, or if it is no longer wanted.
 */
export async function beginMail(
  storage: Storage,
  claimed: ProofMail,
  now: string,
): Promise<boolean> {
  const begun = await change(storage, claimed.mailboxId, (mail) => {
    const isOpen = mail?.state === "due" || mail?.state === "sending";
    if (!isOpen || !isSame(mail, claimed)) return undefined;
    const dueAt = addMs(now, CLAIM_MS);
    return { next: { ...mail, state: "sending", mailedAt: now, dueAt }, result: true };
  });
  return begun === true;
}

/** Prolongs the claim of a process that waits for the relay's reply to a mail. */
export async function keepMail(storage: Storage, claimed: ProofMail, now: string): Promise<void> {
  await change(storage, claimed.mailboxId, (mail) => {
    if (mail?.state !== "sending" || !isSame(mail, claimed)) return undefined;
    return { next: { ...mail, dueAt: addMs(now, CLAIM_MS) }, result: undefined };
  });
}

/** Records that a mail was sent, or may have been. */
export async function finishMail(storage: Storage, claimed: ProofMail): Promise<void> {
  await change(
    storage,
    claimed.mailboxId,
    (mail) =>
      mail !== undefined && isSame(mail, claimed)
        ? { next: end(mail, "sent"), result: undefined }
        : undefined,
  );
}

/**
 * Schedules another attempt for a mail. Returns `false` after the last attempt, or if the relay
 * refuses the mail permanently: then its items are dropped, and the next form causes a new mail.
 */
export async function postponeMail(
  storage: Storage,
  claimed: ProofMail,
  { isRefused, now }: { readonly isRefused: boolean; readonly now: string },
): Promise<boolean> {
  const waitMs = isRefused ? undefined : RETRY_MS[claimed.attempts - 1];
  const waiting = await change(storage, claimed.mailboxId, (mail) => {
    if (mail === undefined || !isSame(mail, claimed)) return undefined;
    const next: ProofMail = waitMs === undefined
      ? { ...end(mail, "none"), waiting: [] }
      : { ...mail, state: "due", dueAt: addMs(now, waitMs) };
    return { next, result: mail.waiting };
  });
  if (waitMs !== undefined) return true;
  for (const { pendingId } of waiting ?? []) await removeRecord(storage, PENDING, pendingId);
  if (waiting !== undefined) meterOf(storage).count("boardcast_sign_ups_total", "dropped");
  return false;
}

/** Tells whether a stored mail is still at the claimed attempt. */
function isSame(mail: ProofMail, { attempts, recipient }: ProofMail): boolean {
  return mail.attempts === attempts && mail.recipient === recipient;
}

/** Ends a mail and its items; the limit of one mail a day stays in force. */
export function endProof(mail: ProofMail): ProofMail {
  const state = mail.state === "none" ? "none" : "sent";
  return { ...end(mail, state), waiting: [] };
}

function end(mail: ProofMail, state: "sent" | "none"): ProofMail {
  return { ...mail, state, dueAt: null, recipient: null };
}

/**
 * Changes one mail; `decide` returns the changed mail and a result, or `undefined` for no change.
 */
function change<A>(
  storage: Storage,
  mailboxId: string,
  decide: (
    mail: ProofMail | undefined,
  ) => { readonly next: ProofMail; readonly result: A } | undefined,
): Promise<A | undefined> {
  const refs = { mail: { kind: PROOF_MAILS, key: mailboxId } };
  return storage.transact<typeof refs, A | undefined>(refs, ({ mail }) => {
    const changed = decide(mail);
    return { answer: changed?.result, put: { mail: changed?.next } };
  });
}
