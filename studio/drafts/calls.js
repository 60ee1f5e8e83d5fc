// What a draft asks of the API.

/** @import { Found, Request } from "./draft.js" */
import { call, path, Problem, send } from "../client.js";
import { toJson } from "./words.js";

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
      return await find(request.createdAt);
    case "create": {
      const words = Object.fromEntries(
        Object.entries(request.words).filter(([field]) => !request.without.includes(field)),
      );
      const json = { ...toJson(words), entryId: request.entryId };
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

/** Finds a draft that somebody has given another address. @param {string} createdAt @returns {Promise<Found>} */
async function find(createdAt) {
  /** @type {string | null | undefined} */
  let cursor;
  while (cursor !== null) {
    const query = { limit: "100", cursor };
    /** @type {{ data: Found["entry"][], nextCursor: string | null }} */
    const { data, nextCursor } = await call("GET", "changelogs/entries", { query });
    const found = data.find((entry) => entry.createdAt === createdAt);
    if (found) return await read(found.entryId);
    // They come newest first.
    const last = data.at(-1);
    if (last && last.createdAt < createdAt) break;
    cursor = nextCursor;
  }
  throw new Problem({ status: 404, code: "entry_not_found" });
}
