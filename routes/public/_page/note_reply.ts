import type { Reply } from "../../_http/reply.ts";
import { lazy } from "../../../model/lazy.ts";
import type { Notes } from "./notes.ts";
import { HTML_TYPE, type PublicSite } from "./site.ts";

/** Replies with a note page. */
export type NoteReply = (
  status: number,
  choose: (notes: Notes) => string | Promise<string>,
) => Promise<Reply>;

/**
 * Creates the function that replies with note pages, which are made for the first reader, not at
 * each start.
 */
export function createNoteReply(site: PublicSite): NoteReply {
  const load = lazy(async () => (await import("./notes.ts")).createNotes(site));
  return async (status, choose) => {
    const notes = await load();
    return { status, body: await choose(notes), contentType: HTML_TYPE, headers: notes.headers };
  };
}
