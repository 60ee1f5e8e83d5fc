import type { Ref, Storage } from "../../adapters/storage.ts";
import {
  type FileEntry,
  type LeftOut,
  type LeftOutKind,
  type ReadEntry,
  refuse,
} from "../../model/entries/files/file_entry.ts";
import { type EntryImport, importEntry } from "../../model/entries/imported_entry.ts";
import { type Entry, MAX_POSTS } from "../../model/entries/entry.ts";
import { CHANGELOGS, ENTRIES } from "../../model/kinds.ts";
import { type EntryImportSum, type EntryRemark, KEY_ENDED } from "../../model/imports/reports.ts";
import { Refusal } from "../../model/values/refusal.ts";
import { quote } from "../../model/values/text.ts";
import { change } from "../change.ts";
import { transactUnlessDry } from "../records.ts";
import { importRows, type Numbered } from "../row_import.ts";
import { advance, advanceChangelog } from "./entries.ts";
import { linkPosts, movePostsOf, resolvePosts } from "./shipped_posts.ts";
import { CHANGELOG_ID } from "../changelog.ts";

/** The number of entries with each outcome so far. */
export type EntryImportCounts =
  & Record<Exclude<keyof EntryImportSum, "leftOut" | "unusedColumns">, number>
  & { readonly leftOut: Record<keyof EntryImportSum["leftOut"], number> };

export interface EntryImportOptions {
  /** Whether new entries become drafts. */
  readonly asDrafts: boolean;
  /** The name of the importing API key. */
  readonly by: string;
  /** Whether the key may change public entries; otherwise, these stay as they are. */
  readonly mayPublish: boolean;
  /** The time zone for dates without a time of day. */
  readonly timeZone: string;
  /** Whether the import only determines the outcomes and changes nothing. */
  readonly isDryRun: boolean;
  /** Tells the time of a change (RFC 3339, UTC, milliseconds). */
  readonly now: () => string;
  /** Counts each entry after it has been stored. */
  readonly counts: EntryImportCounts;
  /** Throws {@linkcode KeyEnded} once the key is revoked or expired; called before each change. */
  readonly checkKey: () => Promise<void>;
}

// Low enough for stores that limit a transaction, even with the longest entries.
const MAX_ENTRIES_PER_CHANGE = 16;

/** Creates counts that are all zero. */
export function createEntryCounts(): EntryImportCounts {
  const leftOut = {
    unreleased: 0,
    private: 0,
    protected: 0,
    trashed: 0,
    pages: 0,
    attachments: 0,
    others: 0,
    undated: 0,
    links: 0,
    images: 0,
  };
  return { added: 0, changed: 0, unchanged: 0, kept: 0, refused: 0, leftOut };
}

/**
 * Imports the entries of a file in order, and yields remarks on them. Sends nothing to webhooks or
 * subscribers. A repeated import leaves entries that were imported before as they are.
 */
export function importEntries(
  storage: Storage,
  file: AsyncIterable<readonly ReadEntry[]>,
  { asDrafts, timeZone, by, mayPublish, isDryRun, now, counts, checkKey }: EntryImportOptions,
): AsyncGenerator<readonly EntryRemark[]> {
  const seen = new Set<string>();

  async function importAll(files: readonly FileEntry[]): Promise<readonly EntryRemark[]> {
    const at = now();
    const imports = await transactUnlessDry(storage, refsTo(files), (found) => {
      const put: { [entry: `entry ${string}`]: Entry } = {};
      const versions: Entry[] = [];
      const result = files.map((file): EntryImport | Refusal => {
        const stored = found[`entry ${file.entryId}`];
        const result = importEntry(stored, file, { asDraft: asDrafts, timeZone, by, at });
        if (result instanceof Refusal || result.next === undefined) return result;
        const isOpen = mayPublish || stored === undefined || stored.publishedAt === null;
        if (!isOpen) return { outcome: "kept", isPublic: true };
        put[`entry ${file.entryId}`] = result.next;
        versions.push(result.next, stored ?? result.next);
        return result;
      });
      return { answer: result, put: { ...put, changelog: advance(found.changelog, at, versions) } };
    }, { isDryRun });
    const unshipped = new Map<FileEntry, readonly string[]>();
    for (const [index, file] of files.entries()) {
      const result = imports[index];
      if (isDryRun || result instanceof Refusal || result.outcome === "kept") continue;
      unshipped.set(file, await shipImported(storage, file, { at, mayPublish }));
    }
    return imports.flatMap((result, index) => {
      const file = files[index];
      counts[result instanceof Refusal ? "refused" : result.outcome]++;
      counts.leftOut.links += file.lost.links;
      counts.leftOut.images += file.lost.images;
      if (result instanceof Refusal) counts.leftOut.undated++;
      const posts = unshipped.get(file) ?? [];
      const leftOut = posts.length === 0 ? [] : [`posts: ${posts.join(", ")}`];
      return remarksOn({ ...file, leftOut: [...file.leftOut, ...leftOut] }, result);
    });
  }

  async function importBatch(entries: readonly ReadEntry[]): Promise<readonly EntryRemark[]> {
    const files: FileEntry[] = [];
    const leftOut: EntryRemark[] = [];
    const refused: EntryRemark[] = [];
    for (const entry of entries) {
      if (!("entryId" in entry)) {
        counts.leftOut[entry.leftOut]++;
        leftOut.push(...remarksOnLeftOut(entry));
        continue;
      }
      if ("code" in entry) refused.push(entry);
      else if (seen.has(entry.entryId)) refused.push(refuse(entry.entryId, TWICE, entry));
      else files.push(entry);
      if (entry.entryId !== null) seen.add(entry.entryId);
    }
    const remarks = files.length === 0 ? [] : await importAll(files);
    counts.refused += refused.length;
    return [...leftOut, ...refused, ...remarks];
  }

  return importRows<ReadEntry, EntryRemark>(numbered(file), {
    checkKey,
    maxSize: MAX_ENTRIES_PER_CHANGE,
    importBatch,
    stopped(message) {
      const detail = `${message}: what follows was not imported`;
      return { entryId: null, field: null, line: null, code: KEY_ENDED, detail };
    },
  });
}

async function* numbered(
  file: AsyncIterable<readonly ReadEntry[]>,
): AsyncGenerator<readonly Numbered<ReadEntry>[]> {
  for await (const entries of file) yield entries.map((row) => ({ row, lastLine: 0 }));
}

/**
 * Links an imported entry to the posts that its file names. Returns the posts that don't exist here
 * or can't be linked. Sends nothing to webhooks.
 */
async function shipImported(
  storage: Storage,
  { entryId, posts = [] }: FileEntry,
  { at, mayPublish }: { readonly at: string; readonly mayPublish: boolean },
): Promise<readonly string[]> {
  const entry = await storage.get(ENTRIES, entryId);
  const isOpen = mayPublish || entry?.publishedAt === null;
  if (entry === undefined || !isOpen) return [];
  if (posts.every((one) => entry.posts.includes(one))) {
    // The import may have changed when the entry is public.
    if (entry.posts.length > 0) await movePostsOf(storage, entryId, at);
    return [];
  }
  const resolved = await Promise.all(
    posts.map(async (postId) => [postId, await resolvePosts(storage, [postId], entryId)] as const),
  );
  const known = resolved.flatMap(([, ids]) => ids instanceof Refusal ? [] : ids);
  const isShipped = await change<boolean>(storage, function* (tools) {
    const current = yield* tools.read(ENTRIES, entryId);
    if (current === undefined || !(mayPublish || current.publishedAt === null)) return false;
    const postIds = [...new Set([...current.posts, ...known])].slice(0, MAX_POSTS);
    const next = { ...current, posts: postIds };
    if (yield* linkPosts(tools, { before: current, after: next, at })) return false;
    tools.put(ENTRIES, next);
    yield* advanceChangelog(tools, at, [next]);
    return true;
  });
  return isShipped ? resolved.flatMap(([id, ids]) => ids instanceof Refusal ? [id] : []) : posts;
}

const TWICE = new Refusal("invalid_value", "is in the file twice, or another has the same entryId");

function refsTo(files: readonly FileEntry[]): {
  readonly changelog: Ref<typeof CHANGELOGS>;
  readonly [entry: `entry ${string}`]: Ref<typeof ENTRIES>;
} {
  const entries = files.map(({ entryId }) =>
    [`entry ${entryId}`, { kind: ENTRIES, key: entryId }] as const
  );
  return {
    ...Object.fromEntries(entries),
    changelog: { kind: CHANGELOGS, key: CHANGELOG_ID },
  };
}

/**
 * Names each text of a person that the import omits; only counts other parts, such as attachments
 * and menus.
 */
function remarksOnLeftOut({ leftOut, title = "" }: LeftOut): EntryRemark[] {
  const reason = LEFT_OUT_REASONS[leftOut];
  if (reason === undefined) return [];
  const detail = `${title === "" ? "a text without a title" : quote(title)} ${reason}`;
  return [{ entryId: null, field: null, line: null, code: "left_out", detail }];
}

const LEFT_OUT_REASONS: Partial<Record<LeftOutKind, string>> = {
  private: "is left out: it is not for everybody",
  protected: "is left out: a password protects it",
  trashed: "is left out: it is in the trash",
  pages: "is left out: it is a page",
};

function remarksOn(file: FileEntry, result: EntryImport | Refusal): EntryRemark[] {
  const { entryId, line, leftOut, changed, lost } = file;
  if (result instanceof Refusal) return [refuse(entryId, result, { field: "publishedAt", line })];
  const remark = { entryId, field: null, line };
  if (result.outcome === "kept") {
    if (result.isPublic) {
      const detail = "is public, and stays as it is: the key lacks the scope entries:publish";
      return [{ ...remark, code: "insufficient_scope", detail }];
    }
    const detail = "was written or edited here, and stays as it is";
    return [{ ...remark, code: "edited_here", detail }];
  }
  if (result.outcome === "unchanged") return [];
  const missing = [
    ...leftOut,
    ...countOf(lost.links, "relative link"),
    ...countOf(lost.images, "relative image"),
  ];
  const hint = lost.links + lost.images > 0
    ? "; name by baseUrl what they start from (--base-url URL)"
    : "";
  return [
    ...missing.length === 0
      ? []
      : [{ ...remark, code: "left_out", detail: `can't be kept: ${missing.join(", ")}${hint}` }],
    ...changed.map((detail) => ({ ...remark, code: "changed", detail })),
  ];
}

function countOf(count: number, noun: string): readonly string[] {
  return count === 0 ? [] : [`${count} ${noun}${count === 1 ? "" : "s"}`];
}
