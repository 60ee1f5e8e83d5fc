import type { Storage } from "../../adapters/storage.ts";
import type { Cipher } from "../../model/crypto/cipher.ts";
import { sha256 } from "../../model/crypto/encoding.ts";
import { SETTINGS } from "../../model/kinds.ts";
import {
  MAX_PENDING,
  MAX_PENDING_OF_MAILBOX,
  PENDING,
  type Pending,
  type PendingIdea,
  type PendingItem,
  pendingPrefix,
  type PendingSignUp,
  type PendingVote,
  PROOF_MAILS,
  PROOF_VALID_MS,
  type ProofMail,
  type WaitingItem,
} from "../../model/proof/pending.ts";
import { addMs, EPOCH } from "../../model/values/time.ts";
import { all, change } from "../change.ts";
import { meterOf } from "../shared.ts";
import { countRecords, removeRecord } from "../records.ts";
import { isClosed } from "./closing.ts";
import { CLAIM_MS } from "./outbox.ts";
import { signUpState } from "./sign_ups.ts";
import { countDroppedForm, countFormMail, FORM_MAIL_COUNT, type FormMailRate } from "./rate.ts";
import { openCipher, ROTATED_AT } from "../privacy/sealed.ts";
import { mailboxIdOf } from "../privacy/erased.ts";

/**
 * The request in a form, before storage is read. Without `notify`, a repeated vote or idea keeps
 * the choice of the earlier form.
 */
export type RequestedItem =
  | (Omit<PendingVote, "notify"> | Omit<PendingIdea, "notify">) & {
    readonly notify?: boolean | undefined;
  }
  | Omit<PendingSignUp, "state">;

/** A submitted form with the person's address. */
export interface ProofRequest {
  /** The normal form of the address. */
  readonly userEmail: string;
  /**
   * The request that waits for proof; absent: the person only asks for the link to their own page.
   */
  readonly item?: RequestedItem | undefined;
  /** The board of the form; `null`: the changelog. */
  readonly boardId: string | null;
}

/**
 * The outcome of a form: a mail has to be sent (`mailed`), today's mail already leads to the item
 * (`withheld`), or nothing is stored (`dropped`).
 */
export type Admission = "mailed" | "withheld" | "dropped";

const DAY_MS = 86_400_000;

/**
 * Decides on a form. Limits are one mail a day per mailbox, a number of mails in total, and a
 * number of waiting items. Storage keeps the address only encrypted or hashed.
 */
export async function admitForm(
  storage: Storage,
  request: ProofRequest,
  limits: { readonly rate: FormMailRate; readonly at: string },
): Promise<Admission> {
  const admission = await admit(storage, request, limits);
  meterOf(storage).count("boardcast_sign_ups_total", admission);
  return admission;
}

async function admit(
  storage: Storage,
  { userEmail, item, boardId }: ProofRequest,
  { rate, at }: { readonly rate: FormMailRate; readonly at: string },
): Promise<Admission> {
  const mailboxId = await mailboxIdOf(storage, userEmail);
  const known = await storage.get(PROOF_MAILS, mailboxId);
  const pendingId = item === undefined
    ? null
    : `${pendingPrefix(mailboxId)}${await sha256(identityOf(item))}`;
  // Most requests of a script end here, after one or two reads.
  const endedAt = (await storage.get(SETTINGS, ROTATED_AT))?.value ?? EPOCH;
  const hadMail = known !== undefined && hasMailOfToday(known, { at, endedAt });
  const limits = { rate, at };
  const counted = await storage.get(SETTINGS, FORM_MAIL_COUNT);
  if (!hadMail && countFormMail(counted, limits) === undefined) {
    return await change<Admission>(storage, function* ({ read, put }) {
      put(SETTINGS, countDroppedForm(yield* read(SETTINGS, FORM_MAIL_COUNT), limits));
      return "dropped";
    });
  }
  if (await isClosed(storage, userEmail)) return "dropped";
  if (item !== undefined) await makeRoom(storage);
  const cipher = await openCipher(storage, "pending");
  const recipient = cipher.encrypt(userEmail);
  const state = item?.type === "sign-up" ? await signUpState(storage, userEmail) : "";
  const expiresAt = addMs(at, PROOF_VALID_MS);
  // The mail may be sent some hours later, and its link must then be valid for the usual time.
  const mailExpiresAt = addMs(expiresAt, DAY_MS);
  let surplus: string | undefined;
  const admission = await change<Admission>(storage, function* ({ read, put, remove }) {
    const [mail, count, before] = yield* all(
      read(PROOF_MAILS, mailboxId),
      read(SETTINGS, FORM_MAIL_COUNT),
      read(PENDING, pendingId),
    );
    const hasMail = mail !== undefined && hasMailOfToday(mail, { at, endedAt });
    const counted = hasMail ? count : countFormMail(count, limits);
    if (counted === undefined) {
      put(SETTINGS, countDroppedForm(count, limits));
      return "dropped";
    }
    put(SETTINGS, counted);
    const base = hasMail ? mail : newMail({ mailboxId, recipient, boardId, itemId: pendingId }, at);
    const others = waitingIn(mail, at).filter((one) => one.pendingId !== pendingId);
    surplus = pendingId === null ? undefined : oldestBeyond(others, base.itemId);
    const kept = others.filter((one) => one.pendingId !== surplus);
    const waiting = pendingId === null ? others : [...kept, { pendingId, expiresAt }];
    put(PROOF_MAILS, { ...base, waiting, expiresAt: mailExpiresAt });
    if (item !== undefined && pendingId !== null) {
      const next = nextContent(item, { before, state, cipher }, at);
      put(PENDING, { pendingId, ...next, expiresAt });
    }
    if (surplus !== undefined) {
      yield* read(PENDING, surplus);
      remove(PENDING, surplus);
    }
    return hasMail ? "withheld" : "mailed";
  });
  if (surplus !== undefined) meterOf(storage).count("boardcast_sign_ups_total", "dropped");
  return admission;
}

function newMail(
  form: Pick<ProofMail, "mailboxId" | "recipient" | "boardId" | "itemId">,
  at: string,
): Omit<ProofMail, "waiting" | "expiresAt"> {
  const dueAt = addMs(at, CLAIM_MS);
  return { ...form, state: "due", mailedAt: at, dueAt, attempts: 1 };
}

/** Returns the items that still wait for a mailbox. */
export function waitingIn(mail: ProofMail | undefined, at: string): readonly WaitingItem[] {
  return (mail?.waiting ?? []).filter(({ expiresAt }) => at < expiresAt);
}

/** Tells whether a link of the last day leads to what waits; all links may have ended at a time. */
function hasMailOfToday(
  { state, mailedAt }: ProofMail,
  { at, endedAt }: { readonly at: string; readonly endedAt: string },
): boolean {
  if (state === "none" || mailedAt <= endedAt) return false;
  // The clock may have been set back since the mail was sent.
  return at < addMs(mailedAt, DAY_MS) && mailedAt < addMs(at, DAY_MS);
}

/**
 * Returns the item of a mailbox that goes when another comes: the oldest for which the day's mail
 * was not sent; `undefined` below the limit.
 */
function oldestBeyond(
  waiting: readonly WaitingItem[],
  itemId: string | null,
): string | undefined {
  if (waiting.length < MAX_PENDING_OF_MAILBOX) return undefined;
  return waiting.find(({ pendingId }) => pendingId !== itemId)?.pendingId;
}

/** Removes the oldest waiting items if their limit is reached. */
async function makeRoom(storage: Storage): Promise<void> {
  while (await countRecords(storage, PENDING, "byExpiry") >= MAX_PENDING) {
    const [oldest] = await storage.list(PENDING, { index: "byExpiry", limit: 1 });
    if (oldest === undefined) return;
    await removeRecord(storage, PENDING, oldest.pendingId);
    meterOf(storage).count("boardcast_sign_ups_total", "dropped");
  }
}

/**
 * Returns the content of a pending item after a form. A repeated vote or idea stays as it is, with
 * its time, unless the form changes whether the person asks for mail.
 */
function nextContent(
  item: RequestedItem,
  { before, state, cipher }: {
    readonly before: Pending | undefined;
    /** See {@linkcode signUpState}. */
    readonly state: string;
    readonly cipher: Cipher;
  },
  at: string,
): Pick<Pending, "content" | "createdAt"> {
  const encrypt = (next: PendingItem) => cipher.encrypt(JSON.stringify(next));
  const createdAt = before?.createdAt ?? at;
  if (item.type === "sign-up") return { content: encrypt({ ...item, state }), createdAt };
  const isWaiting = before !== undefined && at < before.expiresAt;
  const text = isWaiting ? cipher.decrypt(before.content) : undefined;
  if (!isWaiting || text === undefined) {
    return { content: encrypt({ ...item, notify: item.notify === true }), createdAt: at };
  }
  const current: PendingVote | PendingIdea = JSON.parse(text);
  if (item.notify === undefined || item.notify === current.notify) {
    return { content: before.content, createdAt };
  }
  // The page with the link may show the item as it was, and must not confirm more than that.
  return { content: encrypt({ ...current, notify: item.notify }), createdAt: at };
}

/** Returns a text by which a repeated form is recognized: both have the same. */
function identityOf(item: RequestedItem): string {
  switch (item.type) {
    case "sign-up":
      return item.type;
    case "vote":
      return `vote ${item.postId}`;
    case "idea":
      return JSON.stringify([item.boardId, item.title, item.body]);
  }
}
