import {
  applySubscriptionChange,
  type Subscription,
  type SubscriptionChange,
} from "../../model/subscription.ts";
import type { Parameter } from "./statement.ts";
import { toMs } from "./values.ts";

// How the rule for changes stays in the model while one statement reads and writes: what a
// series of changes makes of an address depends only on whether it is stored, whether it is
// subscribed, and whether its name is the first one that the series gives. The series is
// played through for each of these cases; the server picks the case that it finds.

/** The changes of one address, in their order, and where their answers belong. */
export interface Series {
  /** The address. */
  readonly userEmail: string;
  /** What is to be done, at least one change. */
  readonly changes: SubscriptionChange[];
  /** The position of each change among all changes. */
  readonly positions: number[];
}

const UNTOUCHED = "";

/** Groups changes by their address. */
export function toSeries(changes: readonly SubscriptionChange[]): readonly Series[] {
  const byEmail = new Map<string, Series>();
  for (const [position, change] of changes.entries()) {
    const { userEmail } = change;
    const series = byEmail.get(userEmail);
    if (series === undefined) {
      byEmail.set(userEmail, { userEmail, changes: [change], positions: [position] });
    } else {
      series.changes.push(change);
      series.positions.push(position);
    }
  }
  return [...byEmail.values()];
}

/**
 * Plays the series through. Returns columns, each with a value for each series: the address;
 * the last name given; the first name given; the state and the times (created, updated) of a
 * new address; then for an address that is subscribed the state, the time of the last change
 * where its name is the first one given, and where it is another; and the same for an address
 * that is unsubscribed. A time is `null` where nothing changes.
 */
export function toCases(all: readonly Series[]): readonly (readonly Parameter[])[] {
  const columns: Parameter[][] = Array.from({ length: 12 }, () => []);
  for (const { userEmail, changes } of all) {
    const fresh = play(changes, undefined);
    const first = changes.find((change) => change.userName !== null)?.userName ?? null;
    const row = [
      userEmail,
      fresh.userName,
      first,
      fresh.subscribed,
      toMs(fresh.createdAt),
      toMs(fresh.updatedAt),
      ...playStored(changes, true, first),
      ...playStored(changes, false, first),
    ];
    for (let i = 0; i < row.length; i++) columns[i].push(row[i]);
  }
  return columns;
}

function playStored(
  changes: readonly SubscriptionChange[],
  subscribed: boolean,
  first: string | null,
): readonly Parameter[] {
  const same = play(changes, probe(subscribed, first));
  // No name stands for every name but the first, and where none is given they are all alike.
  const renamed = first === null ? same : play(changes, probe(subscribed, null));
  return [same.subscribed, changeMs(same), changeMs(renamed)];
}

function probe(subscribed: boolean, userName: string | null): Subscription {
  return { userEmail: "", userName, subscribed, createdAt: UNTOUCHED, updatedAt: UNTOUCHED };
}

function changeMs({ updatedAt }: Subscription): number | null {
  return updatedAt === UNTOUCHED ? null : toMs(updatedAt);
}

function play(
  changes: readonly SubscriptionChange[],
  current: Subscription | undefined,
): Subscription {
  let state = current;
  for (const change of changes) state = applySubscriptionChange(state, change);
  return state!;
}
