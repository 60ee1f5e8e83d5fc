import type { Brand } from "../../../model/brand.ts";
import { SCOPES } from "../../../model/keys/api_key.ts";
import { directionOf } from "../../../model/locales/language.ts";
import { markup } from "../../../model/values/html.ts";
import { EVENT_TYPES } from "../../../model/webhooks/webhook_event.ts";
import { baseStyleOf, styleOf } from "../../public/_page/style.ts";
import { HTML_TYPE } from "../../public/_page/site.ts";
import {
  type FileServer,
  SCRIPT_TYPE,
  serveCompressed,
  STYLE_TYPE,
} from "../../_http/served_file.ts";
import { ISOLATION } from "../../_http/reply.ts";
import { fileOfLogo, logoFile } from "../../public/changelog/logos.ts";
import { listImports, withoutComments } from "./modules.ts";
import studioCss from "../../../studio/studio.css" with { type: "text" };

/** The settings of the service that the page needs before it can call the API. */
export interface StudioSite {
  /** The public URL of the service; absent if nothing is public. */
  readonly publicUrl: string | undefined;
  /** The name of the OpenID Connect provider; absent if none is configured. */
  readonly provider: string | undefined;
}

/** The name of the page where codes can be mailed, which is no path of a request. */
export const PAGE_WITH_CODES = "?codes";

/** The scripts of the studio, by their path in its folder. */
const SCRIPTS: Readonly<Record<string, Promise<{ readonly default: string }>>> = {
  "writing/blocks.js": import("../../../studio/writing/blocks.js", { with: { type: "text" } }),
  "client.js": import("../../../studio/client.js", { with: { type: "text" } }),
  "connection.js": import("../../../studio/connection.js", { with: { type: "text" } }),
  "dialog.js": import("../../../studio/dialog.js", { with: { type: "text" } }),
  "dom.js": import("../../../studio/dom.js", { with: { type: "text" } }),
  "drafts/responses.js": import("../../../studio/drafts/responses.js", { with: { type: "text" } }),
  "drafts/calls.js": import("../../../studio/drafts/calls.js", { with: { type: "text" } }),
  "drafts/draft.js": import("../../../studio/drafts/draft.js", { with: { type: "text" } }),
  "drafts/form_words.js": import("../../../studio/drafts/form_words.js", {
    with: { type: "text" },
  }),
  "drafts/kept.js": import("../../../studio/drafts/kept.js", { with: { type: "text" } }),
  "drafts/requests.js": import("../../../studio/drafts/requests.js", { with: { type: "text" } }),
  "drafts/words.js": import("../../../studio/drafts/words.js", { with: { type: "text" } }),
  "form.js": import("../../../studio/form.js", { with: { type: "text" } }),
  "writing/images.js": import("../../../studio/writing/images.js", { with: { type: "text" } }),
  "icons.js": import("../../../studio/icons.js", { with: { type: "text" } }),
  "importing/importing.js": import("../../../studio/importing/importing.js", {
    with: { type: "text" },
  }),
  "keeper.js": import("../../../studio/keeper.js", { with: { type: "text" } }),
  "sign_in.js": import("../../../studio/sign_in.js", { with: { type: "text" } }),
  "drafts/left_words.js": import("../../../studio/drafts/left_words.js", {
    with: { type: "text" },
  }),
  "listing.js": import("../../../studio/listing.js", { with: { type: "text" } }),
  "main.js": import("../../../studio/main.js", { with: { type: "text" } }),
  "writing/marks.js": import("../../../studio/writing/marks.js", { with: { type: "text" } }),
  "writing/moving.js": import("../../../studio/writing/moving.js", { with: { type: "text" } }),
  "ideas/board_names.js": import("../../../studio/ideas/board_names.js", {
    with: { type: "text" },
  }),
  "places/boards.js": import("../../../studio/places/boards.js", { with: { type: "text" } }),
  "places/delivery.js": import("../../../studio/places/delivery.js", { with: { type: "text" } }),
  "places/editor.js": import("../../../studio/places/editor.js", { with: { type: "text" } }),
  "ideas/deciding.js": import("../../../studio/ideas/deciding.js", {
    with: { type: "text" },
  }),
  "ideas/idea.js": import("../../../studio/ideas/idea.js", {
    with: { type: "text" },
  }),
  "ideas/ideas.js": import("../../../studio/ideas/ideas.js", {
    with: { type: "text" },
  }),
  "ideas/answering.js": import("../../../studio/ideas/answering.js", {
    with: { type: "text" },
  }),
  "ideas/reports.js": import("../../../studio/ideas/reports.js", {
    with: { type: "text" },
  }),
  "ideas/saving.js": import("../../../studio/ideas/saving.js", {
    with: { type: "text" },
  }),
  "ideas/voters.js": import("../../../studio/ideas/voters.js", {
    with: { type: "text" },
  }),
  "ideas/words.js": import("../../../studio/ideas/words.js", {
    with: { type: "text" },
  }),
  "ideas/finding.js": import("../../../studio/ideas/finding.js", {
    with: { type: "text" },
  }),
  "ideas/shipping.js": import("../../../studio/ideas/shipping.js", {
    with: { type: "text" },
  }),
  "ideas/merging.js": import("../../../studio/ideas/merging.js", {
    with: { type: "text" },
  }),
  "importing/subscribers.js": import("../../../studio/importing/subscribers.js", {
    with: { type: "text" },
  }),
  "places.js": import("../../../studio/places.js", { with: { type: "text" } }),
  "places/account.js": import("../../../studio/places/account.js", { with: { type: "text" } }),
  "places/team.js": import("../../../studio/places/team.js", { with: { type: "text" } }),
  "places/keys.js": import("../../../studio/places/keys.js", { with: { type: "text" } }),
  "places/entries.js": import("../../../studio/places/entries.js", { with: { type: "text" } }),
  "importing/entries.js": import("../../../studio/importing/entries.js", {
    with: { type: "text" },
  }),
  "places/failures.js": import("../../../studio/places/failures.js", {
    with: { type: "text" },
  }),
  "places/first_steps.js": import("../../../studio/places/first_steps.js", {
    with: { type: "text" },
  }),
  "places/moment.js": import("../../../studio/places/moment.js", { with: { type: "text" } }),
  "places/notes.js": import("../../../studio/places/notes.js", { with: { type: "text" } }),
  "places/overview.js": import("../../../studio/places/overview.js", { with: { type: "text" } }),
  "places/pictures.js": import("../../../studio/places/pictures.js", { with: { type: "text" } }),
  "importing/post_columns.js": import("../../../studio/importing/post_columns.js", {
    with: { type: "text" },
  }),
  "importing/posts.js": import("../../../studio/importing/posts.js", {
    with: { type: "text" },
  }),
  "places/publish.js": import("../../../studio/places/publish.js", { with: { type: "text" } }),
  "places/subscribers.js": import("../../../studio/places/subscribers.js", {
    with: { type: "text" },
  }),
  "places/webhooks.js": import("../../../studio/places/webhooks.js", { with: { type: "text" } }),
  "parts.js": import("../../../studio/parts.js", { with: { type: "text" } }),
  "preview.js": import("../../../studio/preview.js", { with: { type: "text" } }),
  "secrets.js": import("../../../studio/secrets.js", { with: { type: "text" } }),
  "writing/selection.js": import("../../../studio/writing/selection.js", {
    with: { type: "text" },
  }),
  "session.js": import("../../../studio/session.js", { with: { type: "text" } }),
  "settings/fields.js": import("../../../studio/settings/fields.js", { with: { type: "text" } }),
  "settings/logos.js": import("../../../studio/settings/logos.js", { with: { type: "text" } }),
  "settings/look.js": import("../../../studio/settings/look.js", { with: { type: "text" } }),
  "settings/settings.js": import("../../../studio/settings/settings.js", {
    with: { type: "text" },
  }),
  "settings/zones.js": import("../../../studio/settings/zones.js", { with: { type: "text" } }),
  "importing/sheet.js": import("../../../studio/importing/sheet.js", { with: { type: "text" } }),
  "task.js": import("../../../studio/task.js", { with: { type: "text" } }),
  "texts/ar.js": import("../../../studio/texts/ar.js", { with: { type: "text" } }),
  "texts/de.js": import("../../../studio/texts/de.js", { with: { type: "text" } }),
  "texts/en.js": import("../../../studio/texts/en.js", { with: { type: "text" } }),
  "texts/es.js": import("../../../studio/texts/es.js", { with: { type: "text" } }),
  "texts/fr.js": import("../../../studio/texts/fr.js", { with: { type: "text" } }),
  "texts/he.js": import("../../../studio/texts/he.js", { with: { type: "text" } }),
  "texts/it.js": import("../../../studio/texts/it.js", { with: { type: "text" } }),
  "texts/ja.js": import("../../../studio/texts/ja.js", { with: { type: "text" } }),
  "texts/nl.js": import("../../../studio/texts/nl.js", { with: { type: "text" } }),
  "texts/pl.js": import("../../../studio/texts/pl.js", { with: { type: "text" } }),
  "texts/pt.js": import("../../../studio/texts/pt.js", { with: { type: "text" } }),
  "texts/zh.js": import("../../../studio/texts/zh.js", { with: { type: "text" } }),
  "upload.js": import("../../../studio/upload.js", { with: { type: "text" } }),
  "work.js": import("../../../studio/work.js", { with: { type: "text" } }),
  "writing/toolbar.js": import("../../../studio/writing/toolbar.js", { with: { type: "text" } }),
};

/**
 * The modules that a start needs: the page that signs in, and the places that come first. The page
 * names them and their imports, so that browsers request all of them at once.
 */
const FIRST = ["main.js", "sign_in.js", "places/overview.js", "places/entries.js"];

export interface StudioScripts {
  /** Their texts without comments, by name. */
  readonly sources: ReadonlyMap<string, string>;
  readonly servers: ReadonlyMap<string, FileServer>;
}

/** Creates the servers of the scripts, by name. */
export async function createScripts(): Promise<StudioScripts> {
  const sources = new Map<string, string>();
  for (const [name, script] of Object.entries(SCRIPTS)) {
    sources.set(name, withoutComments((await script).default));
  }
  const servers = [...sources].map(([name, body]) =>
    [name, serveCompressed({ body, contentType: SCRIPT_TYPE })] as const
  );
  return { sources, servers: new Map(servers) };
}

/** Creates the servers of the files that show the brand, by name; the page has the empty name. */
export function createBrandedFiles(
  site: StudioSite & { readonly brand: Brand },
  { sources }: StudioScripts,
): ReadonlyMap<string, FileServer> {
  const { brand } = site;
  const preloads = listImports([...FIRST, `texts/${brand.language}.js`], sources);
  const page = (hasCodes: boolean) =>
    serveCompressed({
      body: renderStudio(site, { hasCodes, preloads }),
      contentType: HTML_TYPE,
      headers: STUDIO_HEADERS,
    });
  const style = (body: string) => serveCompressed({ body, contentType: STYLE_TYPE });
  return new Map([
    ["", page(false)],
    [PAGE_WITH_CODES, page(true)],
    ["logo", serveCompressed(logoFile(brand))],
    ...brand.logoDark === undefined
      ? []
      : [["logo-dark", serveCompressed(fileOfLogo(brand.logoDark))] as const],
    ["studio.css", style(`${baseStyleOf(brand)}\n${studioCss}`)],
    // The style of public pages, for the preview of an entry.
    ["preview.css", style(styleOf(brand))],
  ]);
}

/** Renders the page, which is empty until its script runs. */
function renderStudio(
  { brand, publicUrl, provider }: StudioSite & { readonly brand: Brand },
  { hasCodes, preloads }: { readonly hasCodes: boolean; readonly preloads: readonly string[] },
): string {
  const { title, language, timeZone, logoDark } = brand;
  // Relative to the page, because a proxy may strip a path that only the public URL has.
  const folder = "studio";
  const changelog = publicUrl === undefined ? "" : `${publicUrl}/changelog`;
  const scopes = SCOPES.filter((scope) => scope !== "*").join(" ");
  return markup`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}" data-title="${title}"
  data-changelog="${changelog}" data-time-zone="${timeZone}"
  data-scopes="${scopes}"
  data-events="${EVENT_TYPES.join(" ")}"${logoDark && markup` data-has-dark-logo`}${
    provider && markup` data-provider="${provider}"`
  }${hasCodes ? markup` data-has-codes` : undefined}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="${folder}/logo">
<link rel="stylesheet" href="${folder}/studio.css">
${
    preloads.map((path) => markup`<link rel="modulepreload" href="${folder}/${path}">\n`)
  }<script type="module" src="${folder}/main.js"></script>
</head>
<body>
<noscript><p class="alone">This page needs JavaScript. <a href="docs">API</a></p></noscript>
</body>
</html>
`.html;
}

/** The headers of the page, which loads only files of its own origin and can't be framed. */
const STUDIO_HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    // Entries may show images of any origin.
    "img-src 'self' http: https:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types preview",
  ].join("; "),
  ...ISOLATION,
};
