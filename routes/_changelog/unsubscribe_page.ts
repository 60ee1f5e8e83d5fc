import { type Html, markup } from "../_html.ts";
import { createPageHeaders, renderPage } from "./layout.ts";
import { addressOf, type PublicSite } from "./site.ts";

/** The pages of the unsubscribe link, and their headers. */
export interface UnsubscribePages {
  readonly headers: Readonly<Record<string, string>>;
  readonly question: string;
  readonly done: string;
  /** Stands where a link is not one of ours. */
  readonly unknown: string;
}

export async function renderUnsubscribePages(site: PublicSite): Promise<UnsubscribePages> {
  function render(title: string, content: Html): string {
    return renderPage(site, { title: `${title} · ${site.title}`, type: "website" }, content);
  }
  return {
    headers: { ...await createPageHeaders("'self'"), "Referrer-Policy": "no-referrer" },
    question: render(
      "Unsubscribe",
      markup`
<div class="note"><h2>No more mails?</h2>
<p>We will no longer mail you about updates.</p>
<form method="post"><button>Unsubscribe</button></form></div>`,
    ),
    done: render(
      "Unsubscribe",
      markup`
<div class="note"><h2>You are unsubscribed</h2>
<p>We will no longer mail you about updates.</p></div>`,
    ),
    unknown: render(
      "Not found",
      markup`
<div class="note"><h2>This link is not complete</h2>
<p>Copy all of it from the mail. <a href="${addressOf(site)}">See what is new.</a></p></div>`,
    ),
  };
}
