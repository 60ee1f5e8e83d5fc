import { DARK, LIGHT, type Shades } from "../../model/accent.ts";

/** The maximum width of a mail's column. */
export const WIDTH_PX = 600;

const INK = "#18191b";
const SOFT = "#5d6169";
const LINE = "#e4e5e9";
const DARK_INK = "#eaebed";
const DARK_SOFT = "#a0a4ac";
const DARK_LINE = "#3a3d45";

const SANS =
  "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',Helvetica,Arial,sans-serif";
const MONO = "font-family:ui-monospace,'SF Mono','Cascadia Mono',Menlo,Consolas,monospace";
const BREAK = "overflow-wrap:anywhere;word-break:break-word";
const CODE = `${MONO};font-size:14px;background:${LIGHT.raised};border-radius:4px`;
const HEADING = `margin:28px 0 8px;line-height:1.3;font-weight:700;color:${INK}`;

/** The styles of the parts of a mail. */
export const STYLES = {
  page: `margin:0;padding:0;background:${LIGHT.paper};-webkit-text-size-adjust:100%`,
  hidden: "display:none;max-height:0;overflow:hidden;font-size:1px;line-height:1px;opacity:0",
  outer: `border-collapse:collapse;table-layout:fixed;background:${LIGHT.paper}`,
  frame: "padding:24px 16px",
  column: `border-collapse:collapse;table-layout:fixed;max-width:${WIDTH_PX}px;margin:0 auto`,
  cell: `padding:0;text-align:start;${SANS};font-size:16px;line-height:1.6;color:${INK};${BREAK}`,
  brand: `margin:0 0 32px;padding:0 0 16px;border-bottom:1px solid ${LINE};font-size:15px`,
  brandLink: "font-weight:600;text-decoration:none",
  logo:
    "height:28px;width:auto;max-width:160px;vertical-align:middle;border:0;margin-inline-end:10px",
  // Mail programs without a dark scheme, and Outlook, never show the dark logo.
  darkLogo: "display:none;mso-hide:all",
  title:
    `margin:0 0 6px;font-size:26px;line-height:1.2;font-weight:700;letter-spacing:-0.3px;color:${INK}`,
  plainLink: `color:${INK};text-decoration:none`,
  byline: `margin:0 0 20px;font-size:14px;color:${SOFT}`,
  p: "margin:0 0 16px",
  actions: "margin:28px 0 16px",
  button:
    `display:inline-block;padding:11px 22px;border-radius:8px;color:${LIGHT.paper};font-weight:600;text-decoration:none`,
  hr: `border:0;border-top:1px solid ${LINE};margin:32px 0 20px`,
  small: `margin:0 0 10px;font-size:13px;line-height:1.5;color:${SOFT}`,
  quietLink: `color:${SOFT};text-decoration:underline`,
} as const;

// On a phone, a wide table scrolls and none of its words is broken.
const SCROLLED = "overflow-x:auto;margin:0 0 16px";
const UNBROKEN = "overflow-wrap:normal;word-break:normal";

/** The styles of elements that Markdown produces. */
const ELEMENTS: Readonly<Record<string, string>> = {
  p: STYLES.p,
  h1: `${HEADING};font-size:22px`,
  h2: `${HEADING};font-size:20px`,
  h3: `${HEADING};font-size:18px`,
  h4: `${HEADING};font-size:16px`,
  h5: `${HEADING};font-size:16px`,
  h6: `${HEADING};font-size:16px`,
  ul: "margin:0 0 16px;padding-inline-start:24px",
  ol: "margin:0 0 16px;padding-inline-start:24px",
  li: "margin:0 0 4px",
  blockquote:
    `margin:0 0 16px;padding-inline-start:16px;border-inline-start:3px solid ${LINE};color:${SOFT}`,
  pre: `margin:0 0 16px;padding:12px 14px;${CODE};white-space:pre-wrap;${BREAK}`,
  code: `${CODE};padding:1px 4px`,
  hr: STYLES.hr,
  img: "max-width:100%;height:auto;border:0;border-radius:6px",
  table: `width:100%;border-collapse:collapse;font-size:15px;${UNBROKEN}`,
  th: `padding:6px 10px;border:1px solid ${LINE};text-align:start`,
  td: `padding:6px 10px;border:1px solid ${LINE};vertical-align:top;text-align:start`,
};

/**
 * Adds styles to the elements of rendered Markdown. Text in it is escaped, so every `<` begins a
 * tag.
 */
export function inlineStyles(html: string, { color }: Shades): string {
  return html.replace(/(<pre\b[^>]*>)?<([a-z]+[1-6]?)(?=[\s>])/g, (tag, pre, name) => {
    // The style of the block applies to code in it.
    if (pre !== undefined) return `${pre.replace("<pre", style("pre", ELEMENTS.pre))}<${name}`;
    if (name === "a") return style(name, `color:${color}`);
    if (name === "table") return `${style("div", SCROLLED)}>${style(name, ELEMENTS.table)}`;
    return ELEMENTS[name] === undefined ? tag : style(name, ELEMENTS[name]);
  })
    .replaceAll("</table>", "</table></div>")
    // The style overrides the attribute, and some mail programs support only the attribute.
    .replace(/text-align:start(" align="(left|center|right)")/g, "text-align:$2$1")
    .replace(IMAGE_SIZE, narrow);
}

// Attributes of our own images: Outlook uses them, because it does not support max-width.
const IMAGE_SIZE = / width="(\d+)" height="(\d+)"( loading="lazy")/g;

function narrow(whole: string, width: string, height: string, rest: string): string {
  const scale = WIDTH_PX / Number(width);
  if (scale >= 1) return whole;
  return ` width="${WIDTH_PX}" height="${Math.round(Number(height) * scale)}"${rest}`;
}

function style(name: string, declarations: string): string {
  return `<${name} style="${declarations}"`;
}

/** Returns the style sheet for mail programs with a dark scheme. */
export function darkStyle({ color }: Shades): string {
  const rules: readonly (readonly [selectors: string, declarations: string])[] = [
    [".paper", `background:${DARK.paper}`],
    ["a", `color:${color}`],
    ["td,.ink,.ink h1,.ink h2,.ink h3,.ink h4,.ink h5,.ink h6", `color:${DARK_INK}`],
    [".soft p,.soft a,blockquote,.byline", `color:${DARK_SOFT}`],
    ["pre,code", `background:${DARK.raised}`],
    [".ink img", `background:${LIGHT.paper}`],
    ["img.light", "display:none"],
    ["img.dark", "display:inline-block"],
    [".line,hr,blockquote,.ink td,.ink th", `border-color:${DARK_LINE}`],
    [".button", `background:${color};color:${DARK.paper}`],
  ];
  const text = rules.map(([selectors, declarations]) => {
    return `${selectors}{${declarations.replaceAll(/(?=;|$)/g, "!important")}}`;
  });
  return `:root{color-scheme:light dark;supported-color-schemes:light dark}@media(prefers-color-scheme:dark){${
    text.join("")
  }}`;
}
