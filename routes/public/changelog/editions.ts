import type { Storage } from "../../../adapters/storage.ts";
import { hash64 } from "../../../model/crypto/hash64.ts";
import { nextTurn } from "../../../model/turns.ts";
import { EPOCH } from "../../../model/values/time.ts";
import { listCatalogue } from "../../../services/entries/catalogue.ts";
import { nextPublication } from "../../../services/entries/entries.ts";
import { listPublicBoards } from "../../../services/posts/public_boards.ts";
import { changeAfter, replyUnlessUnchanged } from "../../_http/conditions.ts";
import { createLruCache } from "../../../model/lru_cache.ts";
import type { Context } from "../../_http/operation.ts";
import type { Problem } from "../../_http/problem.ts";
import type { Reply } from "../../_http/reply.ts";
import { feedTagOf } from "../_page/feed_tag.ts";
import { type Catalogue, createCatalogue } from "./catalogue.ts";
import type { PublicSite } from "../_page/site.ts";
import { getChangelog } from "../../../services/changelog.ts";

/** A page or a feed before it is encoded. */
export interface PublicDocument {
  readonly body: string;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The published entries at one time, with the documents made from them. */
export interface Edition {
  readonly catalogue: Catalogue;
  /** Whether there are public boards, to which pages link. */
  readonly hasBoards: boolean;
  /** When readers last saw a change (RFC 3339, UTC, milliseconds). */
  readonly changedAt: string;
  /** The time of that change for conditions, which differs from that of the edition before. */
  readonly changedMs: number;
  /**
   * Replies with a document. Calls `make` unless the document is cached; `make` may find that there
   * is none. A document without a name is never cached.
   */
  reply(
    context: Pick<Context, "request" | "now">,
    name: string | undefined,
    make: Make,
  ): Promise<Reply | Problem | undefined>;
}

/** Returns the current edition at the time of a request (RFC 3339, UTC, milliseconds). */
export type Editions = (storage: Storage, now: string) => Promise<Edition>;

/**
 * An edition with the version of its entries and the period in which it is valid, the end of which
 * may still be unknown.
 */
interface Opened {
  readonly version: number;
  readonly from: string;
  until: string | undefined;
  readonly edition: Promise<Edition>;
}

type Make = () => Promise<PublicDocument | undefined>;
type Kept = Reply & { readonly body: Uint8Array<ArrayBuffer> };

// Budget for recently read documents; older ones share an equal budget.
const MAX_BYTES = 16 * 1024 * 1024;
const utf8 = new TextEncoder();

/**
 * Caches public documents as bytes until an entry changes or becomes public, so that each is made
 * once for all readers.
 */
export function createEditions(
  site: Pick<PublicSite, "publicUrl" | "changedAt" | "sinceMs">,
): Editions {
  let latest: Opened | undefined;
  // When readers of the latest edition last saw a change.
  let changedMs = site.sinceMs;

  function open(storage: Storage, now: string, version: number, updatedAt: string): Opened {
    const begun: Opened = { version, from: now, until: undefined, edition: load() };
    begun.edition.catch(() => {
      if (latest === begun) latest = undefined;
    });
    return begun;

    async function load(): Promise<Edition> {
      const [tag, until, entries, boards] = await Promise.all([
        feedTagOf(site, { storage, now }),
        nextPublication(storage, now),
        listCatalogue(storage, now),
        listPublicBoards(storage),
      ]);
      const catalogue = await createCatalogue(entries);
      begun.until = until;
      // The changelog did not exist before the day in its tag.
      const times = [updatedAt, catalogue.changedAt, `${tag.slice(-11, -1)}T00:00:00.000Z`];
      const changedAt = times.reduce((latest, at) => at > latest ? at : latest);
      const hasBoards = boards.length > 0;
      // Feeds don't tell of changed settings, but conditions do.
      const { changedAt: settingsAt = changedAt } = site;
      const shownAt = settingsAt > changedAt ? settingsAt : changedAt;
      // If a clock was ahead, the change still does not lie in the future.
      changedMs = changeAfter(Date.parse(shownAt < now ? shownAt : now), changedMs);
      return createEdition(catalogue, { changedAt, changedMs, hasBoards });
    }
  }

  return async function current(storage, now) {
    const { version = 0, updatedAt = EPOCH } = await getChangelog(storage) ?? {};
    const isCurrent = latest?.version === version && latest.from <= now &&
      (latest.until === undefined || now < latest.until);
    if (!isCurrent) latest = open(storage, now, version, updatedAt);
    return await latest!.edition;
  };
}

function createEdition(
  catalogue: Catalogue,
  { changedAt, changedMs, hasBoards }: {
    readonly changedAt: string;
    readonly changedMs: number;
    readonly hasBoards: boolean;
  },
): Edition {
  const replies = createLruCache<Kept>(MAX_BYTES, ({ body }) => body.length);
  const underway = new Map<string, Promise<Kept | undefined>>();

  async function replyWith(make: Make): Promise<Kept | undefined> {
    const document = await make();
    if (document === undefined) return undefined;
    const { contentType, headers } = document;
    // Writing a feed or a sitemap of some megabytes took a while already.
    await nextTurn();
    const body = utf8.encode(document.body);
    const validators = {
      ETag: `"${hash64(body)}"`,
      "Cache-Control": "public, max-age=60",
    };
    return { status: 200, body, contentType, headers: { ...headers, ...validators } };
  }

  /** Makes a document once for all concurrent requests, and caches it. */
  async function remember(name: string, make: Make): Promise<Kept | undefined> {
    const making = underway.get(name) ?? replyWith(make);
    underway.set(name, making);
    try {
      const reply = await making;
      if (reply !== undefined) replies.set(name, reply);
      return reply;
    } finally {
      underway.delete(name);
    }
  }

  return {
    catalogue,
    hasBoards,
    changedAt,
    changedMs,
    async reply({ request, now }, name, make) {
      const reply = name === undefined
        ? await replyWith(make)
        : replies.get(name) ?? await remember(name, make);
      return reply && replyUnlessUnchanged(request, reply, { changedMs, now });
    },
  };
}
