import { hash64 } from "../../crypto/hash64.ts";
import { htmlToMarkdown } from "../../entries/html/html_to_markdown.ts";
import { isRefused, readValues } from "../../imports/file_values.ts";
import type { RefusedRow } from "../../imports/reports.ts";
import { runSynchronously } from "../../turns.ts";
import { parseEmailAddress } from "../../values/email_address.ts";
import { Refusal } from "../../values/refusal.ts";
import { parseUserName } from "../../values/text.ts";
import { acceptListTime, parseListTime } from "../../values/time.ts";
import { POST, type Post, TITLE_MAX_CODE_POINTS } from "../post.ts";
import { type FilePost, type FileVote, OTHER_POST_FIELDS, type ReadPostRow } from "./file_row.ts";
import { readStateWord } from "./status_words.ts";

/** The unchecked texts of another product's post or vote. */
export interface RawPostRow {
  /** The identifier in the other product. Default: the title. */
  readonly id?: string;
  /** Whether the identifiers are those of Boardcast, which the import keeps. */
  readonly hasOwnIds?: boolean | undefined;
  /** The product's word for whether the post was approved. Default: it was. */
  readonly state?: string | undefined;
  readonly title?: string | undefined;
  readonly body?: string | undefined;
  readonly status?: Post["status"] | Refusal | undefined;
  readonly answer?: string | undefined;
  readonly answeredAt?: string | undefined;
  /** The number of votes, all or those that count here. */
  readonly votes?: string | undefined;
  /** The number of further votes. */
  readonly importedVotes?: string | undefined;
  readonly createdAt?: string | undefined;
  readonly authorEmail?: string | undefined;
  /** The identifier of the target, if the post was merged. */
  readonly mergedInto?: string | undefined;
  readonly voterEmail?: string | undefined;
  readonly voterName?: string | undefined;
  readonly votedAt?: string | undefined;
  /** Whether the row is only a vote, for a post in another file. */
  readonly isVote?: boolean | undefined;
  /** The values of the {@linkcode OTHER_POST_FIELDS} in our own table. */
  readonly declared?: ReadonlyMap<string, string>;
}

const MAX_IMPORTED_VOTES = 1_000_000_000;
const HTML_START =
  /^\s*<(?:a|b|blockquote|br|div|em|h[1-6]|i|img|li|ol|p|pre|section|span|strong|table|u|ul)(?:\s[^<>]*)?\/?>/i;

/**
 * Checks a row of another product. A board's import always derives the same identifiers from it.
 */
export function checkRawRow(
  raw: RawPostRow,
  { boardId, product, line, row }: {
    readonly boardId: string;
    readonly product: string;
    readonly line: number;
    readonly row: string | null;
  },
): ReadPostRow {
  const refuse = (field: string, { code, detail }: Refusal): RefusedRow => ({
    line,
    field,
    code,
    detail: `${field} ${detail}`,
    row,
  });
  const idOf = (id: string) => raw.hasOwnIds ? id : hash64(`${product} ${boardId} ${id}`);
  const { title, rest } = splitTitle(raw.title ?? "");
  const { id = raw.title ?? "" } = raw;
  if (id.trim() === "") return refuse("id", new Refusal("required", "is required"));
  const postId = POST.fields.postId.parse(idOf(id.trim()));
  if (postId instanceof Refusal) return refuse("postId", postId);
  const state = readStateWord(raw.state ?? "");
  if (state instanceof Refusal) return refuse("state", state);
  if (state === "spam" || state === "deleted") return { line, row, leftOut: state };
  const times = { createdAt: raw.createdAt, answeredAt: raw.answeredAt, at: raw.votedAt };
  for (const [field, text] of Object.entries(times)) {
    const time = acceptListTime(text);
    if (time instanceof Refusal) return refuse(field, time);
  }
  const vote = readVote(raw, postId);
  if (vote instanceof Refusal) return refuse("userEmail", vote);
  if (raw.isVote) {
    return vote === undefined
      ? refuse("userEmail", new Refusal("required", "is required"))
      : { line, row, vote };
  }
  if (raw.status instanceof Refusal) return refuse("status", raw.status);
  const [body, answer] = [raw.body, raw.answer].map((text = "") =>
    raw.hasOwnIds ? text : readHtml(text)
  );
  const texts = {
    title: POST.fields.title.parse(title),
    body: POST.fields.body.parse(withoutImages([rest, body].join("\n\n").trim())),
    answer: POST.fields.answer.parse(answer.trim()),
  };
  for (const [field, text] of Object.entries(texts)) {
    if (text instanceof Refusal) return refuse(field, text);
  }
  const declared = readValues(POST, OTHER_POST_FIELDS, (name) => raw.declared?.get(name));
  if (isRefused(declared)) return refuse(declared.field, declared.refusal);
  const [votes, furtherVotes] = [raw.votes, raw.importedVotes].map(readNumber);
  if (votes instanceof Refusal) return refuse("votes", votes);
  if (furtherVotes instanceof Refusal) return refuse("importedVotes", furtherVotes);
  const author = readAddress(raw.authorEmail ?? "");
  const createdAt = parseListTime(raw.createdAt ?? "");
  const answeredAt = parseListTime(raw.answeredAt ?? "");
  const status = raw.status ?? "open";
  const changes = createdAt === undefined ? [] : [{ at: createdAt, status: "open" as const }];
  const changedAt = answeredAt ?? createdAt;
  const target = raw.mergedInto?.trim() ?? "";
  const unmergedVotes = Math.min(votes + furtherVotes, MAX_IMPORTED_VOTES);
  const post: FilePost = {
    ...texts as Pick<FilePost, "title" | "body" | "answer">,
    ...declared,
    postId,
    status,
    answeredAt: texts.answer === null ? null : changedAt ?? null,
    state,
    source: "import",
    // The original post already has the votes of its duplicate.
    importedVotes: target === "" ? unmergedVotes : 0,
    unmergedVotes,
    mergedInto: target === "" ? null : idOf(target),
    entryId: null,
    // An invalid address identifies nobody who could be told or erased.
    authorEmail: author instanceof Refusal ? null : author ?? null,
    history: status === "open" || changedAt === undefined
      ? changes
      : [...changes, { at: changedAt, status }],
    createdAt,
    updatedAt: changedAt,
    votes: 0,
    hasOthers: unmergedVotes > 1,
  };
  return { line, row, post, vote, lacksId: raw.id === undefined };
}

function readVote(raw: RawPostRow, postId: string): FileVote | Refusal | undefined {
  const userEmail = readAddress(raw.voterEmail ?? "");
  if (userEmail === undefined || userEmail instanceof Refusal) return userEmail;
  const name = parseUserName(raw.voterName ?? "");
  return {
    postId,
    userEmail,
    userName: name instanceof Refusal || name === "" ? null : name,
    why: null,
    source: "import",
    at: parseListTime(raw.votedAt ?? ""),
    own: true,
    via: [],
    asks: [],
    mergedInto: null,
    counts: true,
    isInNumber: true,
  };
}

function readAddress(text: string): string | Refusal | undefined {
  return text.trim() === "" ? undefined : parseEmailAddress(text.trim());
}

function readNumber(text = ""): number | Refusal {
  const digits = text.trim().replace(/\.0+$/, "");
  if (digits === "") return 0;
  return /^\d{1,10}$/.test(digits)
    ? Math.min(Number(digits), MAX_IMPORTED_VOTES)
    : new Refusal("invalid_value", "is not a whole number from 0 on");
}

/** Converts a text of HTML, which begins with a tag, to Markdown. */
function readHtml(text: string): string {
  if (!HTML_START.test(text)) return text;
  const { body, isTooLong } = runSynchronously(htmlToMarkdown(text));
  return isTooLong ? text : body;
}

/** Shortens a title that is too long, and puts the full title at the start of the body. */
function splitTitle(text: string): { readonly title: string; readonly rest: string } {
  const line = text.replace(/\s+/g, " ").trim();
  const characters = [...line];
  if (characters.length <= TITLE_MAX_CODE_POINTS) return { title: line, rest: "" };
  return { title: `${characters.slice(0, TITLE_MAX_CODE_POINTS - 1).join("")}…`, rest: line };
}

/** Turns images into links, because posts show no images. */
function withoutImages(markdown: string): string {
  return markdown.replace(/\r\n?/g, "\n").replaceAll("![](", "[image](").replaceAll("![", "[");
}
