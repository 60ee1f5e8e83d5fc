import { grantsScope } from "../../model/keys/api_key.ts";
import { pick } from "../../model/declare.ts";
import { ENTRY } from "../../model/entries/entry.ts";
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

/** The fields of an entry that callers may set. */
export const ENTRY_FIELDS: Pick<
  typeof ENTRY.fields,
  "entryId" | "title" | "body" | "labels" | "url" | "posts"
> = pick(ENTRY.fields, "entryId", "title", "body", "labels", "url", "posts");
