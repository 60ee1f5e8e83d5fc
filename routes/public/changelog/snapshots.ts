import type { Storage } from "../../../adapters/storage.ts";
import { EPOCH } from "../../../model/values/time.ts";
import { listCatalogue } from "../../../services/entries/catalogue.ts";
import { nextPublication } from "../../../services/entries/entries.ts";
import { listPublicBoards } from "../../../services/posts/public_boards.ts";
import { changeAfter } from "../../_http/conditions.ts";
import type { Context } from "../../_http/operation.ts";
import type { Problem } from "../../_http/problem.ts";
import type { Reply } from "../../_http/reply.ts";
import { type Documents, feedTagOf, type PublicDocument } from "../_page/documents.ts";
import { createEntryLists, type EntryLists } from "./entry_lists.ts";
import type { PublicSite } from "../_page/site.ts";
import { getChangelog } from "../../../services/changelog.ts";

/** The published entries at one time, with the documents made from them. */
export interface Snapshot {
  readonly lists: EntryLists;
  /** Whether there are public boards, to which pages link. */
  readonly hasBoards: boolean;
  /** When readers last saw a change (RFC 3339, UTC, milliseconds). */
  readonly changedAt: string;
  /** The time of that change for conditions, which differs from that of the snapshot before. */
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

/** Returns the current snapshot at the time of a request (RFC 3339, UTC, milliseconds). */
export type Snapshots = (storage: Storage, now: string) => Promise<Snapshot>;

/**
 * A snapshot with the version of its entries and the period in which it is valid, the end of which
 * may still be unknown.
 */
interface Opened {
  readonly version: number;
  readonly from: string;
  until: string | undefined;
  readonly snapshot: Promise<Snapshot>;
}

type Make = () => Promise<PublicDocument | undefined>;

/**
 * Creates the snapshots of a changelog. Another one begins when an entry changes or becomes public,
 * and its documents are made once for all readers.
 */
export function createSnapshots(
  site: Pick<PublicSite, "publicUrl" | "changedAt" | "sinceMs">,
  documents: Pick<Documents, "reply">,
): Snapshots {
  let latest: Opened | undefined;
  let count = 0;
  // When readers of the latest snapshot last saw a change.
  let changedMs = site.sinceMs;

  function open(storage: Storage, now: string, version: number, updatedAt: string): Opened {
    const begun: Opened = { version, from: now, until: undefined, snapshot: load() };
    begun.snapshot.catch(() => {
      if (latest === begun) latest = undefined;
    });
    return begun;

    async function load(): Promise<Snapshot> {
      const [tag, until, entries, boards] = await Promise.all([
        feedTagOf(site, { storage, now }),
        nextPublication(storage, now),
        listCatalogue(storage, now),
        listPublicBoards(storage),
      ]);
      const lists = await createEntryLists(entries);
      begun.until = until;
      // The changelog did not exist before the day in its tag.
      const times = [updatedAt, lists.changedAt, `${tag.slice(-11, -1)}T00:00:00.000Z`];
      const changedAt = times.reduce((latest, at) => at > latest ? at : latest);
      const hasBoards = boards.length > 0;
      // Feeds don't tell of changed settings, but conditions do.
      const { changedAt: settingsAt = changedAt } = site;
      const shownAt = settingsAt > changedAt ? settingsAt : changedAt;
      // If a clock was ahead, the change still does not lie in the future.
      changedMs = changeAfter(Date.parse(shownAt < now ? shownAt : now), changedMs);
      const shown = { version: `snapshot ${++count}`, changedMs };
      return {
        lists,
        hasBoards,
        changedAt,
        changedMs,
        reply: (context, name, make) => documents.reply(context, { name, ...shown }, make),
      };
    }
  }

  return async function current(storage, now) {
    const { version = 0, updatedAt = EPOCH } = await getChangelog(storage) ?? {};
    const isCurrent = latest?.version === version && latest.from <= now &&
      (latest.until === undefined || now < latest.until);
    if (!isCurrent) latest = open(storage, now, version, updatedAt);
    return await latest!.snapshot;
  };
}
