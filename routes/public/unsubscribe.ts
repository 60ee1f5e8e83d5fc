import { unsubscribe } from "../../services/subscriptions/subscriptions.ts";
import { createCipherCache } from "../../services/subscriptions/unsubscribe_links.ts";
import { HTML_TYPE, type PublicSite } from "./pages/site.ts";
import type { UnsubscribePages } from "./pages/unsubscribe_page.ts";
import { type Context, FOUND_PAGE, type Operation, operation, PAGE } from "../_http/operation.ts";
import type { Reply } from "../_http/reply.ts";

const PATH = "/unsubscribe/:token";
const COMMON = {
  tag: "Public changelog",
  params: {
    token: { description: "What stands in the link of a mail.", examples: ["Zm9vYmFy"] },
  },
  successes: [
    FOUND_PAGE,
    { status: 404, description: "The link is not complete.", ...PAGE },
  ],
  isPage: true,
  problems: ["storage_unavailable"],
} as const;

/** Creates the operations of the link to unsubscribe. */
export function unsubscribeOperations(site: PublicSite): readonly Operation[] {
  const getCipher = createCipherCache();
  let pages: UnsubscribePages | undefined;

  /** Shows a page; `use` receives the address that the token carries. */
  async function show(
    { storage, param }: Context,
    content: "question" | "done",
    use?: (userEmail: string) => Promise<void>,
  ): Promise<Reply> {
    const userEmail = await (await getCipher(storage)).decrypt(param);
    if (userEmail !== undefined) await use?.(userEmail);
    const { renderUnsubscribePages } = await import("./pages/unsubscribe_page.ts");
    const { headers, unknown, ...known } = pages ??= await renderUnsubscribePages(site);
    const isKnown = userEmail !== undefined;
    const body = isKnown ? known[content] : unknown;
    return { status: isKnown ? 200 : 404, body, contentType: HTML_TYPE, headers };
  }

  return [
    operation("GET", PATH, {
      ...COMMON,
      operationId: "getUnsubscribePage",
      summary: "Ask whether to unsubscribe",
      description: "Returns a page with one button. Changes nothing, however often it is fetched.",
      run: (context) => show(context, "question"),
    }),

    operation("POST", PATH, {
      ...COMMON,
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
