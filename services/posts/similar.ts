import type { Storage } from "../../adapters/storage.ts";
import type { Board } from "../../model/board.ts";
import { BOARDS, POSTS } from "../../model/kinds.ts";
import { BOARD_TALLIES } from "../../model/posts/records.ts";
import { groupOf, placePrefix, PLACES, type PostGroup } from "../../model/posts/place.ts";
import { isClosing, type Post } from "../../model/posts/post.ts";
import { createWordIndex, type WordIndex } from "../../model/posts/word_index.ts";
import { createYielder } from "../../model/turns.ts";
import { readPages } from "../records.ts";
import { readEntriesOf, statusAt } from "./posts.ts";
import { changePlace, changesPrefix } from "./tally.ts";

/** Limit of similar posts. */
export const MAX_SIMILAR = 5;

// The search covers only posts that people may vote for.
const GROUPS: readonly PostGroup[] = ["open", "considering", "planned", "started", "entry"];
const PAGE_SIZE = 500;
// Beyond so many changes that left no post to read, all are read once.
const MAX_MISSED = 1_000;

/** The words of a board's posts. */
interface BoardWords {
  readonly boardId: string;
  readonly index: WordIndex;
  /** The version of the board's tally up to which the index knows the posts. */
  version: number;
  /** Number of changes whose posts are gone or changed again: some are still in the index. */
  missed: number;
  /** The reading of newer posts, which all searches share; `undefined` if there is none. */
  reading: Promise<void> | undefined;
}

const boards = new WeakMap<Storage, Map<string, BoardWords>>();

/** Finds the public posts of a board that a title may repeat, the most similar first. */
export async function findSimilar(
  storage: Storage,
  board: Board,
  { q, now }: { readonly q: string; readonly now: string },
): Promise<readonly Post[]> {
  const index = await openWords(storage, board);
  const found: Post[] = [];
  for (const { id } of await index.search(q)) {
    const post = await storage.get(POSTS, id);
    if (post === undefined) index.delete(id);
    if (post !== undefined && await isOpenTo(storage, post, { board, now })) found.push(post);
    if (found.length === MAX_SIMILAR) break;
  }
  return found;
}

async function isOpenTo(
  storage: Storage,
  post: Post,
  { board, now }: { readonly board: Board; readonly now: string },
): Promise<boolean> {
  if (post.boardInstanceId !== board.instanceId || post.state !== "public") return false;
  if (post.mergedInto !== null) return false;
  const entries = await readEntriesOf(storage, [post]);
  return !isClosing(statusAt(post, entries.get(`${post.entryId}`), now));
}

/** Returns the words of a board, after reading the posts that changed since the last call. */
async function openWords(storage: Storage, { boardId, instanceId }: Board): Promise<WordIndex> {
  let known = boards.get(storage);
  if (known === undefined) boards.set(storage, known = new Map());
  let words = known.get(instanceId);
  if (words === undefined) {
    words = { boardId, index: createWordIndex(), version: -1, missed: 0, reading: undefined };
    known.set(instanceId, words);
    await dropDeleted(storage, known);
  }
  const version = (await storage.get(BOARD_TALLIES, instanceId))?.version ?? 0;
  while (words.version < version) {
    const current: BoardWords = words;
    await (words.reading ??= readWords(storage, instanceId, current)
      .finally(() => current.reading = undefined));
  }
  return words.index;
}

async function dropDeleted(storage: Storage, known: Map<string, BoardWords>): Promise<void> {
  for (const [instanceId, { boardId }] of known) {
    const board = await storage.get(BOARDS, boardId);
    if (board?.instanceId !== instanceId) known.delete(instanceId);
  }
}

/** Reads the posts that changed, or all posts where many may be gone. */
async function readWords(storage: Storage, instanceId: string, words: BoardWords): Promise<void> {
  const version = (await storage.get(BOARD_TALLIES, instanceId))?.version ?? 0;
  if (words.version < 0 || words.missed > MAX_MISSED) {
    await readAllWords(storage, instanceId, words.index);
    words.missed = 0;
  } else {
    const found = await readChangedWords(storage, instanceId, words);
    words.missed += Math.max(0, version - words.version - found);
  }
  words.version = version;
}

async function readChangedWords(
  storage: Storage,
  instanceId: string,
  { index, version }: BoardWords,
): Promise<number> {
  // `!` sorts after the end of a position, and before its digits.
  const after = { by: `${changePlace(instanceId, version)}!`, key: "" };
  const yieldIfBusy = createYielder();
  let found = 0;
  const within = changesPrefix(instanceId);
  const query = { index: "byChange", within, after, limit: PAGE_SIZE };
  for await (const page of readPages(storage, POSTS, query)) {
    for (const post of page) {
      await yieldIfBusy();
      const { postId, title, body } = post;
      if (GROUPS.some((group) => group === groupOf(post))) {
        index.set(postId, { title, body: body ?? "" });
      } else {
        index.delete(postId);
      }
    }
    found += page.length;
  }
  return found;
}

async function readAllWords(
  storage: Storage,
  instanceId: string,
  index: WordIndex,
): Promise<void> {
  const gone = new Set(index.ids());
  const yieldIfBusy = createYielder();
  for (const group of GROUPS) {
    const within = placePrefix(instanceId, group);
    const query = { index: PLACES.new.index, within, limit: PAGE_SIZE };
    for await (const page of readPages(storage, POSTS, query)) {
      for (const { postId, title, body } of page) {
        await yieldIfBusy();
        index.set(postId, { title, body: body ?? "" });
        gone.delete(postId);
      }
    }
  }
  for (const id of gone) index.delete(id);
}
