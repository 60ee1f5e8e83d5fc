// What a draft asks of the API.

/** @import { Found, Request } from "./draft.js" */
import { path, Problem, send } from "../client.js";
import { toJson } from "./words.js";

/** How much older an answer may be than its `Date`, and clocks of several servers may differ. */
const CLOCK_MS = 5000;

/**
 * @param {string} entryId
 * @param {AbortSignal} [signal]
 * @returns {Promise<Found>}
 */
export async function read(entryId, signal) {
  return await foundIn(await send("GET", path`changelogs/entries/${entryId}`, { signal }));
}

/** @param {Response} response @returns {Promise<Found>} */
async function foundIn(response) {
  return { entry: await response.json(), etag: response.headers.get("ETag") ?? "" };
}

/** Does what a draft asks for; throws a `Problem`. @param {Request} request @returns {Promise<Found>} */
export async function perform(request) {
  // The page may be gone before an answer comes; browsers then send only what is short.
  const keepalive = document.visibilityState === "hidden";
  switch (request.kind) {
    case "look":
      return await read(request.entryId);
    case "find":
      return await find(
        () => request.createdAt,
        ({ createdAt }) => createdAt === request.createdAt,
      );
    case "search": {
      const { entryId, words: { title, body }, at = 0 } = request.creating;
      const waitedMs = Date.now() - at + CLOCK_MS;
      return await find(
        (now) => new Date(Math.max(0, now - waitedMs)).toISOString(),
        (entry) =>
          entry.entryId === entryId || entry.title === title?.trim() || entry.body === body,
      );
    }
    case "create": {
      const { entryId, words } = request;
      const json = { ...toJson(words), entryId };
      return await foundIn(await send("POST", "changelogs/entries", { json, keepalive }));
    }
    default: {
      const { entryId, etag: match, words, to } = request;
      const json = { ...toJson(words), entryId: to };
      const target = path`changelogs/entries/${entryId}`;
      return await foundIn(await send("PATCH", target, { json, match, keepalive }));
    }
  }
}

/**
 * Finds a draft that somebody may have given another address.
 *
 * @param {(now: number) => string} since The earliest time that it can have been created at, given the server's.
 * @param {(entry: Found["entry"]) => boolean} isWanted
 * @returns {Promise<Found>}
 */
async function find(since, isWanted) {
  /** @type {string | null | undefined} */
  let cursor;
  while (cursor !== null) {
    const response = await send("GET", "changelogs/entries", { query: { limit: "25", cursor } });
    const date = response.headers.get("Date");
    const first = since(date ? Date.parse(date) : Date.now());
    /** @type {{ data: Found["entry"][], nextCursor: string | null }} */
    const { data, nextCursor } = await response.json();
    // They come newest first.
    const young = data.filter(({ createdAt }) => createdAt >= first);
    const found = young.find(isWanted);
    if (found) return await read(found.entryId);
    cursor = young.length < data.length ? null : nextCursor;
  }
  throw new Problem({ status: 404, code: "entry_not_found" });
}
