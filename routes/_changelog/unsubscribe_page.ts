import { markup } from "../_html.ts";
import { renderPage } from "./layout.ts";
import { addressOf, type PublicSite } from "./site.ts";

const CONTENTS = {
  /** Asks, and changes nothing. */
  question: markup`
<div class="note"><h2>No more mails?</h2>
<p>We will no longer mail you about updates.</p>
<form method="post"><button>Unsubscribe</button></form></div>`,
  done: markup`
<div class="note"><h2>You are unsubscribed</h2>
<p>We will no longer mail you about updates.</p></div>`,
} as const;

/** Renders a page of the unsubscribe link. */
export function renderUnsubscribePage(site: PublicSite, content: keyof typeof CONTENTS): string {
  return renderPage(
    site,
    { title: `Unsubscribe · ${site.title}`, type: "website" },
    CONTENTS[content],
  );
}

/** Renders the page that stands where a link is not one of ours. */
export function renderUnknownLink(site: PublicSite): string {
  return renderPage(
    site,
    { title: `Not found · ${site.title}`, type: "website" },
    markup`
<div class="note"><h2>This link is not complete</h2>
<p>Copy all of it from the mail. <a href="${addressOf(site)}">See what is new.</a></p></div>`,
  );
}
