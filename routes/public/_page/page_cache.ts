import { hash64 } from "../../../model/crypto/hash64.ts";
import { changeAfter, replyUnlessUnchanged } from "../../_http/conditions.ts";
import { createLruCache } from "../../../model/lru_cache.ts";
import type { Context } from "../../_http/operation.ts";
import type { Problem } from "../../_http/problem.ts";
import type { Reply } from "../../_http/reply.ts";
import type { PublicDocument } from "../changelog/editions.ts";
import type { PublicSite } from "./site.ts";

/** Caches pages and feeds by name, each until its content changes. */
export interface PageCache {
  /**
   * Replies with a page. `content` is everything that it shows. `make` is called only if the cached
   * page shows something else, so that a vote renders only the pages with its post anew. Concurrent
   * requests call it once.
   */
  reply(
    context: Pick<Context, "request" | "now">,
    page: { readonly name: string; readonly content: unknown },
    make: Make,
  ): Promise<Reply | Problem>;
}

type Make = () => PublicDocument | Promise<PublicDocument>;

interface KeptPage {
  readonly content: string;
  /** The page has shown its content at least since then. */
  readonly changedMs: number;
  readonly reply: Reply & { readonly body: Uint8Array<ArrayBuffer> };
}

/** Budget for recently read pages, in bytes; older ones share an equal budget. */
const MAX_BYTES = 8 * 1024 * 1024;
const utf8 = new TextEncoder();

/** Creates a cache of pages that took the place of others at `sinceMs`, if any. */
export function createPageCache({ sinceMs }: Pick<PublicSite, "sinceMs">): PageCache {
  const pages = createLruCache<KeptPage>(MAX_BYTES, ({ reply }) => reply.body.length);
  const underway = new Map<string, Promise<KeptPage>>();

  async function makePage(
    name: string,
    { content, nowMs }: { readonly content: string; readonly nowMs: number },
    make: Make,
  ): Promise<KeptPage> {
    const { body, contentType, headers } = await make();
    const bytes = utf8.encode(body);
    const validators = {
      ETag: `"${hash64(bytes)}"`,
      "Cache-Control": "public, max-age=60",
    };
    const reply = { status: 200, body: bytes, contentType, headers: { ...headers, ...validators } };
    const changedMs = changeAfter(nowMs, pages.get(name)?.changedMs ?? sinceMs);
    const page = { content, changedMs, reply };
    pages.set(name, page);
    return page;
  }

  return {
    async reply({ request, now }, { name, content }, make) {
      const shown = hash64(JSON.stringify(content));
      let page = pages.get(name);
      if (page?.content !== shown) {
        // Concurrent requests for the same content share one promise.
        const key = `${shown} ${name}`;
        let making = underway.get(key);
        if (making === undefined) {
          making = makePage(name, { content: shown, nowMs: now.ms }, make)
            .finally(() => underway.delete(key));
          underway.set(key, making);
        }
        page = await making;
      }
      return replyUnlessUnchanged(request, page.reply, { changedMs: page.changedMs, now });
    },
  };
}
