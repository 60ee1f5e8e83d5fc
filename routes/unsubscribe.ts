import { unsubscribe } from "../services/subscriptions.ts";
import { createSealerCache } from "../services/unsubscribe_links.ts";
import type { PublicSite } from "./_changelog/site.ts";
import { type Context, type Operation, operation } from "./_operation.ts";
import type { Reply } from "./_reply.ts";

const HTML_TYPE = "text/html; charset=utf-8";
const COMMON = {
  path: "/unsubscribe/:token",
  tag: "Public changelog",
  params: {
    token: { description: "What stands in the link of a mail.", examples: ["Zm9vYmFy"] },
  },
  successes: [
    { status: 200, description: "The page.", schema: "Page", contentType: "text/html" },
    {
      status: 404,
      description: "The link is not complete.",
      schema: "Page",
      contentType: "text/html",
    },
  ],
  problems: ["storage_unavailable"],
} as const;

/** Creates the operations of the unsubscribe link, which need no key. */
export function unsubscribeOperations(site: PublicSite): readonly Operation[] {
  const getSealer = createSealerCache();
  let headers: Readonly<Record<string, string>> | undefined;

  /** Shows a page for an address; `use` is told of the address that the token seals. */
  async function show(
    { storage, param }: Context,
    content: "question" | "done",
    use?: (userEmail: string) => Promise<void>,
  ): Promise<Reply> {
    const userEmail = await (await getSealer(storage)).open(param);
    if (userEmail !== undefined) await use?.(userEmail);
    const { createPageHeaders } = await import("./_changelog/page_headers.ts");
    const pages = await import("./_changelog/unsubscribe_page.ts");
    headers ??= { ...await createPageHeaders("'self'"), "Referrer-Policy": "no-referrer" };
    const body = userEmail === undefined
      ? pages.renderUnknownLink(site)
      : pages.renderUnsubscribePage(site, content);
    return { status: userEmail === undefined ? 404 : 200, body, contentType: HTML_TYPE, headers };
  }

  return [
    operation({
      ...COMMON,
      method: "GET",
      operationId: "getUnsubscribePage",
      summary: "Ask whether to unsubscribe",
      description: "Returns a page with one button. Changes nothing, however often it is fetched.",
      run: (context) => show(context, "question"),
    }),

    operation({
      ...COMMON,
      method: "POST",
      operationId: "unsubscribeByLink",
      summary: "Unsubscribe by the link of a mail",
      description:
        "Unsubscribes the owner of the link, in one click (RFC 8058). What the body holds " +
        "does not matter.",
      run: (context) => {
        const link = { source: "link", at: context.now.text } as const;
        return show(context, "done", (userEmail) => unsubscribe(context.storage, userEmail, link));
      },
    }),
  ];
}
