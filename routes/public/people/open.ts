import type { SiteContext } from "../../branded.ts";
import { textsOf } from "../../../model/locales/locales.ts";
import { markup } from "../../../model/values/html.ts";
import { readAppLink, useAppLink } from "../../../services/people/app_links.ts";
import { FOUND_PAGE, type Operation, operation } from "../../_http/operation.ts";
import type { Reply } from "../../_http/reply.ts";
import { createFormReplies } from "../_page/forms.ts";
import { keepAppCookie } from "../_page/visitor.ts";

/** Creates the operation of the link by which an app identifies a person. */
export function operations({ site }: SiteContext): readonly Operation[] {
  const replies = createFormReplies(site);
  const texts = textsOf(site.language);

  return [operation("GET", "/open/:token", {
    isPage: true,
    operationId: "openAppLink",
    summary: "Open a page as the person whom an app hands over",
    description:
      "Leads to the page, and sets the cookie by which the browser votes and posts for that " +
      "person for an hour: once, within 10 minutes. Later it leads there without the cookie. " +
      "HEAD requests and prefetching don't use the link up.",
    successes: [
      { ...FOUND_PAGE, description: "A page with the link, for a browser that prefetches." },
      { status: 303, description: "The browser goes to the page.", headers: ["Location"] },
      { status: 404, description: "The link is not complete.", schema: "Page" },
    ],
    problems: ["storage_unavailable"],
    async run({ request, storage, param, now }): Promise<Reply> {
      const path = await readAppLink(storage, param);
      if (path === undefined) return await replies({ storage }).missing();
      const isPrefetch = /prefetch|prerender/.test(request.headers.get("sec-purpose") ?? "");
      if (request.method === "HEAD" || isPrefetch) {
        const url = `${site.publicUrl}/open/${param}`;
        const rest = markup`\n<p><a class="button" href="${url}">${texts.goOn}</a></p>`;
        const reply = await replies({ storage }).show(200, { title: site.title, rest });
        return { ...reply, headers: { ...reply.headers, "Referrer-Policy": "no-referrer" } };
      }
      const token = await useAppLink(storage, param, now.text);
      return {
        status: 303,
        headers: {
          "Location": `${site.publicUrl}${path}`,
          "Cache-Control": "no-store",
          "Referrer-Policy": "no-referrer",
        },
        cookies: token === undefined ? undefined : [keepAppCookie(site, token)],
      };
    },
  })];
}
