import type { Storage } from "../../adapters/storage.ts";
import { DEFERRALS, DELIVERIES, SUBSCRIPTIONS } from "../../model/kinds.ts";
import { type Deferral, dueAtOf, isDeferralDue } from "../../model/deliveries/mail_outcome.ts";
import { wants } from "../../model/subscriptions/choices.ts";
import { createYielder } from "../../model/turns.ts";
import { AFTER_TIMES, sortKeyOf } from "../../model/values/time.ts";
import type { FencedTransact } from "../leases.ts";
import type { ListCandidates } from "./rounds.ts";
import { countRecords, listEnds, readPages } from "../records.ts";
import { removeWhere } from "../removals.ts";

/** A person to whom a delivery's mail is due. */
export interface Recipient {
  readonly userEmail: string;
  /** The position in the order of the round; `undefined` for a further attempt. */
  readonly place?: string | undefined;
  /** The deferral that is due; `undefined` for the first attempt. */
  readonly deferral: Deferral | undefined;
  /** The number of times that the relay has deferred the mail. */
  readonly attempts: number;
  /** The number of people since the previous recipient who chose other labels. */
  readonly passed: number;
}

export interface RecipientQuery {
  readonly now: string;
  /** Lists the people of the round. */
  readonly list: ListCandidates;
  /** Tells whether a mail to a person is in flight; the list omits this person. */
  readonly isInFlight?: (userEmail: string) => boolean;
}

/** The address in a list item that carries only a position: nobody is mailed. */
export const NOBODY = "";

// Limit of one list of recipients.
const MAX_LISTED = 24;
// Pages are larger than lists, so that finding recipients stays fast when few people get a mail.
const PAGE_SIZE = 500;
const MAX_PAGES = 20;
const MAX_RETRIES = MAX_LISTED / 2;
// Leaves room for deferrals whose mails are in flight.
const MAX_DEFERRALS = 100 + MAX_RETRIES;

/**
 * Lists some people to whom a mail is due: first attempts, then further ones, up to half of the
 * list, so that neither kind starves. First attempts lead, because a further attempt may be the one
 * at which the relay fails. After many people who get no mail, the list ends with
 * {@linkcode NOBODY} at the position reached, so that other work gets its turn.
 */
export async function listRecipients(
  storage: Storage,
  { entryId, cursor }: { readonly entryId: string; readonly cursor: string | null },
  { now, list, isInFlight = () => false }: RecipientQuery,
): Promise<readonly Recipient[]> {
  const retries = (await listDeferrals(storage, entryId))
    .filter((deferral) => isDeferralDue(deferral, now) && !isInFlight(deferral.userEmail))
    .slice(0, MAX_RETRIES);
  const further = retries.map((deferral): Recipient => {
    const { userEmail, attempts } = deferral;
    return { userEmail, deferral, attempts, passed: 0 };
  });
  const maxFirst = MAX_LISTED - further.length;
  const first: Recipient[] = [];
  const yieldIfBusy = createYielder();
  let after = cursor;
  let passed = 0;
  for (let pages = 0; pages < MAX_PAGES && first.length < maxFirst; pages++) {
    const limit = pages === 0 ? MAX_LISTED : PAGE_SIZE;
    const page = await list(after, limit);
    for (const { userEmail, place, verdict } of page) {
      after = place;
      if (verdict === "labels") passed++;
      if (verdict !== "wanted") continue;
      first.push({ userEmail, place, deferral: undefined, attempts: 0, passed });
      passed = 0;
      if (first.length === maxFirst) return [...first, ...further];
    }
    if (page.length < limit) break;
    await yieldIfBusy();
  }
  const last = { userEmail: NOBODY, place: `${after}`, deferral: undefined, attempts: 0 };
  const isNews = after !== cursor && after !== first.at(-1)?.place;
  return [...first, ...(isNews ? [{ ...last, passed }] : []), ...further];
}

/** Time limit for counting an audience, in milliseconds. */
const MAX_COUNT_MS = 1_000;

/**
 * Counts the people who would be mailed an entry with these labels now: in pages, for a second at
 * most, and only while the client is connected. Extrapolates the rest from the pages read, because
 * the order of ids is unrelated to people's choices.
 */
export async function countAudience(
  storage: Storage,
  labels: readonly string[],
  { isGone, elapsed = () => performance.now() }: {
    readonly isGone: () => boolean;
    /** A monotonic clock, in milliseconds. */
    readonly elapsed?: () => number;
  },
): Promise<{ readonly each: number; readonly weekly: number; readonly exact: boolean }> {
  const endMs = elapsed() + MAX_COUNT_MS;
  const counts = { each: 0, weekly: 0 };
  let seen = 0;
  for await (const page of readPages(storage, SUBSCRIPTIONS, { index: "subscribed" })) {
    seen += page.length;
    for (const person of page) if (wants(person, labels)) counts[person.pace]++;
    if (elapsed() < endMs && !isGone()) continue;
    const all = await countRecords(storage, SUBSCRIPTIONS, "subscribed");
    if (all <= seen) break;
    const estimate = (count: number) => Number((count * all / seen).toPrecision(2));
    return { each: estimate(counts.each), weekly: estimate(counts.weekly), exact: false };
  }
  return { ...counts, exact: true };
}

/** Returns when the next deferral of an entry is due; `null` if there is none. */
export async function nextRetry(
  storage: Storage,
  entryId: string,
  now: string,
): Promise<string | null> {
  const deferrals = await listDeferrals(storage, entryId);
  if (deferrals.some((deferral) => isDeferralDue(deferral, now))) return now;
  return deferrals.length === 0 ? null : dueAtOf(deferrals[0]);
}

/** Removes the deferrals of ended or deleted deliveries. */
export async function removeOrphans(storage: Storage, transact: FencedTransact): Promise<void> {
  const yieldIfBusy = createYielder();
  for (let after = "";;) {
    await yieldIfBusy();
    const query = { index: "byPlace", after: { by: after, key: "" }, limit: 1 };
    const [first] = await storage.list(DEFERRALS, query);
    if (first === undefined) return;
    const { entryId } = first;
    const delivery = await storage.get(DELIVERIES, entryId);
    const isOn = delivery && delivery.startedAt !== null && delivery.finishedAt === null;
    if (!isOn) {
      const removal = { index: "byPlace", within: sortKeyOf(entryId, ""), transact };
      if (!await removeWhere(storage, DEFERRALS, removal)) return;
    }
    after = sortKeyOf(entryId, AFTER_TIMES);
  }
}

function listDeferrals(storage: Storage, entryId: string): Promise<readonly Deferral[]> {
  const limits = { first: MAX_DEFERRALS, last: MAX_RETRIES };
  return listEnds(storage, DEFERRALS, {
    index: "byPlace",
    within: sortKeyOf(entryId, ""),
    ...limits,
  });
}
