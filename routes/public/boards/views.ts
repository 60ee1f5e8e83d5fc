import type { Context } from "../../_http/operation.ts";
import type { Problem } from "../../_http/problem.ts";
import type { Reply } from "../../_http/reply.ts";
import {
  type Documents,
  pageDocument,
  type PublicDocument,
  versionOf,
} from "../_page/documents.ts";
import type { PublicSite, Site } from "../_page/site.ts";
import { nameOfVisitor, readVisitor, type Visitor } from "../_page/visitor.ts";

/** A page, identified by its name and everything that it shows. */
interface NamedPage {
  readonly name: string;
  readonly content: unknown;
}

/** Makes the HTML of a page, or a feed. */
type Make = (site: Site) => string | Promise<PublicDocument>;

/** Replies with pages of boards. */
export interface View {
  /** The person for whom the browser acts; `undefined`: the page is the same for all. */
  readonly visitor: Visitor | undefined;
  /** Replies with a page that differs by the visitor's name alone. */
  reply(
    page: NamedPage,
    make: (site: Site, visitor: string | undefined) => string,
  ): Promise<Reply | Problem>;
  /** Replies with a shared page, which is cached while it shows the same. */
  replyToAll(page: NamedPage, make: Make): Promise<Reply | Problem>;
  /** Replies with a page for one reader, which is never cached. */
  replyOnce(make: Make): Promise<Reply>;
}

/** Pages differ for people whose browsers remember them. */
const FOR_EACH = { Vary: "Cookie" } as const;
const UNKEPT = { "Cache-Control": "private, no-store" } as const;

/** Creates a function that returns the view for a request. */
export function createBoardViews(
  site: PublicSite,
  documents: Documents,
): (context: Context) => Promise<View> {
  return async function open(context) {
    const shown = await documents.siteIn(context);

    async function documentOf(make: Make): Promise<PublicDocument> {
      const made = await make(shown);
      return typeof made === "string" ? await pageDocument(shown, made, FOR_EACH) : made;
    }

    const visitor = await readVisitor(context, site);
    const view: View = {
      visitor,
      reply: (page, make) =>
        visitor === undefined
          ? view.replyToAll(page, (site) => make(site, undefined))
          : view.replyOnce((site) => make(site, nameOfVisitor(visitor))),
      replyToAll: ({ name, content }, make) =>
        documents.reply(context, { name, version: versionOf(content) }, () => documentOf(make)),
      async replyOnce(make) {
        const { headers, ...document } = await documentOf(make);
        return { status: 200, ...document, headers: { ...headers, ...UNKEPT } };
      },
    };
    return view;
  };
}
