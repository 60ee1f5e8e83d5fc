import { grantsScope } from "../../model/keys/api_key.ts";
import type { Storage } from "../../adapters/storage.ts";
import { answer, count, type Settable, settable } from "../../model/declare.ts";
import { ENTRY, type Entry } from "../../model/entries/entry.ts";
import { countAskers } from "../../services/deliveries/counts.ts";
import { type Caller, insufficientScope } from "../_http/credentials.ts";
import type { Instant } from "../_http/instant.ts";
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

/** An entry in the response of an operation on a single entry. */
export const ENTRY_ANSWER = answer("EntryAnswer", ENTRY.description, {
  ...ENTRY.fields,
  asked: { ...ASKED, optional: true },
});

/**
 * Counts the people who asked for what an entry ships, as the answer shows it; `undefined` if it
 * ships nothing, or the caller may not know.
 */
export async function readAsked(
  { storage, caller, isGone }: {
    readonly storage: Storage;
    readonly caller: Caller;
    readonly isGone: () => boolean;
  },
  { posts }: Entry,
): Promise<{ readonly asked: number } | undefined> {
  const mayRead = grantsScope(caller.scopes, "entries:read") &&
    grantsScope(caller.scopes, "subscriptions:read");
  if (posts.length === 0 || !mayRead) return undefined;
  return { asked: await countAskers(storage, posts, { isGone }) };
}

/** The fields of an entry that callers may set. */
export const ENTRY_FIELDS: Settable<typeof ENTRY.fields> = settable(ENTRY.fields);
