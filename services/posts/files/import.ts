import type { Storage } from "../../../adapters/storage.ts";
import { hash64 } from "../../../model/crypto/hash64.ts";
import { type RefusedRow, stoppedRow } from "../../../model/imports/reports.ts";
import type { PostFileRow, ReadPostRow } from "../../../model/posts/files/file_row.ts";
import { importRows, type Numbered } from "../../row_import.ts";
import { prepareErasureCount } from "../../privacy/erased.ts";
import { createImporter } from "./importer.ts";
import type { PostImportCounts, PostImportOptions, RowFault } from "./row_outcomes.ts";

// Concurrent changes share one sync to disk.
const MAX_ROWS_AT_ONCE = 200;

/** Creates counts that are all zero. */
export function createPostCounts(): PostImportCounts {
  return {
    added: 0,
    changed: 0,
    unchanged: 0,
    keptUnsubscribed: 0,
    refused: 0,
    votesAdded: 0,
    leftOut: { spam: 0, deleted: 0, withoutAddress: 0 },
  };
}

/**
 * Imports the rows of a file in batches, and yields the refused ones, and those of posts whose
 * originals are missing. Fills what is empty in existing posts and overwrites nothing, so that an
 * import can be repeated. Nobody is mailed, and no webhook is told. Neither withdrawn votes nor
 * erased people come back.
 */
export async function* importPosts(
  storage: Storage,
  file: AsyncIterable<readonly Numbered<ReadPostRow>[]>,
  options: PostImportOptions,
): AsyncGenerator<readonly RefusedRow[]> {
  const { counts, isDryRun, checkKey } = options;
  const importer = createImporter(storage, options);
  const findRepeat = createRepeatCheck();
  if (!isDryRun) await prepareErasureCount(storage);

  /** Imports some rows, and counts their outcomes; returns the refused ones. */
  async function importPart(part: readonly PostFileRow[]): Promise<readonly RefusedRow[]> {
    const refused: RefusedRow[] = [];
    for (const [index, outcome] of (await importer.importRows(part)).entries()) {
      if (typeof outcome === "object") refused.push(refuse(part[index], outcome));
      else if (outcome !== "late") counts[outcome]++;
    }
    return refused;
  }

  yield* importRows<ReadPostRow, RefusedRow>(file, {
    checkKey,
    maxSize: MAX_ROWS_AT_ONCE,
    async importBatch(rows) {
      const refused: RefusedRow[] = [];
      const part: PostFileRow[] = [];
      for (const row of rows) {
        if ("leftOut" in row) counts.leftOut[row.leftOut]++;
        else if ("code" in row) refused.push(row);
        else {
          const repeat = findRepeat(row);
          if (repeat === undefined) part.push(row);
          else refused.push(repeat);
        }
      }
      refused.push(...await importPart(part));
      counts.refused += refused.length;
      return refused.sort((a, b) => a.line - b.line);
    },
    async *finish() {
      const { late, remarks } = await importer.finishMerges();
      yield remarks;
      for (let at = 0; at < late.length; at += MAX_ROWS_AT_ONCE) {
        await checkKey();
        const refused = await importPart(late.slice(at, at + MAX_ROWS_AT_ONCE));
        counts.refused += refused.length;
        yield refused;
      }
      await importer.addFormerVotes();
    },
    stopped: stoppedRow,
  });
}

function refuse({ line, row }: PostFileRow, { code, detail }: RowFault): RefusedRow {
  return { line, field: null, code, detail: `the row ${detail}`, row };
}

/**
 * Creates a check for posts that a file has twice. Rows of one post have the same words; of posts
 * that are known by their titles, they also have a voter each.
 */
function createRepeatCheck(): (row: PostFileRow) => RefusedRow | undefined {
  const seen = new Map<string, { readonly line: number; readonly words: string }>();
  return ({ line, row, post, vote, lacksId }) => {
    if (post === undefined) return undefined;
    const { postId, title, body } = post;
    const words = hash64(`${title}\n${body}`);
    const first = seen.get(postId);
    if (first === undefined) {
      seen.set(postId, { line, words });
      return undefined;
    }
    if (first.words === words && (!lacksId || vote !== undefined)) return undefined;
    const detail = lacksId
      ? `postId is required, because line ${first.line} has an idea with the same title`
      : `postId is that of line ${first.line}, too, which has other words`;
    return { line, field: "postId", code: lacksId ? "required" : "invalid_value", detail, row };
  };
}
