import { createFenceReader } from "./code_mask.ts";
import { type EntryTime, readDateLine } from "./entry_date.ts";
import { checkEntry, type FileOptions, type ReadEntry, toEntryId } from "./file_entry.ts";
import { readMarkdown } from "../html/html_in_markdown.ts";
import { type References, takeReferences } from "./markdown_links.ts";
import { type HeadingText, readHeadingText } from "./version_heading.ts";

const HEADING = /^ {0,3}(#{1,6})(?=[ \t])(.*)$/;
const HTML_HEADING = /^ {0,3}<h([1-6])(?:\s[^<>]*)?>(.*)<\/h\1>[ \t]*$/i;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
const FENCE = /^[ \t]*(?:`{3}|~{3})/;
// Some files have a horizontal rule between versions.
const RULE_AT_END = /(?:^|\n)[ \t]*(?:-{3,}|\*{3,}|_{3,})$/;
// A version's date may be in one of the first non-empty lines below its heading, not far below.
const MAX_DATE_LINES = 3;
const MAX_DATE_DISTANCE = 20;
// A longer line is never a heading.
const MAX_LINE_LENGTH = 2_000;
const LINES_AT_ONCE = 200;

/** A heading that names a version or looks as if it did, and its position. */
interface Heading {
  readonly text: HeadingText;
  /** The first line of the section, and the first line after it. */
  readonly line: number;
  readonly end: number;
  readonly level: number;
  /** The line below it that contains its date. */
  readonly dateLine: number | undefined;
  readonly time: EntryTime;
}

/**
 * Reads a changelog in Markdown with a heading for each version (Keep a Changelog and similar
 * forms). Each version becomes an entry; unreleased sections are left out. Pauses between pieces of
 * work.
 */
export function* readChangelog(
  text: string,
  options: FileOptions = {},
): Generator<void, readonly ReadEntry[]> {
  const { lines, references } = yield* takeReferences(text);
  const headings = yield* findVersions(lines);
  const packages = new Set(headings.flatMap(({ text }) => text.package || []));
  const entries: ReadEntry[] = [];
  for (const [index, heading] of headings.entries()) {
    yield;
    const { line, end, dateLine } = heading;
    const section = lines.slice(end, headings[index + 1]?.line)
      .filter((_, at) => end + at !== dateLine).join("\n").trimEnd();
    const { kind } = heading.text;
    if (kind === "unknown") entries.push(refuseHeading(lines[line], line + 1));
    else if (kind === "version") {
      const context = { references, options, hasPackages: packages.size > 1 };
      entries.push(yield* readSection(section, heading, context));
    } else if (section !== "") entries.push({ leftOut: "unreleased" });
  }
  return entries;
}

function refuseHeading(heading: string, line: number): ReadEntry {
  const detail = `line ${line} looks like the heading of a version, and is not understood: ` +
    `${heading.trim().slice(0, 80)}; it should be like ## [1.4.0] - 2026-01-31`;
  return { entryId: null, field: null, code: "invalid_value", detail, line };
}

function* readSection(
  section: string,
  heading: Heading,
  { references, options, hasPackages }: {
    readonly references: References;
    readonly options: FileOptions;
    readonly hasPackages: boolean;
  },
): Generator<void, ReadEntry> {
  const { version, name, package: owner, url: link } = heading.text;
  const body = section.replace(RULE_AT_END, "");
  const whose = options.prefix ?? (hasPackages && owner !== "" ? `${owner}-` : "");
  const isDate = /^\d{4}-/.test(version);
  const title = `${isDate ? "" : "v"}${version}${name}`;
  const url = link ?? [version, `v${version}`]
    .map((label) => references.get(label.toLowerCase())?.split(/\s/, 1)[0])
    .find((found) => found !== undefined);
  return checkEntry({
    entryId: toEntryId(`${whose}${isDate ? "" : "v"}${version}`),
    title: whose === "" ? title : `${whose.replace(/(?<![-@/. ])[-@/. ]+$/, "")} ${title}`,
    ...yield* readMarkdown(body, references, options.baseUrl),
    ...heading.time,
    url: url !== undefined && /^https?:/i.test(url) ? url : null,
    line: heading.line + 1,
  });
}

/**
 * Finds the headings of versions, and the unreadable headings that end a version's section. All
 * versions have the same heading level. A heading of a lower level counts too if it is unmistakably
 * a version, because some files give patches a lower level.
 */
function* findVersions(lines: readonly string[]): Generator<void, readonly Heading[]> {
  const found = yield* findHeadings(lines, readHeading);
  const hasVersions = found.some(({ text }) => text.kind === "version");
  const headings = hasVersions
    ? found
    : [...found, ...yield* findHeadings(lines, readPlainHeading)];
  const versions = headings.filter((heading) =>
    heading.text.kind === "version" && (isDated(heading) || !heading.text.needsDate)
  );
  const dated = versions.filter(isDated);
  const top = (dated.length > 0 ? dated : versions.length > 0 ? versions : headings)
    .reduce((top, { level }) => Math.min(top, level), Infinity);
  return headings.flatMap((heading) => {
    const { text, level } = heading;
    if (level > top && !isVersionByShape(text)) return [];
    if (text.kind !== "version" || isDated(heading) || !text.needsDate) return [heading];
    return text.isLikely ? [{ ...heading, text: { ...text, kind: "unknown" as const } }] : [];
  });
}

function isDated({ time }: Heading): boolean {
  return time.publishedAt !== undefined;
}

/**
 * Tells whether a heading is a version at any level: it contains a date, or nothing but a version.
 */
function isVersionByShape(text: HeadingText): boolean {
  if (text.isDate) return false;
  if (text.kind === "unreleased") return text.version === "" ? text.isLikely : !text.needsDate;
  return text.kind === "unknown" || text.at !== undefined || !text.needsDate;
}

function* findHeadings(
  lines: readonly string[],
  read: typeof readHeading,
): Generator<void, readonly Heading[]> {
  const found: Heading[] = [];
  const isCode = createFenceReader();
  let isComment = false;
  for (const [index, line] of lines.entries()) {
    if (index % LINES_AT_ONCE === LINES_AT_ONCE - 1) yield;
    if (isComment) {
      isComment = !line.includes("-->");
      continue;
    }
    if (isCode(line) || line.length > MAX_LINE_LENGTH) continue;
    isComment = /^\s*<!--/.test(line) && !line.includes("-->");
    if (isComment) continue;
    const heading = read(line, lines[index + 1] ?? "");
    if (heading === undefined || found.at(-1)?.dateLine === index) continue;
    const end = index + heading.length;
    const text = readHeadingText(heading.text);
    if (text === undefined) continue;
    const below = text.kind === "version" && text.at === undefined
      ? findDateBelow(lines, end)
      : undefined;
    found.push({
      text,
      line: index,
      end,
      level: heading.level,
      dateLine: below?.line,
      time: below?.time ?? { publishedAt: text.at, isDay: text.isDay },
    });
  }
  return found;
}

function findDateBelow(
  lines: readonly string[],
  start: number,
): { readonly line: number; readonly time: EntryTime } | undefined {
  let seen = 0;
  const end = Math.min(lines.length, start + MAX_DATE_DISTANCE);
  for (let line = start; line < end && seen < MAX_DATE_LINES; line++) {
    if (lines[line].trim() === "") continue;
    if (FENCE.test(lines[line])) return undefined;
    const date = readDateLine(lines[line].replace(/^#+/, ""));
    if (date !== undefined) {
      return { line, time: { publishedAt: date.at, isDay: date.isDay } };
    }
    if (HEADING.test(lines[line])) return undefined;
    seen++;
  }
}

/** A heading as the file writes it. */
interface WrittenHeading {
  readonly level: number;
  readonly text: string;
  /** The number of its lines. */
  readonly length: number;
}

/** Reads a line with only a version and its date, which replaces headings in some files. */
function readPlainHeading(line: string): WrittenHeading | undefined {
  const text = /^[^\s*+>|-]/.test(line) ? readHeadingText(line) : undefined;
  const isVersion = text?.kind === "version" && text.at !== undefined && !text.needsDate;
  return isVersion && text.name === "" ? { level: 1, text: line, length: 1 } : undefined;
}

function readHeading(line: string, next: string): WrittenHeading | undefined {
  const atx = HEADING.exec(line);
  if (atx !== null) {
    const text = atx[2].trim().replace(/[ \t]#+$/, "").trimEnd();
    return { level: atx[1].length, text, length: 1 };
  }
  const html = HTML_HEADING.exec(line);
  if (html !== null) return { level: Number(html[1]), text: html[2].trim(), length: 1 };
  const underline = UNDERLINE.exec(next);
  if (underline === null || line.trim() === "" || /^[ \t]*[-*+>|]/.test(line)) return undefined;
  return { level: underline[1][0] === "=" ? 1 : 2, text: line.trim(), length: 2 };
}
