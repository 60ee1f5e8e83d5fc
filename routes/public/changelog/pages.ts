import type { SiteContext } from "../../branded.ts";
import type { Position } from "../../../adapters/storage.ts";
import { text } from "../../../model/declare.ts";
import { hash64 } from "../../../model/crypto/hash64.ts";
import { LABEL, LABEL_PATTERN } from "../../../model/entries/entry.ts";
import { inPieces, limitConcurrency } from "../../../model/turns.ts";
import { queryWords } from "../../../model/values/found_words.ts";
import { Refusal } from "../../../model/values/refusal.ts";
import { parseText } from "../../../model/values/text.ts";
import { getPublished } from "../../../services/entries/catalogue.ts";
import { searchPublished } from "../../../services/entries/search.ts";
import { listShippedIdeas } from "../../../services/posts/shipped_ideas.ts";
import {
  listBoardPages,
  readBoardStates,
  type SitemapPage,
} from "../../../services/posts/sitemap.ts";
import { pageDocument, versionOf } from "../_page/documents.ts";
import { renderAll, type RenderedEntry } from "../_page/rendered.ts";
import type { Snapshot } from "./snapshots.ts";
import {
  encodeItem,
  itemsWith,
  LISTING,
  neighboursOf,
  PAGE_LENGTH,
  placeOf,
} from "./entry_lists.ts";
import { renderEntry } from "./entry_page.ts";
import { type FeedContent, writeAtom, writeJsonFeed } from "./feeds.ts";
import { renderList } from "./list_page.ts";
import { MAX_QUERY_LENGTH, renderSearch } from "./search_page.ts";
import { writeSitemap } from "./sitemap.ts";
import { FEED_TYPES, type Site, XML_TYPE } from "../_page/site.ts";
import { createLimit } from "../../_http/rate_limit.ts";
import {
  type Context,
  type Declaration,
  FOUND_PAGE,
  type Operation,
  operation,
} from "../../_http/operation.ts";
import { ORDERED_PAGE_FIELDS, refuseForeign } from "../../_http/page.ts";
import { Problem } from "../../_http/problem.ts";
import type { Reply } from "../../_http/reply.ts";

const FEED_LENGTH = 50;
const VALIDATORS = ["ETag", "Last-Modified"] as const;
const FOUND = { ...FOUND_PAGE, headers: VALIDATORS } as const;
// Limit of searches that run or wait.
const MAX_SEARCHES = 64;
const MAX_RUNNING = 2;
const NOTHING = new Problem("entry_not_found", "There is no published entry with this entryId");

const label = text("Only entries that have this label.", "new", {
  rules: { pattern: LABEL_PATTERN },
  parse: (text: string) => LABEL.test(text) ? text : new Refusal("invalid_value", "is no label"),
});

const q = text(
  "Only entries that have all of these words, or parts of words, in title or body.",
  "dark mode",
  {
    rules: { maxLength: MAX_QUERY_LENGTH },
    parse: (text: string) => parseText(text, { maxCodePoints: MAX_QUERY_LENGTH }),
  },
);

/** Writes a feed of rendered entries. */
const FEEDS = {
  atom: async (site: Site, content: FeedContent<RenderedEntry>) => ({
    contentType: FEED_TYPES.atom,
    body: await inPieces(writeAtom(site, content)),
  }),
  json: (site: Site, content: FeedContent<RenderedEntry>) =>
    Promise.resolve({
      contentType: FEED_TYPES.json,
      body: writeJsonFeed(site, content),
      // Any site may show the feed: everything in it is public.
      headers: { "Access-Control-Allow-Origin": "*" },
    }),
} as const;

/** Creates the operations of the pages and feeds of the changelog. */
export async function operations(context: SiteContext): Promise<readonly Operation[]> {
  const { site } = context;
  const [documents, snapshots] = await Promise.all([context.documents(), context.snapshots()]);
  const withBoards = { ...site, hasBoards: true };

  async function open(context: Context): Promise<{ shown: Site; snapshot: Snapshot }> {
    const snapshot = await snapshots(context.storage, context.now.text);
    const { tag } = await documents.siteIn(context);
    return { shown: { ...snapshot.hasBoards ? withBoards : site, tag }, snapshot };
  }

  function feedOperation(
    format: "atom" | "json",
    schema: "Feed" | "JsonFeed",
    declared: Pick<Declaration, "operationId" | "summary" | "description">,
  ): Operation {
    return operation("GET", `/changelog.${format}`, {
      ...declared,
      query: { label },
      successes: [{
        status: 200,
        schema,
        headers: [
          ...VALIDATORS,
          ...format === "json" ? ["Access-Control-Allow-Origin"] as const : [],
        ],
      }],
      async run(context) {
        const { storage, now, query } = context;
        const { shown, snapshot } = await open(context);
        const name = nameOf(snapshot, { sort: format, label: query.label });
        const reply = await snapshot.reply(context, name, async () => {
          const items = itemsWith(snapshot.lists, query.label).slice(0, FEED_LENGTH);
          const entries = await getPublished(storage, items, now.text);
          const { changedAt } = snapshot;
          return await FEEDS[format](shown, {
            entries: await renderAll(shown, entries),
            label: query.label,
            changedAt,
          });
        });
        return reply ?? NOTHING;
      },
    });
  }

  const inLimit = createLimit(MAX_SEARCHES, "searches");
  const inTurn = limitConcurrency(MAX_RUNNING);

  /**
   * Finds a page of entries that contain some words. Nothing is cached, because the number of
   * possible searches is unlimited.
   */
  async function search(context: Context, { q, label, after }: {
    readonly q: string;
    readonly label: string | undefined;
    readonly after: Position | undefined;
  }): Promise<Reply | Problem> {
    const words = queryWords(q);
    const { storage, now, isGone } = context;
    const { shown, snapshot } = await open(context);
    const limit = PAGE_LENGTH + 1;
    const options = { words, label, after, limit, isGone };
    const found = await inTurn(() => searchPublished(storage, options, now.text));
    const entries = found.slice(0, PAGE_LENGTH);
    const last = entries.at(-1);
    const older = found.length < limit || last === undefined
      ? undefined
      : encodeItem({ ...last, publishedAt: `${last.publishedAt}` });
    const make = async () =>
      await pageDocument(
        shown,
        await renderSearch(shown, { q, words, label, entries, older }),
      );
    return await snapshot.reply(context, undefined, make) ?? NOTHING;
  }

  return [
    operation("GET", "/changelog", {
      operationId: "getChangelogPage",
      summary: "Read the changelog",
      description:
        "Returns a page of 20 published entries, newest first: all, or those with a label or " +
        "with some words.",
      isPage: true,
      query: { label, q, cursor: ORDERED_PAGE_FIELDS.cursor },
      successes: [FOUND],
      problems: ["rate_limited"],
      async run(context) {
        const { storage, now, query } = context;
        const refused = refuseForeign(query.cursor, LISTING);
        if (refused !== undefined) return refused;
        const after = query.cursor ?? undefined;
        const { q, label } = query;
        if (q) return await inLimit(() => search(context, { q, label, after }));
        const { shown, snapshot } = await open(context);
        const { lists } = snapshot;
        const place = placeOf(lists, { label: query.label, after });
        const reply = await snapshot.reply(
          context,
          nameOf(snapshot, { sort: `list ${place.from}`, label: query.label }),
          async () => {
            const entries = await getPublished(storage, place.items, now.text);
            return await pageDocument(
              shown,
              renderList(shown, {
                place,
                entries: await renderAll(shown, entries),
                labels: lists.labels,
              }),
            );
          },
        );
        return reply ?? NOTHING;
      },
    }),

    operation("GET", "/changelog/:entryId", {
      operationId: "getEntryPage",
      summary: "Read a published entry",
      isPage: true,
      successes: [FOUND],
      async run(context) {
        const { storage, now, param } = context;
        const { shown, snapshot } = await open(context);
        const neighbours = neighboursOf(snapshot.lists, param);
        if (neighbours === undefined) return NOTHING;
        const ideas = snapshot.hasBoards ? await listShippedIdeas(storage, param) : [];
        // Ideas change without the changelog, so the page's name depends on its links.
        const name = `entry ${param} ${ideas.length === 0 ? "" : hash64(JSON.stringify(ideas))}`;
        const reply = await snapshot.reply(context, name, async () => {
          const [entry] = await getPublished(storage, [{ entryId: param }], now.text);
          return entry &&
            await pageDocument(shown, renderEntry(shown, entry, { ...neighbours, ideas }));
        });
        return reply ?? NOTHING;
      },
    }),

    feedOperation("atom", "Feed", {
      operationId: "getAtomFeed",
      summary: "Follow the changelog by Atom",
      description: `Returns the newest ${FEED_LENGTH} entries as Atom 1.0 (RFC 4287).`,
    }),
    feedOperation("json", "JsonFeed", {
      operationId: "getJsonFeed",
      summary: "Follow the changelog by JSON Feed",
      description:
        `Returns the newest ${FEED_LENGTH} entries as JSON Feed 1.1. Pages of any origin may read it.`,
    }),

    operation("GET", "/sitemap.xml", {
      operationId: "getSitemap",
      summary: "Find all pages",
      description: "Returns the addresses of the changelog, of its labels and of all entries.",
      successes: [{ status: 200, schema: "Sitemap", headers: VALIDATORS }],
      async run(context): Promise<Reply | Problem> {
        const { shown, snapshot } = await open(context);
        const { lists, changedAt, changedMs, hasBoards } = snapshot;
        const write = async (boardPages: readonly SitemapPage[]) => ({
          contentType: XML_TYPE,
          body: await inPieces(writeSitemap(shown, lists, { changedAt, boardPages })),
        });
        if (!hasBoards) return await snapshot.reply(context, "sitemap", () => write([])) ?? NOTHING;
        // Boards change more often than the changelog.
        const boards = await readBoardStates(context.storage);
        const version = versionOf([changedMs, boards]);
        return await documents.reply(
          context,
          { name: "sitemap", version },
          async () => await write(await listBoardPages(context.storage, boards)),
        );
      },
    }),
  ];
}

/**
 * Returns the name of a document for the cache; none for a label that no entry has, because the
 * number of possible labels is unlimited.
 */
function nameOf(
  { lists: { labels } }: Snapshot,
  { sort, label = "" }: { readonly sort: string; readonly label: string | undefined },
): string | undefined {
  return label === "" || labels.includes(label) ? `${sort} ${label}` : undefined;
}
