import { ifNoneMatch } from "@std/http/etag";
import type { Storage } from "../../adapters/storage.ts";
import { hash64 } from "../../model/hash64.ts";
import { EPOCH, parseHttpDate } from "../../model/time.ts";
import { getChangelog, nextPublication } from "../../services/entries.ts";
import { createRecentMap, type RecentMap } from "../_recent_map.ts";
import type { Reply } from "../_reply.ts";

export interface PublicDocument {
  readonly body: string;
  readonly contentType: string;
  /** When what it shows last changed (RFC 3339, UTC, milliseconds). */
  readonly lastModified: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a document is made from. */
export interface Source {
  readonly name: string;
  readonly storage: Storage;
  /** The time of the request (RFC 3339, UTC, milliseconds). */
  readonly now: string;
}

/** Replies with a document; `make` is called unless it is known, and may find that there is none. */
export type PublicReplies = (
  request: Request,
  source: Source,
  make: (changelogUpdatedAt: string) => Promise<PublicDocument | undefined>,
) => Promise<Reply | undefined>;

/** What was made of the entries as they were in one version. */
interface Generation {
  readonly version: number;
  readonly from: string;
  /** When the next entry becomes public; `undefined` if none is scheduled. */
  readonly until: Promise<string | undefined>;
  readonly updatedAt: string;
  readonly replies: RecentMap<Promise<Reply | undefined>>;
}

const DOCUMENTS = 100;
const utf8 = new TextEncoder();

/**
 * Keeps what is public as bytes until an entry changes or becomes public: each document is made
 * once for all readers.
 */
export function createPublicReplies(): PublicReplies {
  let latest: Generation | undefined;

  async function current(storage: Storage, now: string): Promise<Generation> {
    const { version = 0, updatedAt = EPOCH } = await getChangelog(storage) ?? {};
    // Where another request has begun the next generation meanwhile, this one may belong to it.
    for (let known = latest; known?.version === version && known.from <= now; known = latest) {
      const until = await known.until;
      if (until === undefined || now < until) return known;
      if (latest === known) break;
    }
    const until = nextPublication(storage, now);
    const replies = createRecentMap<Promise<Reply | undefined>>(DOCUMENTS);
    const begun: Generation = latest = { version, from: now, until, updatedAt, replies };
    until.catch(() => {
      if (latest === begun) latest = undefined;
    });
    await until;
    return begun;
  }

  return async (request, { name, storage, now }, make) => {
    const { replies, updatedAt } = await current(storage, now);
    let making = replies.get(name);
    if (making === undefined) {
      making = make(updatedAt).then((document) => document && replyWith(document));
      replies.set(name, making);
      const forget = () => replies.delete(name);
      // What isn't there takes no room, and a failure isn't remembered.
      making.then((reply) => reply ?? forget(), forget);
    }
    const reply = await making;
    return reply &&
      (isUnchanged(request, reply, Date.parse(now))
        ? { status: 304, headers: reply.headers }
        : reply);
  };
}

function replyWith({ body, contentType, lastModified, headers }: PublicDocument): Reply {
  return {
    status: 200,
    body: utf8.encode(body),
    contentType,
    headers: {
      ...headers,
      ETag: `"${hash64(body)}"`,
      "Last-Modified": new Date(lastModified).toUTCString(),
      "Cache-Control": "public, max-age=60",
    },
  };
}

/** Tells whether a client has the document already (RFC 9110, section 13.2.2). */
export function isUnchanged(
  { headers }: Request,
  { headers: own = {} }: Reply,
  nowMs: number,
): boolean {
  const tags = headers.get("if-none-match");
  if (tags !== null) return !ifNoneMatch(tags.replace(/\s+/g, " "), own.ETag);
  const since = parseHttpDate(headers.get("if-modified-since") ?? "", nowMs);
  return since !== undefined && since >= Date.parse(own["Last-Modified"] ?? "");
}
