import type { Storage } from "../../adapters/storage.ts";
import { createDelivery, type Delivery, type WeekEntry } from "../../model/deliveries/delivery.ts";
import type { Week } from "../../model/deliveries/week.ts";
import { DELIVERIES, SETTINGS, SUBSCRIPTIONS } from "../../model/kinds.ts";
import type { FencedTransact } from "../leases.ts";
import { countRecords } from "../records.ts";
import { getChangelog } from "../changelog.ts";

// The setting with the last planned week, and the greatest delivery number up to that week.
const WEEKLY = "weekly";
// A week never has more deliveries.
const MAX_DELIVERIES = 500;

/** Returns the key of a week's delivery. No entry has this key. */
export function weekKey(week: string): string {
  return `week:${week}`;
}

/**
 * Tells whether the mail of a week still needs planning. A process whose clock is seconds ahead may
 * have planned the next week already: then it does not. After a clock that was weeks ahead, it
 * does.
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

function isOfEntry({ week, postId }: Delivery): boolean {
  return week === null && postId === null;
}

function contentsOf(newest: readonly Delivery[], last: number): readonly WeekEntry[] {
  return newest
    .filter((one) => isOfEntry(one) && one.number > last && one.state !== "cancelled")
    .map(({ entryId, number }) => ({ entryId, number }))
    .sort((a, b) => a.number - b.number);
}

/** Lists the entries collected for this week's mail, and those of a weekly mail in progress. */
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
 * Plans the mail of a week with the entries whose deliveries began since the previous weekly mail.
 * Plans none if there are no entries or no weekly subscribers. A planned mail stays as it is; the
 * first week has no mail.
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
