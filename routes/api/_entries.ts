import { grantsScope } from "../../model/keys/api_key.ts";
import type { Storage } from "../../adapters/storage.ts";
import { count, object, type Settable, settable, textOrNull } from "../../model/declare.ts";
import { DELIVERIES } from "../../model/kinds.ts";
import { ENTRY, type Entry } from "../../model/entries/entry.ts";
import { countAskers } from "../../services/deliveries/counts.ts";
import { type Caller, insufficientScope } from "../_http/credentials.ts";
import type { Instant } from "../../model/values/time.ts";
import type { Problem } from "../_http/problem.ts";

export const ENTRIES_PATH = "/api/v1/changelogs/entries";
export const ENTRY_PATH = `${ENTRIES_PATH}/:entryId` as const;

/** The scope that permits changes of what readers see now or later. */
export const PUBLISHING = "entries:publish";
/** The problem for a caller without that scope. */
export const NOT_PUBLISHING: Problem = insufficientScope([PUBLISHING]);

/** Returns the author of a change, and whether they may change what readers see. */
export function authorOf(
  caller: Caller,
  now: Instant,
): { readonly by: string; readonly at: string; readonly mayPublish: boolean } {
  return { by: caller.name, at: now.text, mayPublish: grantsScope(caller.scopes, PUBLISHING) };
}

const ASKED = count(
  "How many people asked to be told of the posts that the entry ships, each counted once. Absent " +
    "where it ships none, and without `subscriptions:read`.",
  41,
);
const ASKED_SUBSCRIBED = count(
  "How many of these would get the entry as subscribers, too. They get it once. Absent where " +
    "`asked` is.",
  12,
);

export const LISTED_ENTRY = object("ListedEntry", ENTRY.description, {
  ...ENTRY.fields,
  deliveryId: {
    ...textOrNull(
      "Its delivery; `null`: it has none. Absent without `entries:read`.",
      "cf71e923e177566b",
    ),
    optional: true,
  },
});

/** An entry in the response of an operation on a single entry. */
export const ENTRY_RESPONSE = object("EntryAnswer", ENTRY.description, {
  ...LISTED_ENTRY.fields,
  asked: { ...ASKED, optional: true },
  askedSubscribed: { ...ASKED_SUBSCRIBED, optional: true },
});

/** Returns the identifier of an entry's delivery; `null` if it has none. */
export async function deliveryIdOfEntry(
  storage: Storage,
  { entryId }: Pick<Entry, "entryId">,
): Promise<string | null> {
  return (await storage.get(DELIVERIES, entryId))?.deliveryId ?? null;
}

/** The members of the response about an entry besides its fields. */
interface ShownAlso {
  readonly deliveryId: string | null;
  readonly asked?: number;
  readonly askedSubscribed?: number;
}

/**
 * Returns what the response about an entry shows besides its fields: its delivery, and how many
 * people asked for what it ships. `undefined` if the caller may not know either.
 */
export async function readMore(
  { storage, caller, isGone }: {
    readonly storage: Storage;
    readonly caller: Caller;
    readonly isGone: () => boolean;
  },
  entry: Entry,
): Promise<ShownAlso | undefined> {
  if (!grantsScope(caller.scopes, "entries:read")) return undefined;
  const deliveryId = await deliveryIdOfEntry(storage, entry);
  const mayCount = entry.posts.length > 0 && grantsScope(caller.scopes, "subscriptions:read");
  return { deliveryId, ...mayCount && await countAskers(storage, entry, { isGone }) };
}

/** The fields of an entry that callers may set. */
export const ENTRY_FIELDS: Settable<typeof ENTRY.fields> = settable(ENTRY.fields);
