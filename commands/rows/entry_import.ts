import { apiCommand } from "../api/api_command.ts";
import type { JsonObject } from "../api/request.ts";
import { addNamedImages, addSavedImages } from "../images.ts";
import type { Command } from "../shell/command.ts";
import { option } from "../shell/options.ts";
import { importFile } from "./import_file.ts";
import { type Input, openInput } from "./input.ts";

/** Imports entries from a file. */
export const entryImportCommand: Command = apiCommand("entries import FILE", "importEntries", {
  summary: "Import entries from a changelog, releases, a feed or an export",
  options: [
    option(
      "images DIR",
      "Add the images of this folder first: all that an export has written there, or those that FILE, in " +
        "Markdown, has by their paths in it.",
      { isOwn: true },
    ),
  ],
  details:
    "FILE is a CHANGELOG.md with a heading for each version, releases as gh api prints them, a JSON " +
    "Feed, a feed of Atom or RSS, or what entries export prints; - means standard input. Entries come " +
    "dated back and published, and nobody is mailed.\n\n" +
    "Import a file again when it has changed: new versions are added, changed ones are changed, and " +
    "what was edited here stays as it is.",
  statuses: ["3  Some entries were refused; all others were imported."],
  example: "boardcast entries import CHANGELOG.md --dry-run",
  async run(invocation, call) {
    const { args } = invocation;
    const [path] = args.positionals;
    const input = await openInput(path);
    const isDryRun = args.flag("dry-run");
    const type = typeOf(input, path);
    const folder = isDryRun ? undefined : args.text("images");
    return await importFile(invocation, input, {
      call: { ...call, headers: { "Content-Type": type } },
      describe: (line) => describe(line, input.name, isDryRun),
      async prepare(send, lines) {
        if (folder === undefined) return lines;
        await addSavedImages(send, folder);
        if (type !== "text/markdown") return lines;
        const text = await new Response(lines).text();
        return new Blob([await addNamedImages(send, text, folder)]).stream();
      },
    });
  },
});

/** Tells the type of a file by its name, and else by its start. */
function typeOf({ startText: text }: Input, path: string): string {
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
    return `${entryId === null ? "" : `${entryId}${place}: `}${detail}\n`;
  }
  const { added, changed, unchanged, kept, refused } = sum;
  return `${name}: ${added} added, ${changed} changed, ${unchanged} unchanged, ${kept} kept as edited ` +
    `here, ${refused} refused${isDryRun ? " (dry run: nothing was changed)" : ""}\n` +
    describeLeftOut(sum.leftOut as Readonly<Record<string, number>>);
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
  const told = Object.entries(nouns).flatMap(([name, noun]) =>
    counts[name] > 0 ? [`${noun}: ${counts[name]}`] : []
  );
  return told.length === 0 ? "" : `left out: ${told.join(", ")}\n`;
}
