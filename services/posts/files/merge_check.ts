import type { Storage } from "../../../adapters/storage.ts";
import { ORIGINAL_MISSING, type RefusedRow } from "../../../model/imports/reports.ts";
import { POSTS } from "../../../model/kinds.ts";
import type { FilePost } from "../../../model/posts/files/file_row.ts";
import { placed } from "../../../model/posts/place.ts";
import { change } from "../../change.ts";
import { countHeld, putPost } from "../tally.ts";

/** A post of a file that was merged into another one there. */
interface MergedPost {
  readonly line: number;
  readonly target: string;
  readonly unmergedVotes: number;
  /** Whether this file added it. */
  readonly isNew: boolean;
}

/** Finds the posts of a file that were merged into posts which neither file nor board has. */
export interface MergeCheck {
  /** Takes a post that was imported, or was here already. */
  add(post: FilePost, row: { readonly line: number; readonly isNew: boolean }): void;
  /**
   * Makes each such post, and each in a circle, a post of its own, once all of the file was read;
   * returns a remark on each.
   */
  finish(): Promise<readonly RefusedRow[]>;
}

/** Creates the check of a file's merged posts. `isAdded` tells the posts that a dry run adds. */
export function createMergeCheck(
  storage: Storage,
  { boardInstanceId, isDryRun, isAdded, now }: {
    readonly boardInstanceId: string;
    readonly isDryRun: boolean;
    readonly isAdded: (postId: string) => boolean;
    readonly now: () => string;
  },
): MergeCheck {
  const merged = new Map<string, MergedPost>();

  async function isMissing(postId: string): Promise<boolean> {
    if (isAdded(postId)) return false;
    const post = await storage.get(POSTS, postId);
    return post?.boardInstanceId !== boardInstanceId;
  }

  function isInCircle(postId: string): boolean {
    const passed = new Set<string>();
    let next: string | undefined = postId;
    while (next !== undefined && !passed.has(next)) {
      passed.add(next);
      next = merged.get(next)?.target;
    }
    return next === postId;
  }

  async function unmerge(postId: string, { target, unmergedVotes }: MergedPost): Promise<boolean> {
    return await change<boolean>(storage, function* (tools) {
      const post = yield* tools.read(POSTS, postId);
      if (post?.boardInstanceId !== boardInstanceId || post.mergedInto !== target) return false;
      const next = placed({ ...post, mergedInto: null, importedVotes: unmergedVotes });
      yield* putPost(tools, [post, next], now());
      yield* countHeld(tools, [post, next]);
      return true;
    });
  }

  return {
    add({ postId, mergedInto, importedVotes, unmergedVotes = importedVotes }, { line, isNew }) {
      if (mergedInto === null) return;
      merged.set(postId, { line, target: mergedInto, unmergedVotes, isNew });
    },
    async finish() {
      const remarks: RefusedRow[] = [];
      for (const [postId, post] of merged) {
        if (!isInCircle(postId) && !await isMissing(post.target)) continue;
        const isChanged = isDryRun ? post.isNew : await unmerge(postId, post);
        if (!isChanged) continue;
        const detail = "the row is a post of its own: the post that it was merged into is missing";
        const { line } = post;
        remarks.push({ line, field: null, code: ORIGINAL_MISSING, detail, row: null });
      }
      return remarks;
    },
  };
}
