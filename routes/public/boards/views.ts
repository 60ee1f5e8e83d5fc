import type { Context } from "../../_http/operation.ts";
import type { Problem } from "../../_http/problem.ts";
import type { Reply } from "../../_http/reply.ts";
import { feedTagOf } from "../_page/feed_tag.ts";
import { type BoardDocuments, createBoardDocuments } from "./documents.ts";
import { createPageCache, type PageCache } from "../_page/page_cache.ts";
import type { PublicDocument } from "../changelog/editions.ts";
import type { PublicSite } from "../_page/site.ts";
import { readViewer, type Viewer } from "../_page/viewer.ts";

/** A page, identified by its name and everything that it shows. */
interface NamedPage {
  readonly name: string;
  readonly content: unknown;
}

type Make = (documents: BoardDocuments) => PublicDocument | Promise<PublicDocument>;

/** Replies with pages of boards. */
export interface View {
  /** The person for whom the browser acts; `undefined`: the page is the same for all. */
  readonly viewer: Viewer | undefined;
  /** Replies with a shared page, which is cached while it shows the same. */
  replyToAll(page: NamedPage, make: Make): Promise<Reply | Problem>;
  /** Replies with a page for one reader, which is never cached. */
  replyOnce(make: Make): Promise<Reply>;
}

/** Creates a function that returns the view for a request. */
export function createBoardViews(site: PublicSite): (context: Context) => Promise<View> {
  const pages: PageCache = createPageCache(site);
  let loading: Promise<BoardDocuments> | undefined;

  async function load({ storage, now }: Context): Promise<BoardDocuments> {
    return await createBoardDocuments({
      ...site,
      tag: await feedTagOf(site, { storage, now: now.text }),
    });
  }

  return async function open(context) {
    loading ??= load(context).catch((error) => {
      loading = undefined;
      throw error;
    });
    const documents = await loading;
    return {
      viewer: await readViewer(context, site),
      replyToAll: (page, make) => pages.reply(context, page, () => make(documents)),
      async replyOnce(make) {
        const { headers, ...document } = await make(documents);
        const unkept = { "Cache-Control": "private, no-store" };
        return { status: 200, ...document, headers: { ...headers, ...unkept } };
      },
    };
  };
}
