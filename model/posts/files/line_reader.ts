import { isRefused, otherNames, readValues } from "../../imports/file_values.ts";
import { refused, refuseRow } from "../../imports/reports.ts";
import type { Described } from "../../resource.ts";
import { parseEmailAddress } from "../../values/email_address.ts";
import { createObjectReader } from "../../values/object_reader.ts";
import { isId } from "../../values/record_id.ts";
import { Refusal } from "../../values/refusal.ts";
import { parseChoice, parseUserName } from "../../values/text.ts";
import { acceptListTime, parseListTime } from "../../values/time.ts";
import {
  MAX_STATUS_CHANGES,
  POST,
  POST_SOURCES,
  POST_STATES,
  POST_STATUSES,
  type StatusChange,
} from "../post.ts";
import { VOTE } from "../vote.ts";
import {
  type FileAsk,
  type FilePost,
  type FileVote,
  OTHER_POST_FIELDS,
  type PostRowReader,
  type ReadPostRow,
} from "./file_row.ts";

/** The members of an export's lines. What a line tells by other members, the others tell, too. */
const KNOWN: ReadonlySet<string> = new Set([
  ...Object.keys(POST.fields),
  ...Object.keys(VOTE.fields),
]);

// A post has two texts of 8 KiB, and JSON may write each character as several.
const MAX_LINE_LENGTH = 256 * 1_024;
const OTHER_VOTE_FIELDS = otherNames(VOTE, ["postId", "userEmail", "userName", "notify", "why"]);

type JsonLine = Readonly<Record<string, unknown>>;

/** Thrown for a member with an invalid value. */
class BadMember extends Error {
  readonly field: string;
  readonly refusal: Refusal;

  constructor(field: string, refusal: Refusal) {
    super(refusal.detail);
    this.field = field;
    this.refusal = refusal;
  }
}

/** Creates a reader for the lines of a Boardcast export: posts and votes. */
export function createPostLineReader(): PostRowReader {
  // The targets of the file's merged posts. Votes follow their post.
  const targets = new Map<string, string>();
  return createObjectReader<ReadPostRow>({
    known: KNOWN,
    maxLength: MAX_LINE_LENGTH,
    refuse: refuseRow,
    readObject(value, record) {
      const { line, text: row } = record;
      try {
        if (!("title" in value)) return { line, row, vote: readVote(value, targets) };
        const post = readPost(value);
        if (post.mergedInto !== null) targets.set(post.postId, post.mergedInto);
        return { line, row, post };
      } catch (error) {
        if (!(error instanceof BadMember)) throw error;
        const { field, refusal: { code, detail } } = error;
        return refused(record, { field, code, detail: `${field} ${detail}` });
      }
    },
  });
}

function readPost(line: JsonLine): FilePost {
  const { postId, title, body, status, answer, state } = POST.fields;
  const votes = whole(line, "votes");
  const importedVotes = whole(line, "importedVotes");
  return {
    postId: accept(line, "postId", postId.parse),
    title: accept(line, "title", title.parse),
    body: orNull(line, "body", body.parse),
    status: accept(line, "status", status.parse, "open"),
    answer: orNull(line, "answer", answer.parse),
    answeredAt: time(line, "answeredAt") ?? null,
    state: accept(line, "state", state.parse, POST_STATES[1]),
    source: accept(line, "source", (text) => parseChoice(text, POST_SOURCES), "import"),
    importedVotes,
    history: readHistory(line.history ?? []),
    mergedInto: orNull(line, "mergedInto", parseReference),
    entryId: orNull(line, "entryId", parseReference),
    authorEmail: orNull(line, "authorEmail", parseEmailAddress),
    createdAt: time(line, "createdAt"),
    updatedAt: time(line, "updatedAt"),
    votes,
    hasOthers: votes + importedVotes > 1,
    ...declared(POST, line, OTHER_POST_FIELDS),
  };
}

function readVote(line: JsonLine, targets: ReadonlyMap<string, string>): FileVote {
  const { why } = VOTE.fields;
  const postId = accept(line, "postId", parseReference);
  const source = accept(line, "source", (text) => parseChoice(text, POST_SOURCES), "import");
  const via = readReferences(line, "via");
  return {
    postId,
    userEmail: accept(line, "userEmail", parseEmailAddress),
    userName: orNull(line, "userName", parseUserName) || null,
    why: orNull(line, "why", why.parse),
    source,
    at: time(line, "at"),
    own: flag(line, "own", via.length === 0),
    via,
    asks: readAsks(line, { source, via }),
    mergedInto: targets.get(postId) ?? null,
    counts: flag(line, "counts", true),
    isInNumber: false,
    ...declared(VOTE, line, OTHER_VOTE_FIELDS),
  };
}

/** Reads fields whose values a line has as they are declared. */
function declared(described: Described, line: JsonLine, names: readonly string[]) {
  const values = readValues(described, names, (name) => line[name]);
  if (isRefused(values)) throw new BadMember(values.field, values.refusal);
  return values;
}

/** Reads a list of identifiers; earlier exports have one, or `null`. */
function readReferences(line: JsonLine, field: string): readonly string[] {
  return [line[field] ?? []].flat().map((one) => accept({ [field]: one }, field, parseReference));
}

/** Reads the requests to be told; earlier exports have one, in `notify`. */
function readAsks(
  line: JsonLine,
  { source, via }: Pick<FileVote, "source" | "via">,
): readonly FileAsk[] {
  const isAsked = flag(line, "notify", false);
  const at = time(line, "notifyAt");
  const { asks } = line;
  if (!isAsked) return [];
  if (!Array.isArray(asks)) return [{ via: via[0] ?? null, at, source }];
  return asks.map((ask: JsonLine) => ({
    via: orNull(ask, "via", parseReference),
    at: time(ask, "at"),
    source: accept(ask, "source", (text) => parseChoice(text, POST_SOURCES), "import"),
  }));
}

function readHistory(value: unknown): readonly StatusChange[] {
  const changes = Array.isArray(value) ? value.map(readChange) : [undefined];
  if (changes.every((change) => change !== undefined)) return changes.slice(-MAX_STATUS_CHANGES);
  const detail = "is not a history as an export has it";
  throw new BadMember("history", new Refusal("invalid_value", detail));
}

function readChange(value: JsonLine | null): StatusChange | undefined {
  const at = parseListTime(`${value?.at}`);
  const status = POST_STATUSES.find((one) => one === value?.status);
  return at === undefined || status === undefined ? undefined : { at, status };
}

function parseReference(text: string): string | Refusal {
  return isId(text) ? text : new Refusal(
    "invalid_value",
    "is not an identifier: 1 to 128 letters, digits and . _ ~ -",
  );
}

function accept<V>(
  line: JsonLine,
  field: string,
  parse: (text: string) => V | Refusal,
  absent?: string,
): V {
  const value = line[field] ?? absent;
  const fault = value === undefined
    ? new Refusal("required", "is required")
    : new Refusal("invalid_type", "must be a string");
  const parsed = typeof value === "string" ? parse(value) : fault;
  if (parsed instanceof Refusal) throw new BadMember(field, parsed);
  return parsed;
}

function orNull<V>(
  line: JsonLine,
  field: string,
  parse: (text: string) => V | Refusal,
): V | null {
  return line[field] === null || line[field] === undefined ? null : accept(line, field, parse);
}

function whole(line: JsonLine, field: string): number {
  const value = line[field] ?? 0;
  if (Number.isSafeInteger(value) && Number(value) >= 0) return Number(value);
  throw new BadMember(field, new Refusal("invalid_value", "is not a whole number"));
}

function time(line: JsonLine, field: string): string | undefined {
  const at = acceptListTime(`${line[field] ?? ""}`);
  if (at instanceof Refusal) throw new BadMember(field, at);
  return at;
}

function flag(line: JsonLine, field: string, absent: boolean): boolean {
  const value = line[field] ?? absent;
  if (typeof value === "boolean") return value;
  throw new BadMember(field, new Refusal("invalid_type", "must be true or false"));
}
