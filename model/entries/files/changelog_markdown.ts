import { findDate } from "./entry_date.ts";
import {
  checkEntry,
  type FileEntry,
  type RawEntry,
  type RefusedEntry,
  toEntryId,
} from "./file_entry.ts";
import { replaceHtml } from "./html_in_markdown.ts";
import { resolveReferences, takeReferences } from "./references.ts";

const HEADING = /^ {0,3}(#{1,6})(?=[ \t])(.*)$/;
const MAX_HEADING_LENGTH = 300;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
const FENCE = /^[ \t]*(`{3,}|~{3,})/;
// `[1.4.0]`, `[v1.4.0](https://…)`, `Version 1.4`, `name@1.4.0`
const VERSION =
  /^\[?(?:(?:version|release|ver\.?)[ \t]+|[@\w./-]+@)?(v?\d+(?:\.\d+){1,3}(?:[-+.][0-9A-Za-z][0-9A-Za-z.+-]*)?)\]?(?:\((\S+?)\))?(?![\w.])/i;
const UNRELEASED = /^\W*(?:unreleased|upcoming|next|head|main|master|trunk|tbd|in development)\b/i;
const YANKED = /\[?yanked\]?/i;
// Some put a line between versions.
const RULE_AT_END = /(?:^|\n)[ \t]*(?:-{3,}|\*{3,}|_{3,})$/;
const MAX_LEVEL = 3;

/** A heading of a version, or of what is not released. */
interface VersionHeading {
  /** Its first line, and the first one after it. */
  readonly line: number;
  readonly end: number;
  readonly level: number;
  /** `undefined`: what follows is not released. */
  readonly version: string | undefined;
  /** What its title has beside the version. */
  readonly title: string;
  readonly at: string | undefined;
  readonly url: string | undefined;
}

/**
 * Reads a changelog in Markdown, with a heading for each version (Keep a Changelog, and how others
 * write it): a version is an entry, and what is not released is left out.
 */
export function readChangelog(text: string): (FileEntry | RefusedEntry)[] {
  const { markdown, references } = takeReferences(text.replace(/\r\n?/g, "\n"));
  const lines = markdown.split("\n");
  const headings = findVersions(lines);
  return headings.flatMap((heading, index) => {
    const { version, at, end } = heading;
    if (version === undefined) return [];
    const entryId = toEntryId(version);
    const section = lines.slice(end, headings[index + 1]?.line).join("\n");
    const body = section.trimEnd().replace(RULE_AT_END, "");
    const { markdown, leftOut } = replaceHtml(resolveReferences(body, references));
    const title = `v${version.replace(/^v/i, "")}${heading.title}`;
    const url = heading.url ?? references.get(version.toLowerCase())?.split(/\s/, 1)[0] ??
      references.get(`v${version}`.toLowerCase())?.split(/\s/, 1)[0];
    const raw: RawEntry = {
      ...{ entryId, title, body: markdown, leftOut, publishedAt: at },
      url: url !== undefined && /^https?:/i.test(url) ? url : null,
    };
    return [checkEntry(raw)];
  });
}

function findVersions(lines: readonly string[]): readonly VersionHeading[] {
  const found: VersionHeading[] = [];
  let fence: string | undefined;
  lines.forEach((line, index) => {
    const marker = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      if (marker?.startsWith(fence) && line.trim() === marker) fence = undefined;
      return;
    }
    if (marker !== undefined) return void (fence = marker);
    const heading = readHeading(line, lines[index + 1] ?? "");
    if (heading === undefined || heading.level > MAX_LEVEL) return;
    const end = index + heading.length;
    const read = readVersion(heading.text);
    const top = found[0]?.level ?? MAX_LEVEL;
    // A heading further below is one of a version if it has a date: some set patches that way.
    const isVersion = read !== undefined && (heading.level <= top || read.at !== undefined);
    if (isVersion) found.push({ ...read, line: index, end, level: heading.level });
  });
  return found;
}

function readHeading(
  line: string,
  next: string,
): { readonly level: number; readonly text: string; readonly length: number } | undefined {
  const atx = HEADING.exec(line);
  if (atx !== null) {
    const text = atx[2].trim().replace(/[ \t]#+$/, "").trimEnd();
    return { level: atx[1].length, text, length: 1 };
  }
  const underline = UNDERLINE.exec(next);
  if (underline === null || line.trim() === "" || /^[ \t]*[-*+>|]/.test(line)) return undefined;
  return { level: underline[1][0] === "=" ? 1 : 2, text: line.trim(), length: 2 };
}

type ReadVersion = Pick<VersionHeading, "version" | "title" | "at" | "url">;

/** Reads the text of a heading; `undefined` if it is of neither a version nor what is not released. */
function readVersion(heading: string): ReadVersion | undefined {
  if (heading.length > MAX_HEADING_LENGTH) return undefined;
  const text = heading.replace(/<[^<>]*>/g, "").replace(/[*_`]{1,2}(?=\S)|(?<=\S)[*_`]{1,2}/g, "")
    .trim();
  const unreleased = { version: undefined, title: "", at: undefined, url: undefined };
  if (UNRELEASED.test(text)) return unreleased;
  const match = VERSION.exec(text);
  if (match === null) return undefined;
  const [written, version, url] = match;
  const rest = text.slice(written.length);
  // "1.4 migration guide" is no version.
  if (!/^\s*(?:$|[-–—:/,(["'|·•]|\d{4}\b)/.test(rest)) {
    if (findDate(rest) === undefined) return undefined;
  }
  if (/\bunreleased\b/i.test(rest)) return unreleased;
  const date = findDate(rest);
  const name = (date?.rest ?? rest).replace(YANKED, "").replace(/^[\s\W]+|[\s([\-–—:/,|·•]+$/g, "")
    .replace(/["')\]]+$/, "").trim();
  const isName = !/^(?:released|on)?$/i.test(name);
  const title = isName ? ` – ${name}` : "";
  return { version, title: YANKED.test(rest) ? `${title} [YANKED]` : title, at: date?.at, url };
}
