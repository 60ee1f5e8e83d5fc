import { parseJsonValues } from "../../entries/files/json_values.ts";
import { type JsonItem, objectsOf, stringOf } from "../../entries/files/json_item.ts";
import { addUnused } from "../../values/object_reader.ts";
import { Refusal } from "../../values/refusal.ts";
import type { PostStatus } from "../post.ts";
import type { ReadPostRow } from "./file_row.ts";
import { checkRawRow, type RawPostRow } from "./raw_row.ts";
import { readStatusWord, type StatusWords } from "./status_words.ts";

/** The tables to read from Fider's backup. */
export const FIDER_TABLES = ["posts.json", "post_votes.json", "users.json"] as const;

const NO_POSTS = new Refusal("required", "the archive has no posts.json: is it a backup of Fider?");
/** Fider's statuses by number; `undefined`: the post is a duplicate or was deleted. */
const STATUSES: readonly (PostStatus | undefined)[] = [
  "open",
  "started",
  "shipped",
  "declined",
  "planned",
];
const DUPLICATE = 5;
const DELETED = 6;
const ROWS_AT_ONCE = 200;
const INDEXED_AT_ONCE = 5_000;

/** The members of a post that are read. */
const USED: ReadonlySet<string> = new Set([
  "id",
  "number",
  "title",
  "description",
  "status",
  "user_id",
  "created_at",
  "response",
  "response_date",
  "original_id",
  "is_approved",
]);

/**
 * Reads the posts and votes of a Fider backup in pieces, with pauses between them. Adds the members
 * of posts that are not used to `unusedColumns`.
 */
export function* readFiderTables(
  files: ReadonlyMap<string, Uint8Array>,
  { boardId, words, unusedColumns }: {
    readonly boardId: string;
    readonly words: StatusWords | undefined;
    readonly unusedColumns: Set<string>;
  },
): Generator<readonly ReadPostRow[] | undefined, Refusal | undefined> {
  const tables: (readonly JsonItem[])[] = [];
  for (const name of FIDER_TABLES) {
    const table = yield* readTable(files.get(name));
    if (table instanceof Refusal) return table;
    tables.push(table);
  }
  const [posts, votes, users] = tables;
  if (!files.has("posts.json")) return NO_POSTS;
  const people = yield* indexById(users, (user) => user);
  const numbers = yield* indexById(posts, ({ id, number }) => `${number ?? id}`);
  const leftOut = new Set<string | undefined>();
  const checked = (raw: RawPostRow, index: number) =>
    checkRawRow(raw, { boardId, product: "Fider", line: index + 1, row: null });
  let rows: ReadPostRow[] = [];
  for (const [index, post] of posts.entries()) {
    const row = checked(rawPost(post, { numbers, people, words }), index);
    rows.push(row);
    addUnused(unusedColumns, post, USED);
    if ("leftOut" in row) leftOut.add(numbers.get(Number(post.id)));
    if (rows.length < ROWS_AT_ONCE) continue;
    yield rows;
    rows = [];
  }
  for (const [index, vote] of votes.entries()) {
    const voter = people.get(Number(vote.user_id));
    const number = numbers.get(Number(vote.post_id));
    if (leftOut.has(number)) continue;
    // A voter without an address used another service's login; nobody could withdraw such a vote.
    if (stringOf(voter?.email) === "") {
      rows.push({ line: index + 1, row: null, leftOut: "withoutAddress" });
    } else {
      rows.push(checked({
        id: number,
        isVote: true,
        voterEmail: stringOf(voter?.email),
        voterName: stringOf(voter?.name),
        votedAt: stringOf(vote.created_at),
      }, index));
    }
    if (rows.length < ROWS_AT_ONCE) continue;
    yield rows;
    rows = [];
  }
  yield rows;
}

/** Maps the identifiers of items, with pauses between pieces. */
function* indexById<T>(
  items: readonly JsonItem[],
  valueOf: (item: JsonItem) => T,
): Generator<undefined, ReadonlyMap<number, T>> {
  const index = new Map<number, T>();
  for (const [at, item] of items.entries()) {
    if (at % INDEXED_AT_ONCE === 0) yield undefined;
    index.set(Number(item.id), valueOf(item));
  }
  return index;
}

function* readTable(
  bytes: Uint8Array | undefined,
): Generator<undefined, readonly JsonItem[] | Refusal> {
  if (bytes === undefined) return [];
  const work = parseJsonValues(new TextDecoder().decode(bytes));
  let next = work.next();
  for (; !next.done; next = work.next()) yield undefined;
  return next.value instanceof Refusal ? next.value : objectsOf(next.value[0]);
}

function rawPost(
  post: JsonItem,
  { numbers, people, words }: {
    readonly numbers: ReadonlyMap<number, string>;
    readonly people: ReadonlyMap<number, JsonItem>;
    readonly words: StatusWords | undefined;
  },
): RawPostRow {
  const isDuplicate = post.status === DUPLICATE;
  const status = typeof post.status === "number"
    ? STATUSES[post.status] ?? (isDuplicate ? "open" : readStatusWord(`${post.status}`, words))
    : readStatusWord(stringOf(post.status), words);
  const original = Number(post.original_id);
  const isApproved = (post.is_approved ?? true) === true;
  return {
    id: `${post.number ?? post.id ?? ""}`,
    state: post.status === DELETED ? "deleted" : isApproved ? "approved" : "pending",
    title: stringOf(post.title),
    body: stringOf(post.description),
    status,
    answer: stringOf(post.response),
    answeredAt: stringOf(post.response_date),
    // An original that is missing has an identifier that no other post has.
    mergedInto: isDuplicate ? numbers.get(original) ?? `missing ${original}` : undefined,
    createdAt: stringOf(post.created_at),
    authorEmail: stringOf(people.get(Number(post.user_id))?.email),
  };
}
