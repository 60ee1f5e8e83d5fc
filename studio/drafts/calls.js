// The requests of a draft, as calls of the API.

/** @import { Found, Request } from "./draft.js" */
import { ApiProblem, path, readJson, send, sendForRecord } from "../client.js";
import { toJson } from "./words.js";

/** Browsers send at most 64 KiB of requests that outlive their page. */
const MAX_KEEPALIVE_BYTES = 60 * 1024;

/**
 * @param {string} entryId
 * @param {AbortSignal} [signal]
 * @returns {Promise<Found>}
 */
export async function read(entryId, signal) {
  return await foundIn(await sendForRecord(path`changelogs/entries/${entryId}`, signal));
}

/** @param {Response} response @returns {Promise<Found>} */
async function foundIn(response) {
  return { entry: await readJson(response), etag: response.headers.get("ETag") ?? "" };
}

/**
 * Carries out a request; throws an `ApiProblem`.
 *
 * @param {Request} request
 * @returns {Promise<Found>}
 */
export async function perform(request) {
  switch (request.kind) {
    case "look":
      return await read(request.entryId);
    case "find":
      return await find(request.createdAt);
    case "create": {
      const { entryId, words } = request;
      const json = { ...toJson(words), entryId };
      const keepalive = mayOutlive(json);
      return await foundIn(await send("POST", "changelogs/entries", { json, keepalive }));
    }
    default: {
      const { entryId, etag: match, words, to } = request;
      const json = { ...toJson(words), entryId: to };
      const keepalive = mayOutlive(json);
      const target = path`changelogs/entries/${entryId}`;
      return await foundIn(await send("PATCH", target, { json, match, keepalive }));
    }
  }
}

/**
 * Tells whether a request must survive the closing of the page.
 *
 * @param {unknown} json
 */
function mayOutlive(json) {
  if (document.visibilityState !== "hidden") return false;
  return new TextEncoder().encode(JSON.stringify(json)).length <= MAX_KEEPALIVE_BYTES;
}

/**
 * Finds a draft whose address somebody has changed, by the time of its creation.
 *
 * @param {string} createdAt
 * @returns {Promise<Found>}
 */
async function find(createdAt) {
  /** @type {string | null | undefined} */
  let cursor;
  while (cursor !== null) {
    const query = { limit: "100", cursor };
    /** @type {{ data: Found["entry"][], nextCursor: string | null }} */
    const page = await readJson(await send("GET", "changelogs/entries", { query }));
    const found = page.data.find((entry) => entry.createdAt === createdAt);
    if (found) return await read(found.entryId);
    // The newest come first.
    cursor = page.data.some((entry) => entry.createdAt < createdAt) ? null : page.nextCursor;
  }
  throw new ApiProblem({ status: 404, code: "entry_not_found" });
}
