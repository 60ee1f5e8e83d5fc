import type { Storage } from "../../../adapters/storage.ts";
import { hash64 } from "../../../model/crypto/hash64.ts";
import { KEY_ENDED, type RefusedRow } from "../../../model/import_reports.ts";
import type { PostFileRow, ReadPostRow } from "../../../model/posts/files/file_row.ts";
import { createPace } from "../../../model/turns.ts";
import { KeyEnded } from "../../keys/api_keys.ts";
import { prepareErasureCount } from "../../subscriptions/erased.ts";
import { createImporter } from "./importer.ts";
import type { PostImportCounts, PostImportOptions, RowFault, RowOutcome } from "./row_outcomes.ts";

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
 * originals are missing. Existing posts and votes stay as they are, so that an import can be
 * repeated. Nobody is mailed, and no webhook is told. Neither withdrawn votes nor erased people
 * come back.
 */
export async function* importPosts(
  storage: Storage,
  rows: AsyncIterable<readonly ReadPostRow[]>,
  options: PostImportOptions,
): AsyncGenerator<readonly RefusedRow[]> {
  const { counts, isDryRun, checkKey } = options;
  const importer = createImporter(storage, options);
  const findRepeat = createRepeatCheck();
  if (!isDryRun) await prepareErasureCount(storage);
  const pace = createPace();
  let doneLine = 0;

  /** Counts the outcomes of some rows; returns the refused ones. */
  function count(
    part: readonly PostFileRow[],
    outcomes: readonly RowOutcome[],
  ): readonly RefusedRow[] {
    const refused: RefusedRow[] = [];
    for (const [index, outcome] of outcomes.entries()) {
      if (typeof outcome === "object") refused.push(refuse(part[index], outcome));
      else if (outcome !== "late") counts[outcome]++;
    }
    counts.refused += refused.length;
    return refused;
  }

  try {
    for await (const read of rows) {
      for (let at = 0; at < read.length; at += MAX_ROWS_AT_ONCE) {
        await checkKey();
        const unusable: RefusedRow[] = [];
        const part: PostFileRow[] = [];
        for (const row of read.slice(at, at + MAX_ROWS_AT_ONCE)) {
          doneLine = row.line;
          if ("leftOut" in row) counts.leftOut[row.leftOut]++;
          else if ("code" in row) unusable.push(row);
          else {
            const repeat = findRepeat(row);
            if (repeat === undefined) part.push(row);
            else unusable.push(repeat);
          }
        }
        const refused = count(part, await importer.importRows(part));
        counts.refused += unusable.length;
        yield [...unusable, ...refused].sort((a, b) => a.line - b.line);
        await pace();
      }
    }
    const { late, remarks } = await importer.finishMerges();
    yield remarks;
    for (let at = 0; at < late.length; at += MAX_ROWS_AT_ONCE) {
      await checkKey();
      const part = late.slice(at, at + MAX_ROWS_AT_ONCE);
      yield count(part, await importer.importRows(part));
      await pace();
    }
    await importer.addFormerVotes();
  } catch (error) {
    if (!(error instanceof KeyEnded)) throw error;
    const detail = `${error.message}: neither this row nor those after it were imported`;
    yield [{ line: doneLine + 1, field: null, code: KEY_ENDED, detail, row: null }];
  }
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
