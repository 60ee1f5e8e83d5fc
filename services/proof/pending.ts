import type { Storage } from "../../adapters/storage.ts";
import {
  MAX_PENDING_OF_MAILBOX,
  PENDING,
  type Pending,
  type PendingItem,
  pendingPrefix,
  PROOF_MAILS,
} from "../../model/proof/pending.ts";
import type { Cipher } from "../../model/crypto/cipher.ts";
import { removeRecord, replaceRecord } from "../records.ts";
import { removeWhere } from "../removals.ts";
import { meterOf } from "../shared.ts";
import { createPost } from "../posts/create.ts";
import { castVote } from "../posts/votes/votes.ts";
import { ERASURE_COUNT, erasureCountOf, mailboxIdOf } from "../privacy/erased.ts";
import { isLinkValid, type ProofLink } from "./links.ts";
import { confirmSignUp, signUpState } from "./sign_ups.ts";
import { openCipher } from "../privacy/sealed.ts";

/** A waiting item, and the key of its record. */
export interface ListedItem {
  readonly pendingId: string;
  readonly item: PendingItem;
  /** RFC 3339, UTC, milliseconds. */
  readonly createdAt: string;
}

/** An item after its confirmation; `isDone` tells whether it took effect. */
export interface ConfirmedItem {
  readonly item: PendingItem;
  readonly isDone: boolean;
}

/** Lists the items that wait for an address, oldest first. */
export async function listPending(
  storage: Storage,
  userEmail: string,
  at: string,
): Promise<readonly ListedItem[]> {
  const within = pendingPrefix(await mailboxIdOf(storage, userEmail));
  const page = await storage.list(PENDING, { within, limit: 2 * MAX_PENDING_OF_MAILBOX });
  const own = page.filter(({ expiresAt }) => at < expiresAt);
  if (own.length === 0) return [];
  const cipher = await openCipher(storage, "pending");
  const state = await signUpState(storage, userEmail);
  return own.map((record) => readItem(cipher, record))
    .filter((one) => one !== undefined)
    // An opt-out after the form cancels a sign-up.
    .filter(({ item }) => item.type !== "sign-up" || item.state === state)
    .sort((a, b) => a.createdAt < b.createdAt ? -1 : 1);
}

/** Returns the type of a waiting item; `undefined` if it waits no more. */
export async function readItemType(
  storage: Storage,
  pendingId: string | null,
): Promise<PendingItem["type"] | undefined> {
  const record = pendingId === null ? undefined : await storage.get(PENDING, pendingId);
  const listed = record && readItem(await openCipher(storage, "pending"), record);
  return listed?.item.type;
}

function readItem(
  cipher: Cipher,
  { pendingId, content, createdAt }: Pending,
): ListedItem | undefined {
  const text = cipher.decrypt(content);
  return text === undefined ? undefined : { pendingId, item: JSON.parse(text), createdAt };
}

/**
 * Carries out the items that wait for the owner of a link, or only those that their page showed.
 * Returns the outcome of each item; `undefined` if the link is no longer valid. After a crash, the
 * next call carries out the rest.
 */
export async function confirmPending(
  storage: Storage,
  link: ProofLink,
  { at, until, only }: {
    readonly at: string;
    /** The creation of the newest item that the page showed. */
    readonly until?: string | undefined;
    /** The ticked items; absent: all. */
    readonly only?: ReadonlySet<string> | undefined;
  },
): Promise<readonly ConfirmedItem[] | undefined> {
  const confirmed: (ListedItem & ConfirmedItem)[] = [];
  for (;;) {
    const erasures = erasureCountOf(await storage.get(ERASURE_COUNT.kind, ERASURE_COUNT.key));
    if (!await isLinkValid(storage, link, at)) {
      if (confirmed.length === 0) return undefined;
      break;
    }
    const [next] = (await listPending(storage, link.userEmail, at))
      .filter(({ pendingId, createdAt }) =>
        (until === undefined || createdAt <= until) && only?.has(pendingId) !== false
      );
    if (next === undefined) break;
    const outcome = await confirmItem(storage, { ...next, link, erasures }, at);
    // An erasure happened meanwhile, so the link is checked again.
    if (outcome === "erased") continue;
    if (outcome === "done" && next.item.type !== "sign-up") {
      meterOf(storage).count("boardcast_sign_ups_total", "confirmed");
    }
    await removeRecord(storage, PENDING, next.pendingId);
    confirmed.push({ ...next, isDone: outcome === "done" });
  }
  await forgetWaiting(storage, link.userEmail, confirmed.map(({ pendingId }) => pendingId));
  return confirmed.map(({ item, isDone }) => ({ item, isDone }));
}

async function confirmItem(
  storage: Storage,
  { pendingId, item, link: { userEmail }, erasures }: Omit<ListedItem, "createdAt"> & {
    readonly link: ProofLink;
    readonly erasures: string;
  },
  at: string,
): Promise<"done" | "refused" | "erased"> {
  const source = "form";
  const common = { source, keyId: null, at, erasures } as const;
  switch (item.type) {
    case "sign-up":
      return await confirmSignUp(storage, { userEmail, pendingId, item }, at) ? "done" : "refused";
    case "vote": {
      const { postId, boardId } = item;
      // A vote without a request to be told leaves an earlier request as it was.
      const notify = item.notify || undefined;
      const request = { ...common, postId, boardId, userEmail, vote: true, notify };
      return toResult(await castVote(storage, request));
    }
    case "idea": {
      const { postId, boardId, title, body, notify } = item;
      const author = { userEmail, userName: null, notify };
      const request = { ...common, postId, boardId, title, body, author };
      const created = await createPost(storage, request);
      // A crash happened between this step and the removal of the item.
      return created === "post_exists" ? "done" : toResult(created);
    }
  }
}

function toResult(outcome: object | string): "done" | "refused" | "erased" {
  return typeof outcome === "object" ? "done" : outcome === "erased" ? outcome : "refused";
}

/** Tells whether any item waits for a mailbox. */
export async function hasPending(storage: Storage, userEmail: string): Promise<boolean> {
  const within = pendingPrefix(await mailboxIdOf(storage, userEmail));
  return (await storage.list(PENDING, { within, limit: 1 })).length > 0;
}

/** Removes all waiting items of a mailbox without reading them. */
export async function dropPending(storage: Storage, userEmail: string): Promise<void> {
  const within = pendingPrefix(await mailboxIdOf(storage, userEmail));
  await removeWhere(storage, PENDING, { within });
  await forgetWaiting(storage, userEmail);
}

/** Subtracts some items, or all, from the mailbox's count of waiting items. */
async function forgetWaiting(
  storage: Storage,
  userEmail: string,
  pendingIds?: readonly string[],
): Promise<void> {
  if (pendingIds?.length === 0) return;
  const mailboxId = await mailboxIdOf(storage, userEmail);
  await replaceRecord(storage, { kind: PROOF_MAILS, key: mailboxId }, (mail) => ({
    ...mail,
    waiting: mail.waiting.filter(({ pendingId }) => pendingIds?.includes(pendingId) === false),
  }));
}
