import type { Storage } from "../../../adapters/storage.ts";
import { KEY_ENDED, type RefusedRow } from "../../../model/import_reports.ts";
import type { PostFileRow } from "../../../model/posts/files/file_row.ts";
import { createPace } from "../../../model/turns.ts";
import { KeyEnded } from "../../keys/api_keys.ts";
import { prepareErasureCount } from "../../subscriptions/erased.ts";
import {
  createImporter,
  type PostImportCounts,
  type PostImportOptions,
  type RowFault,
} from "./importer.ts";

/** A row to import, or a refused row. */
export type ReadPostRow = PostFileRow | RefusedRow;

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
  };
}

/**
 * Imports the rows of a file in batches, and yields the refused ones. Existing posts and votes stay
 * as they are, so that an import can be repeated. Nobody is mailed, and no webhook is told. Neither
 * withdrawn votes nor erased people come back.
 */
export async function* importPosts(
  storage: Storage,
  rows: AsyncIterable<readonly ReadPostRow[]>,
  options: PostImportOptions,
): AsyncGenerator<readonly RefusedRow[]> {
  const { counts, isDryRun, checkKey } = options;
  const importer = createImporter(storage, options);
  if (!isDryRun) await prepareErasureCount(storage);
  const pace = createPace();
  let doneLine = 0;
  try {
    for await (const read of rows) {
      for (let at = 0; at < read.length; at += MAX_ROWS_AT_ONCE) {
        await checkKey();
        const refused: RefusedRow[] = [];
        const part: PostFileRow[] = [];
        for (const row of read.slice(at, at + MAX_ROWS_AT_ONCE)) {
          doneLine = row.line;
          if ("code" in row) refused.push(row);
          else part.push(row);
        }
        const outcomes = await importer.importRows(part);
        for (const [index, outcome] of outcomes.entries()) {
          if (typeof outcome === "string") counts[outcome]++;
          else refused.push(refuse(part[index], outcome));
        }
        counts.refused += refused.length;
        yield refused.sort((a, b) => a.line - b.line);
        await pace();
      }
    }
    await importer.addFormerVotes();
  } catch (error) {
    if (!(error instanceof KeyEnded)) throw error;
    counts.refused++;
    const detail = `${error.message}: neither this row nor those after it were imported`;
    yield [{ line: doneLine + 1, field: null, code: KEY_ENDED, detail, row: null }];
  }
}

function refuse({ line, row }: PostFileRow, { code, detail }: RowFault): RefusedRow {
  return { line, field: null, code, detail: `the row ${detail}`, row };
}
