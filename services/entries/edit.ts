import type { Storage } from "../../adapters/storage.ts";
import type { Entry } from "../../model/entries/entry.ts";
import { DELIVERIES, ENTRIES } from "../../model/kinds.ts";
import {
  type Authorship,
  changeEntry,
  entryStateAt,
  wasEverPublic,
} from "../../model/entries/publication.ts";
import { applyChange } from "../../model/resource.ts";
import { Refusal } from "../../model/values/refusal.ts";
import { all, change, type ChangeTools, type Reading } from "../change.ts";
import type { ChangeFault, IsExpected } from "../conditional.ts";
import { removeDeliveryFailures } from "../deliveries/failures.ts";
import { changeWithEvents } from "../webhooks/events.ts";
import { advanceChangelog, ENTRY_EVENTS } from "./entries.ts";
import { linkPosts, movePosts, resolvePosts } from "./shipped_posts.ts";

/** The conditions under which an entry is changed. */
export interface EntryCondition extends Authorship {
  readonly isExpected: IsExpected<Entry>;
  /** Whether the caller may change entries that readers see or, once scheduled, will see. */
  readonly mayPublish: boolean;
}

/** A change of an entry; fields that are absent stay as they are. */
export interface EntryEdit extends EntryCondition {
  readonly change: Partial<Entry>;
}

/** The reason why an entry was not changed: `taken` and `fixed` concern its `entryId`. */
export type EntryFault = ChangeFault | "not_a_draft" | "taken" | "fixed";

/**
 * Creates a draft and, in the same step, links the posts that it ships. Returns the draft, or the
 * reason why it was not created.
 */
export async function createEntry(
  storage: Storage,
  draft: Entry,
): Promise<Entry | "taken" | Refusal> {
  const { entryId, createdAt: at } = draft;
  const posts = await resolvePosts(storage, draft.posts, entryId);
  if (posts instanceof Refusal) return posts;
  return await change<Entry | "taken" | Refusal>(storage, function* (tools) {
    if (yield* tools.read(ENTRIES, entryId)) return "taken";
    const created = { ...draft, posts };
    const before = { entryId, posts: [] };
    const refusal = yield* linkPosts(tools, { before, after: created, at });
    if (refusal !== undefined) return refusal;
    tools.put(ENTRIES, created);
    return created;
  });
}

/** Changes an entry if it is as expected; returns the changed entry. Mails nobody. */
export async function updateEntry(
  storage: Storage,
  entryId: string,
  update: EntryEdit,
): Promise<Entry | EntryFault | Refusal> {
  const { at, change: { posts } } = update;
  const { entryId: renamed = entryId } = update.change;
  const resolved = posts && await resolvePosts(storage, posts, entryId);
  return await changeWithEvents<Entry | EntryFault | Refusal>(storage, function* (tools) {
    const stored = yield* tools.read(ENTRIES, entryId);
    if (stored === undefined) return "not_found";
    if (resolved instanceof Refusal) return resolved;
    const fault = faultOf(stored, update) ??
      (renamed === entryId ? undefined : yield* faultOfRenaming(tools, stored, { renamed, at }));
    if (fault !== undefined) return fault;
    const fields = resolved === undefined ? update.change : { ...update.change, posts: resolved };
    const apply = (entry: Entry) => edit(entry, { ...update, change: fields });
    const { next: entry = stored, events } = changeEntry(stored, at, apply);
    if (entry === stored) return entry;
    if (resolved !== undefined || renamed !== entryId) {
      const refusal = yield* linkPosts(tools, { before: stored, after: entry, at });
      if (refusal !== undefined) return refusal;
    } else if (entry.announceAt !== stored.announceAt) yield* movePosts(tools, entry, at);
    if (renamed !== entryId) tools.remove(ENTRIES, entryId);
    tools.put(ENTRIES, entry);
    yield* advanceChangelog(tools, at, [stored]);
    events.forEach(tools.tell);
    return entry;
  }, { types: ENTRY_EVENTS, at });
}

/** Only an entry that was never public changes its identifier, which nobody outside can know. */
function* faultOfRenaming(
  { read }: ChangeTools,
  entry: Entry,
  { renamed, at }: { readonly renamed: string; readonly at: string },
): Reading<EntryFault | undefined> {
  if (entryStateAt(entry, at) !== "draft" || wasEverPublic(entry, at)) return "fixed";
  return (yield* read(ENTRIES, renamed)) === undefined ? undefined : "taken";
}

function edit(entry: Entry, { change, by, at }: EntryEdit): Entry {
  const next = applyChange(entry, change, at);
  return next === entry ? entry : { ...next, updatedBy: by };
}

/** Returns the reason why an entry is not changed: it is not as expected, or not the caller's. */
function faultOf(
  entry: Entry,
  { isExpected, mayPublish, at }: EntryCondition,
): EntryFault | undefined {
  if (!mayPublish && entryStateAt(entry, at) !== "draft") return "not_a_draft";
  return isExpected(entry) ? undefined : "precondition_failed";
}

/** Removes an entry and its delivery, if the entry is as expected; returns the removed entry. */
export async function deleteEntry(
  storage: Storage,
  entryId: string,
  condition: EntryCondition,
): Promise<Entry | EntryFault> {
  const { at } = condition;
  const outcome = await changeWithEvents<Entry | EntryFault>(storage, function* (tools) {
    const [stored] = yield* all(tools.read(ENTRIES, entryId), tools.read(DELIVERIES, entryId));
    if (stored === undefined) return "not_found";
    const fault = faultOf(stored, condition);
    if (fault !== undefined) return fault;
    yield* linkPosts(tools, { before: stored, after: undefined, at });
    tools.remove(ENTRIES, entryId);
    tools.remove(DELIVERIES, entryId);
    yield* advanceChangelog(tools, at, [stored]);
    changeEntry(stored, at, () => undefined).events.forEach(tools.tell);
    return stored;
  }, { types: ENTRY_EVENTS, at });
  if (typeof outcome === "object") await removeDeliveryFailures(storage, entryId);
  return outcome;
}
