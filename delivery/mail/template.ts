import { type Logo, SVG_TYPE } from "../../model/brand.ts";
import { logoPath } from "../../model/settings/settings.ts";
import { type Html, markup } from "../../model/values/html.ts";
import { directionOf } from "../../model/locales/language.ts";
import type { PublicSite } from "../../model/public_site.ts";
import { darkStyle, inlineStyles, STYLES, WIDTH_PX } from "./style.ts";

/** A link with its text. */
export interface MailLink {
  readonly label: string;
  readonly url: string;
}

/** The content of a mail, apart from its brand. */
export interface MailContent {
  readonly title: string;
  /** The first words of a mail, which mail programs show beside the subject. */
  readonly preheader: string;
  /** Small text under the title, such as a date. */
  readonly byline?: string | undefined;
  /** The body as HTML, from a fixed set of elements without styles, and as plain text. */
  readonly body: { readonly html: string; readonly text: string };
  /** The main link, shown as a button; absent in a mail that must have no link. */
  readonly action?: MailLink | undefined;
  readonly links?: readonly MailLink[];
  /** Whether the brand is plain text, so that the action, if any, is the only link. */
  readonly hasOneLink?: boolean;
  /** The operator's text after the content, such as a postal address; may be empty. */
  readonly footer: string;
  /** Paragraphs in small print after the footer. */
  readonly notes: readonly string[];
  /** Links after the last note. */
  readonly ends?: readonly MailLink[];
}

/** The two parts of a mail. */
export interface MailParts {
  readonly text: string;
  readonly html: string;
}

/**
 * Lays out a mail: one column of at most 600 px. Styles are inline, as few mail programs keep a
 * style sheet; a style sheet adds a dark scheme for those that do. Nothing in the mail reveals that
 * it was opened.
 */
export function renderMail(site: PublicSite, content: MailContent): MailParts {
  return { text: renderText(content), html: renderHtml(site, content) };
}

function renderText(content: MailContent): string {
  const { title, byline, body, action, links = [], footer, notes, ends = [] } = content;
  const write = ({ label, url }: MailLink) => `${label}:\n${url}`;
  const head = byline === undefined ? title : `${title}\n${byline}`;
  const letter = [head, body.text, ...[action ?? [], links].flat().map(write)];
  const small = [footer, ...notes, ...ends.map(write)];
  const [start, last] = [letter, small].map((parts) => parts.filter(Boolean).join("\n\n"));
  // Mail programs treat the text after such a line as a signature (RFC 3676, section 4.3).
  return `${start}\n\n-- \n${last}\n`;
}

function renderHtml(site: PublicSite, content: MailContent): string {
  const { title, preheader, byline, body, action, links = [], footer, notes, ends = [] } = content;
  const { language, accent } = site;
  const dir = directionOf(language);
  const more = links.map(({ label, url }) =>
    markup`\n<p style="${STYLES.p}"><a href="${url}" style="color:${accent.light.color}">${label}</a></p>`
  );
  const last = ends.map(({ label, url }, index) =>
    markup` ${index > 0 ? "· " : ""}<a href="${url}" style="${STYLES.quietLink}">${label}</a>`
  );
  const address = footer === ""
    ? undefined
    : markup`\n<p dir="auto" style="${STYLES.small}">${lines(footer)}</p>`;
  const small = notes.map((note, index) =>
    markup`\n<p style="${STYLES.small}">${note}${index < notes.length - 1 ? undefined : last}</p>`
  );
  const under = byline === undefined
    ? undefined
    : markup`\n<p class="byline" style="${STYLES.byline}">${byline}</p>`;
  return markup`<!doctype html>
<html lang="${language}" dir="${dir}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${title}</title>
<style>${{ html: darkStyle(accent.dark) }}</style>
</head>
<body class="paper" style="${STYLES.page}">
<div style="${STYLES.hidden}">${preheader}</div>
<table role="presentation" width="100%" lang="${language}" dir="${dir}" class="paper" style="${STYLES.outer}"><tr><td align="center" style="${STYLES.frame}">
<!--[if mso]><table role="presentation" width="${WIDTH_PX}" align="center"><tr><td><![endif]-->
<table role="presentation" width="100%" style="${STYLES.column}"><tr><td style="${STYLES.cell}">
${renderBrand(site, content)}
<h1 dir="auto" class="ink" style="${STYLES.title}">${
    action === undefined
      ? title
      : markup`<a href="${action.url}" class="ink" style="${STYLES.plainLink}">${title}</a>`
  }</h1>${under}
<div class="ink">
${{ html: inlineStyles(body.html, accent.light) }}</div>
${
    action &&
    markup`<p style="${STYLES.actions}"><a href="${action.url}" class="button" style="${STYLES.button};background:${accent.light.color}">${action.label}</a></p>`
  }${more}
<hr class="line" style="${STYLES.hr}">
<div class="soft">${address}${small}</div>
</td></tr></table>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
`.html;
}

/**
 * Renders the name as a link to the product or the changelog, with the logo if mail programs can
 * show it.
 */
function renderBrand(
  { home, title, logo, logoDark, publicUrl, accent }: PublicSite,
  { hasOneLink }: MailContent,
): Html {
  // Few mail programs show an SVG.
  const isShown = (one: Logo | undefined) => one !== undefined && one.contentType !== SVG_TYPE;
  const draw = (one: Logo | undefined, scheme: string | undefined, style: string) =>
    one &&
    markup`<img src="${publicUrl}${logoPath(one)}" alt=""${
      scheme && markup` class="${scheme}"`
    } height="28" style="${style}">`;
  const hasDark = isShown(logo) && isShown(logoDark);
  const light = isShown(logo) ? draw(logo, hasDark ? "light" : undefined, STYLES.logo) : undefined;
  const dark = hasDark ? draw(logoDark, "dark", `${STYLES.darkLogo};${STYLES.logo}`) : undefined;
  const address = home ?? `${publicUrl}/changelog`;
  const style = `${STYLES.brandLink};color:${accent.light.color}`;
  const brand = markup`${light}${dark}<bdi>${title}</bdi>`;
  const shown = hasOneLink
    ? markup`<span style="${style}">${brand}</span>`
    : markup`<a href="${address}" style="${style}">${brand}</a>`;
  return markup`<p class="line" style="${STYLES.brand}">${shown}</p>`;
}

function lines(text: string): readonly (string | Html)[] {
  const parts = text.split(/\r\n?|\n/);
  return parts.flatMap((part, index) => index === 0 ? [part] : [markup`<br>`, part]);
}
