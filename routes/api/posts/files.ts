import { BOARDS } from "../../../model/kinds.ts";
import { grantsScope } from "../../../model/keys/api_key.ts";
import type { Board } from "../../../model/board.ts";
import { FIDER_TABLES, readFiderTables } from "../../../model/posts/files/fider_tables.ts";
import { createPostLineReader } from "../../../model/posts/files/line_reader.ts";
import {
  type parsePostColumns,
  POST_PARAMETERS,
} from "../../../model/posts/files/sheet_columns.ts";
import { createPostSheetReader } from "../../../model/posts/files/sheet_reader.ts";
import type { parseStatusWords } from "../../../model/posts/files/status_words.ts";
import type { PostRowReader, ReadPostRow } from "../../../model/posts/files/file_row.ts";
import { readZip } from "../../../model/posts/files/zip.ts";
import type { PreviewedPost } from "../../../model/imports/reports.ts";
import { createYielder } from "../../../model/turns.ts";
import { Refusal, UnusableFile } from "../../../model/values/refusal.ts";
import { exportPosts, exportPostTable } from "../../../services/posts/files/export.ts";
import { createPostCounts, importPosts } from "../../../services/posts/files/import.ts";
import { type Numbered, readRows } from "../../../services/row_import.ts";
import { createLimit } from "../../_http/rate_limit.ts";
import { prefersCsv } from "../../_http/page.ts";
import { readMediaType } from "../../_http/media_type.ts";
import { type Operation, operation } from "../../_http/operation.ts";
import { Problem } from "../../_http/problem.ts";
import { CSV_TYPE, NDJSON_TYPE } from "../../_http/reply.ts";
import { startReport } from "../_import_report.ts";
import { POSTS_PATH, TEAM_SCOPE } from "./_posts.ts";

const ZIP_TYPE = "application/zip";
const MAX_ARCHIVE_BYTES = 32 * 1_024 * 1_024;
const MAX_TABLE_BYTES = 64 * 1_024 * 1_024;
const MAX_PREVIEWED = 3;

// Each import may keep an archive in memory.
const inLimit = createLimit(2, "imports of posts");

export const operations = (): readonly Operation[] => [
  operation("GET", `${POSTS_PATH}/export`, {
    operationId: "exportPosts",
    summary: "Export all posts of a board",
    description: "Streams all posts, each followed by its votes. Held and hidden posts also need " +
      "`posts:publish`. The import reads this file. With `Accept: text/csv`, returns a table of " +
      "the posts without their votes.",
    scope: "posts:read",
    alsoScopes: ["subscriptions:read"],
    successes: [{
      status: 200,
      schema: "PostLines",
      others: { [CSV_TYPE]: "PostExportTable" },
    }],
    async run({ request, storage, param, caller, now }) {
      const board = await storage.get(BOARDS, param);
      if (board === undefined) return "board_not_found";
      const isPublicOnly = !grantsScope(caller.scopes, TEAM_SCOPE);
      const options = { isPublicOnly, now: now.text };
      if (prefersCsv(request)) {
        const body = exportPostTable(storage, board, options);
        return { status: 200, contentType: CSV_TYPE, body };
      }
      const body = exportPosts(storage, board, options);
      return { status: 200, contentType: NDJSON_TYPE, body };
    },
  }),

  operation("POST", `${POSTS_PATH}/import`, {
    operationId: "importPosts",
    summary: "Import posts into a board",
    description:
      "Imports a file of this export, Fider's posts.csv or backup, Quackback's two files, " +
      "UserVoice's full export, or any sheet whose headings `columns` names. Posts that were " +
      "not approved are held, and spam is left out. What is empty in existing posts is filled, " +
      "and nothing is overwritten. Nobody is mailed, and webhooks get no messages. The import does not bring back votes that were withdrawn here, or people who were " +
      "erased. If the response lacks its last line, the import broke off.",
    scope: "posts:publish",
    alsoScopes: ["subscriptions:write"],
    query: POST_PARAMETERS,
    streams: {
      [NDJSON_TYPE]: { schema: "PostLines" },
      [CSV_TYPE]: { schema: "PostTable" },
      [ZIP_TYPE]: { schema: "PostArchive", maxBytes: MAX_ARCHIVE_BYTES },
    },
    successes: [{ status: 200, schema: "PostImportReport" }],
    run: (context) =>
      inLimit(async () => {
        const { request, storage, param, query, chunks, clock, checkKey } = context;
        const board = await storage.get(BOARDS, param);
        if (board === undefined) return "board_not_found";
        const type = readMediaType(request, [NDJSON_TYPE, CSV_TYPE, ZIP_TYPE]);
        if (type instanceof Problem) return type;
        const file = type === ZIP_TYPE
          ? createArchiveReader({ board, words: query.status })
          : createTextReader(type, { board, ...query });
        const counts = createPostCounts();
        const isDryRun = query.dryRun ?? false;
        const posts: PreviewedPost[] = [];
        const rows = file.read(chunks);
        const refused = importPosts(storage, isDryRun ? previewed(rows, posts) : rows, {
          board,
          isDryRun,
          checkKey,
          now: () => clock().text,
          counts,
        });
        return await startReport(refused, () => {
          const sum = { ...counts, unusedColumns: file.unusedColumns() };
          return isDryRun && query.preview
            ? { ...sum, format: file.format(), preview: posts }
            : sum;
        });
      }),
  }),
];

/** Reads a file of posts. */
interface FileReader {
  read(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Numbered<ReadPostRow>[]>;
  /** Returns the columns that are not used, once the file was read. */
  unusedColumns(): readonly string[];
  /** Returns the product that the file comes from, or `sheet`, once its header was read. */
  format(): string;
}

type SheetQuery = {
  readonly board: Board;
  readonly columns?: Exclude<ReturnType<typeof parsePostColumns>, Refusal> | undefined;
  readonly status?: Exclude<ReturnType<typeof parseStatusWords>, Refusal> | undefined;
};

function createTextReader(
  type: string,
  { board: { boardId }, columns, status }: SheetQuery,
): FileReader {
  const sheet = createPostSheetReader({ boardId, columns, words: status });
  const reader: PostRowReader = type === NDJSON_TYPE ? createPostLineReader() : sheet;
  return {
    read: (chunks) => readRows(chunks, reader),
    unusedColumns: () => reader.unusedColumns,
    format: () => reader === sheet ? sheet.header?.format.title ?? "" : "Boardcast",
  };
}

/** Passes rows on, and keeps the first posts among them. */
async function* previewed(
  file: AsyncIterable<readonly Numbered<ReadPostRow>[]>,
  posts: PreviewedPost[],
): AsyncGenerator<readonly Numbered<ReadPostRow>[]> {
  for await (const rows of file) {
    for (const { row } of rows) {
      if (posts.length === MAX_PREVIEWED) break;
      if (!("post" in row) || row.post === undefined) continue;
      const { title, body, status, state, answer, importedVotes, authorEmail, createdAt } =
        row.post;
      posts.push({
        line: row.line,
        title,
        body,
        status,
        state,
        answer,
        importedVotes,
        authorEmail,
        userEmail: row.vote?.userEmail ?? null,
        createdAt: createdAt ?? null,
      });
    }
    yield rows;
  }
}

function createArchiveReader(
  { board: { boardId }, words }: {
    readonly board: Board;
    readonly words: SheetQuery["status"];
  },
): FileReader {
  const unusedColumns = new Set<string>();
  return {
    read: (chunks) => readArchive(chunks, { boardId, words, unusedColumns }),
    unusedColumns: () => [...unusedColumns],
    format: () => "Fider",
  };
}

async function* readArchive(
  chunks: AsyncIterable<Uint8Array>,
  options: Parameters<typeof readFiderTables>[1],
): AsyncGenerator<readonly Numbered<ReadPostRow>[]> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of chunks) parts.push(new Uint8Array(chunk));
  const archive = new Uint8Array(await new Blob(parts).arrayBuffer());
  const files = await readZip(archive, { names: FIDER_TABLES, maxBytes: MAX_TABLE_BYTES });
  if (files instanceof Refusal) throw new UnusableFile(files.detail);
  const yieldIfBusy = createYielder();
  const work = readFiderTables(files, options);
  let next = work.next();
  for (; !next.done; next = work.next()) {
    if (next.value !== undefined) yield next.value.map((row) => ({ row, lastLine: row.line }));
    await yieldIfBusy();
  }
  if (next.value !== undefined) throw new UnusableFile(next.value.detail);
}
