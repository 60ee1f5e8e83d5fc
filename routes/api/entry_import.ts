import type { BrandContext } from "../branded.ts";
import { formatNdjson } from "../../model/values/text.ts";
import * as readers from "../../model/entries/files/entry_file.ts";
import { ENTRY_PARAMETERS, type ReadEntry } from "../../model/entries/files/file_entry.ts";
import {
  createRecordSplitter,
  type RecordSplitter,
  type TextRecord,
} from "../../model/values/record_splitter.ts";
import { inPieces } from "../../model/turns.ts";
import { encodingOfMark, expectText } from "../../model/values/file_kind.ts";
import { Refusal, UnusableFile } from "../../model/values/refusal.ts";
import { readEntries } from "../../services/entries/entries.ts";
import { createEntryCounts, importEntries } from "../../services/entries/import.ts";
import { authorOf, ENTRIES_PATH, NOT_PUBLISHING } from "./_entries.ts";
import { startReport } from "./_import_report.ts";
import { createLimit } from "../_http/rate_limit.ts";
import { readMediaType } from "../_http/media_type.ts";
import { type Operation, operation, type StreamType } from "../_http/operation.ts";
import { Problem } from "../_http/problem.ts";
import { JSON_TYPE, NDJSON_TYPE } from "../_http/reply.ts";
import { showEntry } from "../../model/entries/publication.ts";

/** A media type: how to read it, and how to describe it. */
interface FileType extends StreamType {
  readonly read: "readJsonFile" | "readMarkdownFile" | "readXmlFile";
}

// An export of releases from GitHub includes all details of their files.
const maxBytes = 32 * 1_024 * 1_024;
const JSON_FILE: FileType = { read: "readJsonFile", schema: "EntriesInJson", maxBytes };
const XML_FILE: FileType = { read: "readXmlFile", schema: "AtomFeed", maxBytes };
/** All file types except NDJSON, whose lines are read as they arrive. */
const FILES: Readonly<Record<string, FileType>> = {
  "text/markdown": { read: "readMarkdownFile", schema: "ChangelogFile", maxBytes },
  [JSON_TYPE]: JSON_FILE,
  "application/feed+json": JSON_FILE,
  "application/atom+xml": XML_FILE,
  "application/rss+xml": XML_FILE,
  "application/xml": XML_FILE,
  "text/xml": XML_FILE,
};
const TYPES = [NDJSON_TYPE, ...Object.keys(FILES)];
const MAX_DECLARATION_LENGTH = 200;
// A line holds one entry. JSON may write each of its characters as two.
const MAX_LINE_LENGTH = 256 * 1_024;

// Each import keeps its file in memory.
const inLimit = createLimit(2, "imports of entries");

/**
 * Creates the operations that export and import entries. `timeZone` applies to days without a time.
 */
export const operations = (
  { brand: { timeZone } }: BrandContext,
): readonly Operation[] => [
  operation("GET", `${ENTRIES_PATH}/export`, {
    operationId: "exportEntries",
    summary: "Export all entries",
    description:
      "Streams all entries, also drafts, newest first by creation. The import reads this file.",
    scope: "entries:read",
    successes: [{ status: 200, schema: "EntryLines" }],
    run({ storage, now }) {
      async function* write(): AsyncGenerator<string> {
        for await (const page of readEntries(storage, { now: now.text })) {
          yield formatNdjson(page.map((entry) => showEntry(entry, now.text)));
        }
      }
      return { status: 200, contentType: NDJSON_TYPE, body: write() };
    },
  }),

  operation("POST", `${ENTRIES_PATH}/import`, {
    operationId: "importEntries",
    summary: "Import entries",
    description:
      "Imports a changelog in Markdown (Keep a Changelog), releases from GitHub's API, a " +
      "JSON Feed, an Atom or RSS feed, or a file of this export. Entries are published with " +
      "the dates of the file, or become drafts. Nobody is mailed, and webhooks get no " +
      "messages. An import can be repeated: entries that changed in the file are changed " +
      "here, and entries that were edited here stay as they are and are reported. Without " +
      "`entries:publish`, `drafts=true` is required, and public entries stay as they are.",
    scope: "entries:write",
    query: ENTRY_PARAMETERS,
    streams: {
      [NDJSON_TYPE]: { schema: "EntryLines" },
      ...FILES,
    },
    successes: [{ status: 200, schema: "EntryImportReport" }],
    run: (context) =>
      inLimit(async () => {
        const { request, storage, query, chunks, caller, now, clock, checkKey } = context;
        const { by, mayPublish } = authorOf(caller, now);
        if (!mayPublish && !query.drafts) return NOT_PUBLISHING;
        const type = readMediaType(request, TYPES);
        if (type instanceof Problem) return type;
        const counts = createEntryCounts();
        const { baseUrl, prefix } = query;
        const unusedColumns = new Set<string>();
        const entries = type === NDJSON_TYPE
          ? readLines(chunks, {
            splitter: createRecordSplitter({ quoting: false, maxLength: MAX_LINE_LENGTH }),
            read: (records) => inPieces(readers.readNdjsonLines(records, { unusedColumns })),
          })
          : readFile(
            chunks,
            (text) => inPieces(readers[FILES[type].read](text, { baseUrl, prefix, unusedColumns })),
          );
        const told = importEntries(storage, entries, {
          asDrafts: query.drafts ?? false,
          timeZone,
          by,
          mayPublish,
          isDryRun: query.dryRun ?? false,
          now: () => clock().text,
          counts,
          checkKey,
        });
        return await startReport(told, () => ({ ...counts, unusedColumns: [...unusedColumns] }));
      }),
  }),
];

async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  { splitter, read }: {
    readonly splitter: RecordSplitter;
    readonly read: (records: readonly TextRecord[]) => MaybePromise<readonly ReadEntry[]>;
  },
): AsyncGenerator<readonly ReadEntry[]> {
  for await (const chunk of chunks) yield await read(splitter.push(chunk));
  yield await read(splitter.end());
}

type MaybePromise<T> = T | Promise<T>;

async function* readFile(
  chunks: AsyncIterable<Uint8Array>,
  read: (text: string) => MaybePromise<readonly ReadEntry[] | Refusal>,
): AsyncGenerator<readonly ReadEntry[]> {
  let decoder: TextDecoder | undefined;
  let text = "";
  for await (const chunk of expectText(chunks)) {
    decoder ??= createDecoder(chunk);
    text += decode(decoder, chunk);
  }
  const entries = await read(text + (decoder === undefined ? "" : decode(decoder)));
  if (entries instanceof Refusal) throw new UnusableFile(entries.detail);
  yield entries;
}

/**
 * Creates a decoder for a file by its first bytes: a byte order mark of UTF-16, an XML declaration
 * with an encoding, or UTF-8.
 */
function createDecoder(start: Uint8Array): TextDecoder {
  const declaration = new TextDecoder("latin1").decode(start.subarray(0, MAX_DECLARATION_LENGTH));
  const [, named] = /^<\?xml\s[^>]*\bencoding=["']([\w.:-]+)["']/.exec(declaration) ?? [];
  try {
    return new TextDecoder(encodingOfMark(start) ?? named, { fatal: true });
  } catch {
    throw new UnusableFile(`the file is in ${named}, which is not known: save it as UTF-8`);
  }
}

function decode(decoder: TextDecoder, chunk?: Uint8Array): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined });
  } catch {
    throw new UnusableFile(`the file is not valid ${decoder.encoding.toUpperCase()}`);
  }
}
