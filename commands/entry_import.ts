import { formatNdjson } from "../model/values/text.ts";
import { readFlags } from "./api/call.ts";
import { flagsOf, operationOf } from "./api/fields.ts";
import { CLIENT_OPTIONS, withApi } from "./api/client.ts";
import type { Command } from "./shell/command.ts";
import { type Input, openInput, readLines } from "./shell/input.ts";
import { JSON_OPTION, readNdjson } from "./api/listing.ts";
import { option, UsageError } from "./shell/options.ts";
import { addNamedImages, addSavedImages } from "./images.ts";
import { type JsonObject, RequestError, type SendRequest, withQuery } from "./api/request.ts";
import { interruptible } from "./serve/signals.ts";

const FLAGS = flagsOf(operationOf("importEntries"), { own: [], isFilled: () => false });
const REFUSED_STATUS = 3;

/** Imports entries from a file. */
export const entryImportCommand: Command = {
  name: "entries import",
  positionals: ["FILE"],
  summary: "Import entries from a changelog, releases, a feed or an export",
  options: [
    ...FLAGS,
    option(
      "images DIR",
      "Add the images of this folder first: all that an export has written there, or those that FILE, in " +
        "Markdown, has by their paths in it.",
    ),
    JSON_OPTION,
    ...CLIENT_OPTIONS,
  ],
  details:
    "FILE is a CHANGELOG.md with a heading for each version, releases as gh api prints them, a JSON " +
    "Feed, a feed of Atom or RSS, or what entries export prints; - means standard input. Entries come " +
    "dated back and published, and nobody is mailed.\n\n" +
    "Import a file again when it has changed: new versions are added, changed ones are changed, and " +
    "what was edited here stays as it is.",
  statuses: ["3  Some entries were refused; all others were imported."],
  example: "boardcast entries import CHANGELOG.md --dry-run",
  async run(invocation) {
    const { args, terminal } = invocation;
    const input = await openInput(args.positionals[0]);
    const isDryRun = args.flag("dry-run");
    const { fields: query } = await readFlags(FLAGS, args);
    const interruption = new AbortController();
    let failure: Error | undefined;
    let status = 0;

    function report(values: readonly JsonObject[]): void {
      if (args.flag(JSON_OPTION.name)) terminal.out(formatNdjson(values));
      for (const value of values) {
        if (Number(value.refused ?? 0) > 0) status = REFUSED_STATUS;
        if (!args.flag(JSON_OPTION.name)) terminal.err(describe(value, input.name, isDryRun));
      }
    }

    await withApi(
      invocation,
      { isReading: isDryRun, mustExist: isDryRun },
      (send) =>
        interruptible(interruption, async () => {
          const { signal } = interruption;
          const lines = readLines(input, {
            signal,
            onRead: () => {},
            onFailure: (error) => failure = error,
          });
          const type = typeOf(input, args.positionals[0]);
          const folder = isDryRun ? undefined : args.text("images");
          const body = folder === undefined
            ? lines
            : await addImages(send, { folder, type, lines });
          const path = withQuery("/changelogs/entries/import", query);
          const headers = { "Content-Type": type };
          const response = await send({ method: "POST", path, headers, body });
          for await (const values of readNdjson(response)) report(values);
        }).catch((error) => {
          throw failure ?? explain(error, input);
        }),
    );
    return status;
  },
};

/** Adds the images of a folder; returns the file as it has them then. */
async function addImages(
  send: SendRequest,
  { folder, type, lines }: {
    readonly folder: string;
    readonly type: string;
    readonly lines: ReadableStream<Uint8Array>;
  },
): Promise<ReadableStream<Uint8Array>> {
  await addSavedImages(send, folder);
  if (type !== "text/markdown") return lines;
  const text = await new Response(lines).text();
  return new Blob([await addNamedImages(send, text, folder)]).stream();
}

/** Tells the type of a file by its name, and else by its start. */
function typeOf({ start }: Input, path: string): string {
  const text = new TextDecoder().decode(start);
  if (/\.(?:ndjson|jsonl)$/i.test(path)) return "application/x-ndjson";
  // A changelog may start with the image of a badge.
  if (/^\s*(?:\{\s*["}]|\[\s*[[{\]])/.test(text)) return "application/json";
  return /^\s*<(?:\?xml|\w*:?feed\b|rss\b|rdf:RDF\b)/.test(text)
    ? "application/atom+xml"
    : "text/markdown";
}

function describe(
  { entryId, detail, line, ...sum }: JsonObject,
  name: string,
  isDryRun: boolean,
): string {
  if (typeof detail === "string") {
    const place = typeof line === "number" && entryId !== null ? ` (line ${line})` : "";
    return `${entryId ?? "an entry"}${place}: ${detail}\n`;
  }
  const { added, changed, unchanged, kept, refused } = sum;
  return `${name}: ${added} added, ${changed} changed, ${unchanged} unchanged, ${kept} kept as edited ` +
    `here, ${refused} refused${isDryRun ? " (dry run: nothing was changed)" : ""}\n` +
    describeLeftOut(sum.leftOut as Readonly<Record<string, number>>);
}

function describeLeftOut(counts: Readonly<Record<string, number>>): string {
  const nouns = {
    unreleased: "sections of what is not released",
    undated: "versions without a date",
    links: "relative links (see --base-url)",
    images: "relative images (see --base-url)",
  };
  const told = Object.entries(nouns).flatMap(([name, noun]) =>
    counts[name] > 0 ? [`${noun}: ${counts[name]}`] : []
  );
  return told.length === 0 ? "" : `left out: ${told.join(", ")}\n`;
}

function explain(error: unknown, { name }: Input): unknown {
  const isFile = error instanceof RequestError && error.code === "malformed_body";
  return isFile ? new UsageError(`${name}: ${error.message}`) : error;
}
