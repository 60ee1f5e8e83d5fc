import type { Storage } from "../../adapters/storage.ts";
import { createDelivery, type Delivery, type WeekEntry } from "../../model/deliveries/delivery.ts";
import type { Week } from "../../model/deliveries/week.ts";
import { DELIVERIES, SETTINGS, SUBSCRIPTIONS } from "../../model/kinds.ts";
import { getChangelog } from "../entries/entries.ts";
import type { FencedTransact } from "../leases.ts";
import { countRecords } from "../records.ts";

// Holds the last week that was planned, and the greatest number of a delivery in it or before.
const WEEKLY = "weekly";
// A week has fewer.
const MAX_DELIVERIES = 500;

/** Returns the key of the delivery of a week, which no entry has. */
export function weekKey(week: string): string {
  return `week:${week}`;
}

/**
 * Tells whether the mail of a week is still to be planned: not where a process whose clock is seconds ahead
 * has planned the next one, but where one was weeks ahead.
 */
export async function isUnplanned(
  storage: Storage,
  { week, nextWeek }: Pick<Week, "week" | "nextWeek">,
): Promise<boolean> {
  const planned = (await storage.get(SETTINGS, WEEKLY))?.value.split(" ")[0];
  return planned !== week && planned !== nextWeek;
}

function listNewest(storage: Storage): Promise<readonly Delivery[]> {
  return storage.list(DELIVERIES, { index: "byDue", limit: MAX_DELIVERIES, reverse: true });
}

function contentsOf(newest: readonly Delivery[], last: number): readonly WeekEntry[] {
  return newest
    .filter((one) => one.week === null && one.number > last && one.state !== "cancelled")
    .map(({ entryId, number }) => ({ entryId, number }))
    .sort((a, b) => a.number - b.number);
}

/** Lists what the mail of this week has so far, and what one that is under way has. */
export async function listWeekSoFar(storage: Storage): Promise<readonly WeekEntry[]> {
  const known = await storage.get(SETTINGS, WEEKLY);
  if (known === undefined) return [];
  const newest = await listNewest(storage);
  const underWay = newest.filter(({ week, finishedAt }) => week !== null && finishedAt === null);
  return [
    ...underWay.flatMap(({ contents }) => contents),
    ...contentsOf(newest, Number(known.value.split(" ")[1])),
  ];
}

/**
 * Plans the mail of a week with the entries whose deliveries began since the last one; none where there is
 * nothing, or nobody wants it. What is planned already stays; the first week has nothing.
 */
export async function planWeek(
  storage: Storage,
  transact: FencedTransact,
  { week, dueAt }: Week,
): Promise<void> {
  const known = await storage.get(SETTINGS, WEEKLY);
  const last = Number(known?.value.split(" ")[1] ?? (await getChangelog(storage))?.version ?? 0);
  const contents = contentsOf(await listNewest(storage), last);
  const isWanted = known !== undefined && contents.length > 0 &&
    await countRecords(storage, SUBSCRIPTIONS, "weekly") > 0;
  const number = Math.max(last, ...contents.map(({ number }) => number));
  const refs = {
    setting: { kind: SETTINGS, key: WEEKLY },
    delivery: { kind: DELIVERIES, key: weekKey(week) },
  };
  await transact(refs, ({ setting, delivery: planned }) => {
    if (setting?.value !== known?.value) return { answer: undefined };
    const value = planned === undefined ? `${week} ${number}` : `${week} ${last}`;
    const created: Delivery = createDelivery(weekKey(week), dueAt, { week, contents });
    const delivery = planned ?? (isWanted ? created : undefined);
    return { answer: undefined, put: { setting: { settingId: WEEKLY, value }, delivery } };
  });
}
