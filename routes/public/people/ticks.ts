import { text } from "../../../model/declare.ts";
import { MAX_PENDING_OF_MAILBOX } from "../../../model/proof/pending.ts";
import type { ListedItem } from "../../../services/proof/pending.ts";

// More items than a mailbox may have, as two forms at once can exceed the limit.
const TICKS = Array.from({ length: 2 * MAX_PENDING_OF_MAILBOX }, (_, at) => `item${at + 1}`);
const TICK_FIELD = text("A ticked item.", undefined, { parse: (text: string) => text });
/** The fields of the ticks in a form. */
export const TICK_FIELDS: Readonly<Record<string, typeof TICK_FIELD>> = Object.fromEntries(
  TICKS.map((name) => [name, TICK_FIELD]),
);

/** Returns the items that are ticked in a form. */
export function readTicks(
  body: Readonly<Partial<Record<string, string | null>>>,
): ReadonlySet<string> {
  return new Set(TICKS.map((name) => body[name] ?? "").filter((tick) => tick !== ""));
}

/** Returns the value by which a form names a waiting item. */
export function tickOf({ pendingId }: ListedItem): string {
  return pendingId.slice(pendingId.indexOf("!") + 1);
}
