import type { Decision, Found, Storage } from "../../adapters/storage.ts";
import type { Entry } from "../../model/entries/entry.ts";
import { ENTRIES } from "../../model/kinds.ts";
import {
  type Authorship,
  changeEntry,
  entryStateAt,
  wasEverPublic,
} from "../../model/entries/publication.ts";
import { applyChange } from "../../model/resource.ts";
import { Refusal } from "../../model/values/refusal.ts";
import { type ChangeFault, decideIf, type IsExpected } from "../conditional.ts";
import { removeDeliveryFailures } from "../deliveries/failures.ts";
import { insertRecord } from "../records.ts";
import type { EventfulDecision } from "../webhooks/events.ts";
import { advance, type EntryRefs, transactEntry } from "./entries.ts";
import { linkPosts, type PostRefs, referToPosts, resolvePosts } from "./shipped_posts.ts";

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
  const created = { ...draft, posts };
  if (posts.length === 0) return await insertRecord(storage, ENTRIES, created) ? created : "taken";
  const refs = { entry: { kind: ENTRIES, key: entryId }, ...await referToPosts(storage, posts) };
  return await storage.transact<typeof refs, Entry | "taken" | Refusal>(refs, (found) => {
    if (found.entry !== undefined) return { answer: "taken" };
    const linked = linkPosts(found, { entryId, formerId: entryId, postIds: posts, at });
    if (linked instanceof Refusal) return { answer: linked };
    return { answer: created, put: { ...linked, entry: created } };
  });
}

/** Changes an entry if it is as expected; returns the changed entry. Mails nobody. */
export async function updateEntry(
  storage: Storage,
  entryId: string,
  update: EntryEdit,
): Promise<Entry | EntryFault | Refusal> {
  const { at, change } = update;
  const { entryId: renamed = entryId } = change;
  for (;;) {
    const linking = await prepareLinking(storage, { entryId, renamed, change, at });
    if (linking instanceof Refusal) return linking;
    const edited = { ...update, change: { ...change, ...linking.change } };
    const step = renamed === entryId
      ? await editEntry(storage, { entryId, linking }, edited)
      : await renameEntry(storage, { entryId, renamed, linking }, edited);
    if (step !== "retry") return step;
  }
}

/** The posts that a change of an entry concerns. */
interface Linking {
  readonly refs: PostRefs;
  /** The posts that the entry ships before the change; `undefined`: posts and links stay. */
  readonly before: readonly string[] | undefined;
  /** The resolved posts, if they change. */
  readonly change: Partial<Pick<Entry, "posts">>;
  /** Links the posts of the entry, or returns a refusal. */
  readonly link: (found: Found<PostRefs>, next: Entry | undefined) => ReturnType<typeof linkPosts>;
}

/** Reads the posts that a change concerns; none if neither posts nor identifier change. */
async function prepareLinking(
  storage: Storage,
  { entryId, renamed, change, at }: Pick<EntryEdit, "change" | "at"> & {
    readonly entryId: string;
    /** `undefined`: the entry is removed. */
    readonly renamed: string | undefined;
  },
): Promise<Linking | Refusal> {
  const isAboutPosts = change.posts !== undefined || renamed !== entryId;
  const seen = isAboutPosts ? await storage.get(ENTRIES, entryId) : undefined;
  if (seen === undefined) {
    return { refs: {}, before: undefined, change: {}, link: () => ({}) };
  }
  const posts = change.posts && await resolvePosts(storage, change.posts, entryId);
  if (posts instanceof Refusal) return posts;
  return {
    refs: await referToPosts(storage, [...seen.posts, ...posts ?? []]),
    before: seen.posts,
    change: posts === undefined ? {} : { posts },
    link: (found, next) =>
      linkPosts(found, {
        entryId: renamed,
        formerId: entryId,
        postIds: next?.posts ?? [],
        at,
      }),
  };
}

/** Tells whether the entry's posts have changed since they were read. */
function isStale(entry: Entry | undefined, { before }: Linking): boolean {
  return before !== undefined && entry !== undefined && `${entry.posts}` !== `${before}`;
}

/** The outcome of one attempt; `retry`: the entry's posts changed after they were read. */
type EditStep = Entry | EntryFault | Refusal | "retry";

function editEntry(
  storage: Storage,
  { entryId, linking }: { readonly entryId: string; readonly linking: Linking },
  update: EntryEdit,
): Promise<EditStep> {
  const { at } = update;
  return transactEntry<EditStep>(
    storage,
    { entryId, at, posts: linking.refs },
    (found) =>
      decideOn<EventfulDecision<EntryRefs, EditStep>>(found.entry, update, (stored) => {
        if (isStale(stored, linking)) return { answer: "retry" };
        const apply = (entry: Entry) => edit(entry, update);
        const { next: entry = stored, events } = changeEntry(stored, at, apply);
        if (entry === stored) return { answer: entry };
        const linked = linking.link(found, entry);
        if (linked instanceof Refusal) return { answer: linked };
        const put = { ...linked, entry, changelog: advance(found.changelog, at, [stored]) };
        return { answer: entry, put, events };
      }),
  );
}

/**
 * Changes an entry that was never public, including its identifier, which nobody outside can know.
 */
function renameEntry(
  storage: Storage,
  { entryId, renamed: next, linking }: {
    readonly entryId: string;
    readonly renamed: string;
    readonly linking: Linking;
  },
  update: EntryEdit,
): Promise<EditStep> {
  const refs = {
    entry: { kind: ENTRIES, key: entryId },
    renamed: { kind: ENTRIES, key: next },
    ...linking.refs,
  };
  return storage.transact<typeof refs, EditStep>(
    refs,
    (found) =>
      decideOn<Decision<typeof refs, EditStep>>(found.entry, update, (stored) => {
        const isDraft = entryStateAt(stored, update.at) === "draft";
        if (!isDraft || wasEverPublic(stored, update.at)) return { answer: "fixed" };
        if (found.renamed !== undefined) return { answer: "taken" };
        if (isStale(stored, linking)) return { answer: "retry" };
        const answer = edit(stored, update);
        const linked = linking.link(found, answer);
        if (linked instanceof Refusal) return { answer: linked };
        return { answer, put: { ...linked, renamed: answer }, remove: ["entry"] };
      }),
  );
}

function edit(entry: Entry, { change, by, at }: EntryEdit): Entry {
  const next = applyChange(entry, change, at);
  return next === entry ? entry : { ...next, updatedBy: by };
}

/** Decides on a change of an entry, if it is as expected and the caller may change it. */
function decideOn<D>(
  current: Entry | undefined,
  { isExpected, mayPublish, at }: EntryCondition,
  decide: (current: Entry) => D,
): D | { readonly answer: ChangeFault | "not_a_draft" } {
  const isDraft = current === undefined || entryStateAt(current, at) === "draft";
  if (!isDraft && !mayPublish) return { answer: "not_a_draft" };
  return decideIf(current, isExpected, decide);
}

/** Removes an entry and its delivery, if the entry is as expected; returns the removed entry. */
export async function deleteEntry(
  storage: Storage,
  entryId: string,
  condition: EntryCondition,
): Promise<Entry | EntryFault> {
  const { at } = condition;
  let outcome: EditStep;
  do {
    const linking = await prepareLinking(storage, { entryId, renamed: undefined, change: {}, at });
    if (linking instanceof Refusal) throw new TypeError("Cannot refuse posts that are not given");
    outcome = await transactEntry<EditStep>(
      storage,
      { entryId, at, posts: linking.refs },
      (found) =>
        decideOn<EventfulDecision<EntryRefs, EditStep>>(found.entry, condition, (stored) => {
          if (isStale(stored, linking)) return { answer: "retry" };
          const linked = linking.link(found, undefined);
          if (linked instanceof Refusal) return { answer: linked };
          return {
            answer: stored,
            put: { ...linked, changelog: advance(found.changelog, at, [stored]) },
            remove: ["entry", "delivery"],
            events: changeEntry(stored, at, () => undefined).events,
          };
        }),
    );
  } while (outcome === "retry" || outcome instanceof Refusal);
  if (typeof outcome === "object") await removeDeliveryFailures(storage, entryId);
  return outcome;
}
