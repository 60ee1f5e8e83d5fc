import type { Storage } from "../../adapters/storage.ts";
import type { Board } from "../../model/board.ts";
import { POSTS } from "../../model/kinds.ts";
import { BOARD_TALLIES } from "../../model/posts/records.ts";
import { placePrefix, PLACES, type PostGroup } from "../../model/posts/place.ts";
import { isClosing, type Post } from "../../model/posts/post.ts";
import { createWordIndex, type WordIndex } from "../../model/posts/word_index.ts";
import { createPace } from "../../model/turns.ts";
import { readPages } from "../records.ts";
import { readEntriesOf, statusAt } from "./posts.ts";

/** Limit of similar posts. */
export const MAX_SIMILAR = 5;

// The search covers only posts that people may vote for.
const GROUPS: readonly PostGroup[] = ["open", "considering", "planned", "started", "entry"];
const PAGE_SIZE = 500;

/** The words of a board's posts, and the version of the board's tally at that time. */
interface BoardWords {
  readonly version: number;
  readonly index: WordIndex;
}

const boards = new WeakMap<Storage, Map<string, Promise<BoardWords>>>();

/** Finds the public posts of a board that a title may repeat, the most similar first. */
export async function findSimilar(
  storage: Storage,
  board: Board,
  { q, now }: { readonly q: string; readonly now: string },
): Promise<readonly Post[]> {
  const { index } = await openWords(storage, board);
  const found: Post[] = [];
  for (const { id } of await index.search(q)) {
    const post = await storage.get(POSTS, id);
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

/** Returns the words of a board's posts; reads only those that changed since the last call. */
async function openWords(storage: Storage, { instanceId }: Board): Promise<BoardWords> {
  let known = boards.get(storage);
  if (known === undefined) boards.set(storage, known = new Map());
  const version = (await storage.get(BOARD_TALLIES, instanceId))?.version ?? 0;
  const before = known.get(instanceId);
  const words = await before?.catch(() => undefined);
  if (words !== undefined && words.version >= version) return words;
  // Another search may have started reading meanwhile.
  const current = known.get(instanceId);
  if (current !== undefined && current !== before) return await current;
  const reading = readWords(storage, instanceId, { version, before: words?.index });
  known.set(instanceId, reading);
  reading.catch(() => known.delete(instanceId));
  return await reading;
}

async function readWords(
  storage: Storage,
  instanceId: string,
  { version, before }: { readonly version: number; readonly before: WordIndex | undefined },
): Promise<BoardWords> {
  const index = createWordIndex(before);
  const pace = createPace();
  for (const group of GROUPS) {
    const prefix = placePrefix(instanceId, group);
    const query = { index: PLACES.new.index, after: { by: prefix, key: "" }, limit: PAGE_SIZE };
    const isOver = (post: Post) => !`${post.newPlace}`.startsWith(prefix);
    for await (const page of readPages(storage, POSTS, query, { isOver })) {
      for (const { postId, title, body } of page) {
        await pace();
        index.add(postId, { title, body: body ?? "" });
      }
    }
  }
  return { version, index };
}
