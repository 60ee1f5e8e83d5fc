import type { Entry } from "../model/entry.ts";
import { entryStateAt } from "../model/entry.ts";
import { getEntry, listEntries } from "../services/entries.ts";
import { getSetting } from "../services/settings.ts";
import { createPublicReplies, type PublicDocument } from "./_changelog/cache.ts";
import {
  FEED_TYPES,
  lastChange,
  latestChange,
  type PublicSite,
  type Site,
} from "./_changelog/site.ts";
import { type Context, type Operation, operation } from "./_operation.ts";
import { encodeCursor, ORDERED_PAGE_FIELDS } from "./_page.ts";
import type { Reply } from "./_reply.ts";

const PAGE_LENGTH = 20;
const FEED_LENGTH = 50;
const HTML_TYPE = "text/html; charset=utf-8";
const SUCCESS = {
  status: 200,
  headers: ["ETag", "Last-Modified"],
} as const;
const UNCHANGED = {
  status: 304,
  description: "What the client has is still current.",
  headers: ["ETag", "Last-Modified"],
} as const;

/** What makes the documents. */
type Press = typeof import("./_changelog/documents.ts") & {
  readonly site: Site;
  readonly pageHeaders: Readonly<Record<string, string>>;
};

/** Makes a document; `updatedAt` is when a public entry last changed. */
type Make = (press: Press, updatedAt: string) => Promise<PublicDocument | undefined>;

/** Creates the operations of the public changelog, which need no key. */
export function changelogOperations(options: PublicSite): readonly Operation[] {
  const reply = createPublicReplies();
  let press: Promise<Press> | undefined;

  async function openPress({ storage, now }: Context): Promise<Press> {
    const documents = await import("./_changelog/documents.ts");
    const { hostname } = new URL(options.publicUrl);
    const authority = /^[a-z0-9.-]+$/.test(hostname) ? hostname : "localhost";
    // Kept in storage, so that the identifiers in feeds outlive a change of the host.
    const create = () => `tag:${authority},${now.text.slice(0, 10)}:`;
    const tag = await getSetting(storage, "feedTag", create);
    const pageHeaders = await documents.createPageHeaders();
    return { ...documents, site: { ...options, tag }, pageHeaders };
  }

  function getPress(context: Context): Promise<Press> {
    press ??= openPress(context).catch((error) => {
      press = undefined;
      throw error;
    });
    return press;
  }

  async function replyWith(name: string, context: Context, make: Make): Promise<Reply> {
    const { request, storage, now } = context;
    const find = async (updatedAt: string) => await make(await getPress(context), updatedAt);
    const found = await reply(request, { name, storage, now: now.text }, find);
    if (found !== undefined) return found;
    const { renderMissing, site, pageHeaders } = await getPress(context);
    return { status: 404, body: renderMissing(site), contentType: HTML_TYPE, headers: pageHeaders };
  }

  function feed(
    context: Context,
    contentType: string,
    write: (press: Press, entries: readonly Entry[], updatedAt: string) => string,
  ): Promise<Reply> {
    const { storage, now } = context;
    return replyWith(contentType, context, async (press, updatedAt) => {
      const query = { state: "published", limit: FEED_LENGTH } as const;
      const entries = await listEntries(storage, query, now.text);
      const body = write(press, entries, updatedAt);
      return { body, contentType, lastModified: latestChange(entries, updatedAt) };
    });
  }

  return [
    operation({
      method: "GET",
      path: "/changelog",
      operationId: "getChangelogPage",
      summary: "Read the changelog",
      description: `Returns a page of the published entries, newest first, ${PAGE_LENGTH} a page.`,
      tag: "Public changelog",
      query: { cursor: ORDERED_PAGE_FIELDS.cursor },
      successes: [
        { ...SUCCESS, description: "The page.", schema: "Page", contentType: "text/html" },
        UNCHANGED,
      ],
      run: (context) => {
        const { storage, now, query: { cursor: after } } = context;
        const cursor = after ? encodeCursor(after) : undefined;
        return replyWith(`page ${cursor}`, context, async (press, updatedAt) => {
          const page = { after: after ?? undefined, limit: PAGE_LENGTH + 1 };
          const found = await listEntries(storage, { ...page, state: "published" }, now.text);
          const entries = found.slice(0, PAGE_LENGTH);
          const nextCursor = found.length > PAGE_LENGTH ? cursorOf(entries) : null;
          return {
            body: press.renderList(press.site, entries, { cursor, nextCursor }),
            contentType: HTML_TYPE,
            lastModified: latestChange(entries, updatedAt),
            headers: press.pageHeaders,
          };
        });
      },
    }),

    operation({
      method: "GET",
      path: "/changelog/:entryId",
      operationId: "getEntryPage",
      summary: "Read a published entry",
      description: "Returns the page of one published entry.",
      tag: "Public changelog",
      params: { entryId: { description: "The identifier of the entry.", examples: ["dark-mode"] } },
      successes: [
        { ...SUCCESS, description: "The page.", schema: "Page", contentType: "text/html" },
        UNCHANGED,
        {
          status: 404,
          description: "There is no published entry with this entryId.",
          schema: "Page",
          contentType: "text/html",
        },
      ],
      run: (context) =>
        replyWith(`entry ${context.param}`, context, async (press) => {
          const { storage, now, param } = context;
          const entry = await getEntry(storage, param);
          // A draft takes the way of an entry that isn't there.
          if (entry === undefined || entryStateAt(entry, now.text) !== "published") {
            return undefined;
          }
          return {
            body: press.renderEntry(press.site, entry),
            contentType: HTML_TYPE,
            lastModified: lastChange(entry),
            headers: press.pageHeaders,
          };
        }),
    }),

    operation({
      method: "GET",
      path: "/changelog.atom",
      operationId: "getAtomFeed",
      summary: "Follow the changelog by Atom",
      description: `Returns the newest ${FEED_LENGTH} entries as Atom 1.0 (RFC 4287).`,
      tag: "Public changelog",
      successes: [
        { ...SUCCESS, description: "The feed.", schema: "Feed", contentType: FEED_TYPES.atom },
        UNCHANGED,
      ],
      run: (context) =>
        feed(context, FEED_TYPES.atom, (press, ...rest) => press.writeAtom(press.site, ...rest)),
    }),

    operation({
      method: "GET",
      path: "/changelog.json",
      operationId: "getJsonFeed",
      summary: "Follow the changelog by JSON Feed",
      description: `Returns the newest ${FEED_LENGTH} entries as JSON Feed 1.1.`,
      tag: "Public changelog",
      successes: [
        { ...SUCCESS, description: "The feed.", schema: "JsonFeed", contentType: FEED_TYPES.json },
        UNCHANGED,
      ],
      run: (context) =>
        feed(
          context,
          FEED_TYPES.json,
          (press, entries) => press.writeJsonFeed(press.site, entries),
        ),
    }),
  ];
}

function cursorOf(entries: readonly Entry[]): string | null {
  const last = entries.at(-1);
  return last?.publishedAt ? encodeCursor({ key: last.entryId, by: last.publishedAt }) : null;
}
