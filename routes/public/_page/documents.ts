import type { Storage } from "../../../adapters/storage.ts";
import { hash64 } from "../../../model/crypto/hash64.ts";
import { createLruCache } from "../../../model/lru_cache.ts";
import { nextTurn } from "../../../model/turns.ts";
import { getSetting } from "../../../services/records.ts";
import { changeAfter, replyUnlessUnchanged } from "../../_http/conditions.ts";
import type { Context } from "../../_http/operation.ts";
import type { Problem } from "../../_http/problem.ts";
import type { Reply } from "../../_http/reply.ts";
import { pageHeaders } from "./layout.ts";
import { HTML_TYPE, type PublicSite, type Site } from "./site.ts";

/** A page or a feed before it is encoded. */
export interface PublicDocument {
  readonly body: string;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Identifies a document, and what it shows. */
export interface ShownDocument {
  /** Differs from all others of the site; a document without a name is never cached. */
  readonly name: string | undefined;
  /** Differs from what it showed before. */
  readonly version: string;
  /** When it changed to that; absent: since it was first asked for. */
  readonly changedMs?: number | undefined;
}

/** Makes a document; `undefined` if there is none. */
type Make<T extends PublicDocument | undefined> = () => T | Promise<T>;

/** The pages and feeds of a site, each kept as bytes while it shows the same. */
export interface Documents {
  /** Returns the site with what only storage knows. */
  siteIn(context: Pick<Context, "storage" | "now">): Promise<Site>;
  /**
   * Replies with a document. `make` is called only if the cached one shows something else, so that
   * a vote renders only the pages with its post anew. Concurrent requests call it once.
   */
  reply<T extends PublicDocument | undefined>(
    context: Pick<Context, "request" | "now">,
    shown: ShownDocument,
    make: Make<T>,
  ): Promise<Reply | Problem | (undefined extends T ? undefined : never)>;
}

interface KeptDocument {
  readonly version: string;
  readonly changedMs: number;
  readonly reply: Reply & { readonly body: Uint8Array<ArrayBuffer> };
}

/** Budget for recently read documents, in bytes; older ones share an equal budget. */
const MAX_BYTES = 16 * 1024 * 1024;
/** A document longer than this is encoded in a turn of its own of the event loop. */
const LARGE = 256 * 1024;
const utf8 = new TextEncoder();

/** Creates the documents of a site, which took the place of others at `sinceMs`, if any. */
export function createDocuments(site: PublicSite): Documents {
  const kept = createLruCache<KeptDocument>(MAX_BYTES, ({ reply }) => reply.body.length);
  const underway = new Map<string, Promise<KeptDocument | undefined>>();
  let loading: Promise<Site> | undefined;

  async function load({ storage, now }: Pick<Context, "storage" | "now">): Promise<Site> {
    return { ...site, tag: await feedTagOf(site, { storage, now: now.text }) };
  }

  async function makeDocument(
    { name, version, changedMs }: ShownDocument,
    nowMs: number,
    make: Make<PublicDocument | undefined>,
  ): Promise<KeptDocument | undefined> {
    const document = await make();
    if (document === undefined) return undefined;
    const { contentType, headers } = document;
    // Writing a feed or a sitemap of some megabytes took a while already.
    if (document.body.length > LARGE) await nextTurn();
    const body = utf8.encode(document.body);
    const validators = {
      ETag: `"${hash64(body)}"`,
      "Cache-Control": "public, max-age=60",
    };
    const before = name === undefined ? undefined : kept.get(name);
    const made = {
      version,
      changedMs: changedMs ?? changeAfter(nowMs, before?.changedMs ?? site.sinceMs),
      reply: { status: 200, body, contentType, headers: { ...headers, ...validators } },
    };
    if (name !== undefined) kept.set(name, made);
    return made;
  }

  /** Makes a document once for all concurrent requests for the same content. */
  async function makeOnce(
    shown: ShownDocument,
    nowMs: number,
    make: Make<PublicDocument | undefined>,
  ): Promise<KeptDocument | undefined> {
    if (shown.name === undefined) return await makeDocument(shown, nowMs, make);
    const key = `${shown.version} ${shown.name}`;
    let making = underway.get(key);
    if (making === undefined) {
      making = makeDocument(shown, nowMs, make).finally(() => underway.delete(key));
      underway.set(key, making);
    }
    return await making;
  }

  return {
    async siteIn(context) {
      loading ??= load(context).catch((error) => {
        loading = undefined;
        throw error;
      });
      return await loading;
    },
    async reply({ request, now }, shown, make) {
      const known = shown.name === undefined ? undefined : kept.get(shown.name);
      const document = known?.version === shown.version
        ? known
        : await makeOnce(shown, now.ms, make);
      if (document === undefined) return undefined as never;
      return replyUnlessUnchanged(request, document.reply, {
        changedMs: document.changedMs,
        now,
      });
    },
  };
}

/** Returns a version that tells contents apart. */
export function versionOf(content: unknown): string {
  return hash64(JSON.stringify(content));
}

export async function pageDocument(
  site: PublicSite,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<PublicDocument> {
  return {
    body,
    contentType: HTML_TYPE,
    headers: { ...await pageHeaders(site, body), ...headers },
  };
}

/**
 * Returns the start of identifiers in feeds: a `tag:` URI (RFC 4151) with the host and the day of
 * the first request. Storage keeps it, so that it survives a change of the host.
 */
export function feedTagOf(
  { publicUrl }: Pick<PublicSite, "publicUrl">,
  { storage, now }: { readonly storage: Storage; readonly now: string },
): Promise<string> {
  const { hostname } = new URL(publicUrl);
  const authority = /^[a-z0-9.-]+$/.test(hostname) ? hostname : "localhost";
  return getSetting(storage, "feedTag", () => `tag:${authority},${now.slice(0, 10)}:`);
}
