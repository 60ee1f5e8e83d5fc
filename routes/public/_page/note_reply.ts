import type { Storage } from "../../../adapters/storage.ts";
import { lazy } from "../../../model/lazy.ts";
import { listPublicBoards } from "../../../services/posts/public_boards.ts";
import type { Reply } from "../../_http/reply.ts";
import type { Notes } from "./notes.ts";
import { HTML_TYPE, type PublicSite } from "./site.ts";

/** Replies with a note page. */
export type NoteReply = (
  storage: Storage,
  status: number,
  choose: (notes: Notes) => string | Promise<string>,
) => Promise<Reply>;

/**
 * Creates the function that replies with note pages, which are made for the first reader, not at
 * each start. Like all pages, they link to the boards if there are public ones.
 */
export function createNoteReply(site: PublicSite): NoteReply {
  const [load, loadWithBoards] = [false, true].map((hasBoards) =>
    lazy(async () => {
      const [{ createNotes }, { privateHeaders }] = await Promise.all([
        import("./notes.ts"),
        import("./layout.ts"),
      ]);
      return { notes: createNotes({ ...site, hasBoards }), privateHeaders };
    })
  );
  return async (storage, status, choose) => {
    // The page that says that storage fails comes without storage, too.
    const boards = await listPublicBoards(storage).catch(() => []);
    const { notes, privateHeaders } = await (boards.length > 0 ? loadWithBoards : load)();
    const body = await choose(notes);
    return { status, body, contentType: HTML_TYPE, headers: await privateHeaders(site, body) };
  };
}
