import { grantsScope } from "../../model/keys/api_key.ts";
import { pick } from "../../model/declare.ts";
import { ENTRY } from "../../model/entries/entry.ts";
import { type Caller, insufficientScope } from "../_http/credentials.ts";
import type { Instant } from "../_http/instant.ts";
import type { Problem } from "../_http/problem.ts";

/** The path of all entries. */
export const ENTRIES_PATH = "/api/v1/changelogs/entries";
/** The path of one entry. */
export const ENTRY_PATH = `${ENTRIES_PATH}/:entryId` as const;

/** The scope that it takes to change what readers see, or will see. */
export const PUBLISHING = "entries:publish";
/** The problem of a caller without it. */
export const NOT_PUBLISHING: Problem = insufficientScope([PUBLISHING]);

/** Tells who changes an entry, and whether they may change what readers see. */
export function authorOf(
  caller: Caller,
  now: Instant,
): { readonly by: string; readonly at: string; readonly mayPublish: boolean } {
  return { by: caller.name, at: now.text, mayPublish: grantsScope(caller.scopes, PUBLISHING) };
}

/** The fields of an entry that callers set. */
export const ENTRY_FIELDS: Pick<
  typeof ENTRY.fields,
  "entryId" | "title" | "body" | "labels" | "url" | "posts"
> = pick(ENTRY.fields, "entryId", "title", "body", "labels", "url", "posts");
