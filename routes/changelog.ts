import type { Entry } from "../model/entry.ts";
import { entryStateAt } from "../model/publication.ts";
import { getEntry, listEntries } from "../services/entries.ts";
import { getSetting } from "../services/settings.ts";
import { createPublicReplies, type PublicDocument } from "./_changelog/cache.ts";
import type { Documents } from "./_changelog/documents.ts";
import { FEED_TYPES, type PublicSite } from "./_changelog/site.ts";
import { type Context, type Declaration, type Operation, operation } from "./_operation.ts";
import { encodeCursor, ORDERED_PAGE_FIELDS, refuseForeign } from "./_page.ts";
import type { Reply } from "./_reply.ts";

const LISTING = "changelog";
const PAGE_LENGTH = 20;
const FEED_LENGTH = 50;
const TAG = { tag: "Public changelog" } as const;
const VALIDATORS = { headers: ["ETag", "Last-Modified"] } as const;
const PAGE = { schema: "Page", contentType: "text/html" } as const;
const FOUND_PAGE = { status: 200, description: "The page.", ...PAGE, ...VALIDATORS } as const;
const UNCHANGED = {
  status: 304,
  description: "What the client has is still current.",
  ...VALIDATORS,
} as const;

/** Makes a document; `updatedAt` is when a public entry last changed. */
type Make = (documents: Documents, updatedAt: string) => Promise<PublicDocument | undefined>;

export function changelogOperations(site: PublicSite): readonly Operation[] {
  const reply = createPublicReplies();
  let loading: Promise<Documents> | undefined;

  function load(context: Context): Promise<Documents> {
    loading ??= loadDocuments(site, context).catch((error) => {
      loading = undefined;
      throw error;
    });
    return loading;
  }

  async function replyWith(name: string, context: Context, make: Make): Promise<Reply> {
    const { request, storage, now } = context;
    const find = async (updatedAt: string) => await make(await load(context), updatedAt);
    const found = await reply(request, { name, storage, now: now.text }, find);
    return found ?? (await load(context)).missing;
  }

  function feedOperation(
    format: "atom" | "json",
    schema: "Feed" | "JsonFeed",
    declared: Pick<Declaration, "operationId" | "summary" | "description">,
  ): Operation {
    const contentType = FEED_TYPES[format];
    return operation("GET", `/changelog.${format}`, {
      ...TAG,
      ...declared,
      successes: [
        { status: 200, description: "The feed.", schema, contentType, ...VALIDATORS },
        UNCHANGED,
      ],
      run: (context) =>
        replyWith(format, context, async (documents, updatedAt) => {
          const query = { state: "published", limit: FEED_LENGTH } as const;
          const entries = await listEntries(context.storage, query, context.now.text);
          return documents[format](entries, updatedAt);
        }),
    });
  }

  return [
    operation("GET", "/changelog", {
      ...TAG,
      operationId: "getChangelogPage",
      summary: "Read the changelog",
      description: `Returns a page of the published entries, newest first, ${PAGE_LENGTH} a page.`,
      query: { cursor: ORDERED_PAGE_FIELDS.cursor },
      successes: [FOUND_PAGE, UNCHANGED],
      run: async (context) => {
        const { storage, now, query: { cursor: after } } = context;
        const refused = refuseForeign(after, LISTING);
        if (refused !== undefined) return refused;
        const cursor = after ? encodeCursor(after) : undefined;
        return await replyWith(`page ${cursor}`, context, async (documents, updatedAt) => {
          const position = after ? { key: after.key, by: after.by } : undefined;
          const page = { after: position, limit: PAGE_LENGTH + 1 };
          const found = await listEntries(storage, { ...page, state: "published" }, now.text);
          const entries = found.slice(0, PAGE_LENGTH);
          const nextCursor = found.length > PAGE_LENGTH ? cursorOf(entries) : null;
          return documents.list(entries, { cursor, nextCursor }, updatedAt);
        });
      },
    }),

    operation("GET", "/changelog/:entryId", {
      ...TAG,
      operationId: "getEntryPage",
      summary: "Read a published entry",
      description: "Returns the page of one published entry.",
      params: { entryId: { description: "The identifier of the entry.", examples: ["dark-mode"] } },
      successes: [
        FOUND_PAGE,
        UNCHANGED,
        { status: 404, description: "There is no published entry with this entryId.", ...PAGE },
      ],
      run: (context) =>
        replyWith(`entry ${context.param}`, context, async (documents) => {
          const { storage, now, param } = context;
          const entry = await getEntry(storage, param);
          return entry === undefined || entryStateAt(entry, now.text) !== "published"
            ? undefined
            : documents.entry(entry);
        }),
    }),

    feedOperation("atom", "Feed", {
      operationId: "getAtomFeed",
      summary: "Follow the changelog by Atom",
      description: `Returns the newest ${FEED_LENGTH} entries as Atom 1.0 (RFC 4287).`,
    }),
    feedOperation("json", "JsonFeed", {
      operationId: "getJsonFeed",
      summary: "Follow the changelog by JSON Feed",
      description: `Returns the newest ${FEED_LENGTH} entries as JSON Feed 1.1.`,
    }),
  ];
}

// Loaded when somebody reads the changelog, and not at each start.
async function loadDocuments(site: PublicSite, { storage, now }: Context): Promise<Documents> {
  const { createDocuments } = await import("./_changelog/documents.ts");
  const { hostname } = new URL(site.publicUrl);
  const authority = /^[a-z0-9.-]+$/.test(hostname) ? hostname : "localhost";
  // Kept in storage, so that the identifiers in feeds outlive a change of the host.
  const create = () => `tag:${authority},${now.text.slice(0, 10)}:`;
  const tag = await getSetting(storage, "feedTag", create);
  return createDocuments({ ...site, tag, since: `${tag.slice(-11, -1)}T00:00:00.000Z` });
}

function cursorOf(entries: readonly Entry[]): string | null {
  const last = entries.at(-1);
  return last?.publishedAt
    ? encodeCursor({ listing: LISTING, key: last.entryId, by: last.publishedAt })
    : null;
}
