import { ENTRY_PARAMETERS } from "../../model/entries/files/file_entry.ts";
import type { JsonObject } from "../../model/values/json_object.ts";
import { CLIENT_OPTIONS, TIME_ZONE_OPTION } from "../api/client.ts";
import { addNamedImages, addSavedImages } from "../images.ts";
import type { Command } from "../shell/command.ts";
import { JSON_OPTION, option } from "../shell/options.ts";
import { describeUnused, importFile } from "./import_file.ts";
import { type Input, openInput } from "./input.ts";
import { flagNames, flagOptions } from "./parameters.ts";

/** Imports entries from a file. */
export const entryImportCommand: Command = {
  name: "entries import",
  summary: "Import entries from a changelog, releases, a feed or an export",
  positionals: ["FILE"],
  options: [
    ...flagOptions(ENTRY_PARAMETERS),
    option(
      "images DIR",
      "Add the images of this folder first: all that an export has written there, or those that FILE, in " +
        "Markdown, shows by their paths in it.",
    ),
    JSON_OPTION,
    TIME_ZONE_OPTION,
    ...CLIENT_OPTIONS,
  ],
  details:
    "FILE is a CHANGELOG.md with a heading for each version, releases as gh api prints them, a JSON " +
    "Feed, a feed of Atom or RSS, or what entries export prints; - means standard input. Entries are " +
    "published with the dates of the file. Nobody is mailed.\n\n" +
    "Import a file again when it has changed: new versions are added, changed ones are changed, and " +
    "what was edited here stays as it is.\n\n" +
    "Through a server, the key in BOARDCAST_KEY needs entries:write and, without --drafts, " +
    "entries:publish.",
  statuses: { 3: "Some entries were refused; all others were imported." },
  example: "boardcast entries import CHANGELOG.md --dry-run",
  async run(invocation) {
    const { args } = invocation;
    const [path] = args.positionals;
    const input = await openInput(path);
    const isDryRun = args.flag("dry-run");
    const type = typeOf(input, path);
    const folder = args.text("images");
    return await importFile(invocation, input, {
      path: "/api/v1/changelogs/entries/import",
      type,
      flags: flagNames(ENTRY_PARAMETERS),
      describe: (line) => describe(line, input.name, isDryRun),
      async prepare(send, lines) {
        if (folder === undefined) return lines;
        if (!isDryRun) await addSavedImages(send, folder);
        if (type !== "text/markdown") return lines;
        const text = await new Response(lines).text();
        return new Blob([await addNamedImages(send, text, { folder, isDryRun })]).stream();
      },
    });
  },
};

/** Returns the media type of a file by its name, or else by its start. */
function typeOf({ startText: text }: Input, path: string): string {
  if (/\.(?:ndjson|jsonl)$/i.test(path)) return "application/x-ndjson";
  // A changelog may start with the image of a badge.
  if (/^\s*(?:\{\s*["}]|\[\s*[[{\]])/.test(text)) return "application/json";
  return /^\s*<(?:\?xml|(?:[\w.-]+:)?feed\b|rss\b|rdf:RDF\b)/.test(text)
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
    return `${entryId === null ? "" : `${entryId}${place}: `}${detail}\n`;
  }
  const { added, changed, unchanged, kept, refused } = sum;
  return `${name}: ${added} added, ${changed} changed, ${unchanged} unchanged, ${kept} kept as edited ` +
    `here, ${refused} refused${isDryRun ? " (dry run: nothing was changed)" : ""}\n` +
    describeLeftOut(sum.leftOut as Readonly<Record<string, number>>) + describeUnused(sum);
}

function describeLeftOut(counts: Readonly<Record<string, number>>): string {
  const nouns = {
    unreleased: "sections of what is not released",
    private: "private posts",
    protected: "posts with a password",
    trashed: "posts in the trash",
    pages: "pages",
    attachments: "attachments",
    others: "menus, templates and the like",
    undated: "versions without a date",
    links: "relative links (see --base-url)",
    images: "relative images (see --base-url)",
  };
  const omissions = Object.entries(nouns).flatMap(([name, noun]) =>
    counts[name] > 0 ? [`${noun}: ${counts[name]}`] : []
  );
  return omissions.length === 0 ? "" : `left out: ${omissions.join(", ")}\n`;
}
