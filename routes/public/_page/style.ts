import { DARK, LIGHT, type Shades, type Surface } from "../../../model/accent.ts";
import type { Brand } from "../../../model/brand.ts";

/** Returns the style of the public pages. Their Content-Security-Policy contains its hash. */
export function styleOf(brand: Pick<Brand, "accent">): string {
  return `${baseOf(brand)}
@media print {
  :root { --paper: #fff; --ink: #000; --soft: #444; --line: #bbb; --raised: #f4f4f4; --accent: #000; --pill: #eee; --pill-ink: #000; }
}
${LAYOUT}`.trim();
}

/** Returns the style that all pages for readers and writers share: colours and basic elements. */
export function baseOf(brand: Pick<Brand, "accent">): string {
  return `${paletteOf(brand)}
${BASE}`.trim();
}

/** Returns the colours of all pages, as custom properties, and their fixed-width font. */
export function paletteOf({ accent }: Pick<Brand, "accent">): string {
  return `
:root {
  color-scheme: light dark; ${colors(LIGHT, accent.light)}
  --ink: #18191b; --soft: #5d6169; --line: #e4e5e9; --edge: #868b94;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root { --ground: ${LIGHT.paper}; ${
    colors(DARK, accent.dark)
  } --ink: #eaebed; --soft: #a0a4ac; --line: #2c2e34; --edge: #757a84; }
}
${tones(0)}
@media (prefers-color-scheme: dark) {
${tones(1)}
}`.trim();
}

// Label colours for the light and the dark scheme: a tint, and an ink with a contrast of at least
// 4.5.
const TONE_COLORS = [
  [["#e3f2e6", "#1d6b3a"], ["#173323", "#86d9a1"]],
  [["#fbeed2", "#7a4b00"], ["#382a10", "#f0c36d"]],
  [["#fde8e6", "#a3161c"], ["#42191a", "#ff9c93"]],
  [["#e3edfb", "#1b4f9c"], ["#15294a", "#9cc2ff"]],
  [["#efe6fa", "#5f2f9e"], ["#2e1d47", "#cfaef7"]],
  [["#ddf2f2", "#0f5f66"], ["#103338", "#7fdbe0"]],
] as const;

function tones(scheme: 0 | 1): string {
  return TONE_COLORS.map((colors, tone) => {
    const [tint, ink] = colors[scheme];
    return `.tone-${tone} { --pill: ${tint}; --pill-ink: ${ink}; }`;
  }).join("\n");
}

function colors({ paper, raised }: Surface, { color, tint, onTint }: Shades): string {
  return `--paper: ${paper}; --raised: ${raised}; --accent: ${color}; --pill: ${tint}; --pill-ink: ${onTint};`;
}

const BASE = `
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0 auto; background: var(--paper); color: var(--ink);
  font: 1rem/1.65 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  overflow-wrap: anywhere;
}
a { color: var(--accent); text-underline-offset: .18em; text-decoration-thickness: .06em; }
a:hover { text-decoration-thickness: .12em; }
:focus-visible { outline: .16rem solid var(--accent); outline-offset: .2rem; border-radius: .2rem; }
:is(h1, h2, main):focus { outline: none; }
.skip { position: absolute; inset-inline-start: 1rem; top: -5rem; z-index: 3; padding: .5rem 1rem; background: var(--paper); }
.skip:focus { top: .5rem; }
code, pre { font-family: var(--mono); direction: ltr; unicode-bidi: isolate; background: var(--raised); }
`;

const LAYOUT = `
html { font-size: clamp(1rem, .93rem + .2vw, 1.125rem); }
body { padding: 0 1.25rem 4rem; max-width: 60rem; }
.narrow { max-width: 45.5rem; }
h1, h2, h3, h4, h5, h6 { line-height: 1.25; letter-spacing: -.012em; text-wrap: balance; margin: 1.8em 0 .5em; }
p { text-wrap: pretty; }
img { max-width: 100%; height: auto; }

.top { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; justify-content: space-between; padding: 1.5rem 0; font-size: .9375rem; }
.top a { color: var(--soft); text-decoration: none; }
.top a[href^="#"] { color: var(--accent); font-weight: 600; }
.top a:hover { color: var(--ink); text-decoration: underline; }
.brand, .feeds { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: center; margin: 0; color: var(--soft); min-width: 0; }
.brand { gap: .625rem; }
.brand img { display: block; height: 1.75rem; width: auto; max-width: 10rem; border-radius: .375rem; }
.mark { display: grid; place-items: center; width: 1.75rem; height: 1.75rem; border-radius: .375rem; background: var(--accent); color: var(--paper); font-weight: 700; line-height: 1; letter-spacing: 0; }
.brand a { display: flex; gap: .625rem; align-items: center; font-weight: 600; color: var(--ink); }
.brand a + a::before { content: "/"; content: "/" / ""; color: var(--line); font-weight: 400; }
.hero { padding: clamp(1.5rem, 5vw, 3.5rem) 0 clamp(1.75rem, 4vw, 2.75rem); }
.hero h1 { margin: 0; font-size: clamp(2rem, 6vw, 3rem); font-weight: 750; line-height: 1.08; letter-spacing: -.033em; }
.hero p { margin: .75rem 0 0; color: var(--soft); }
.chips { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .375rem; }
.hero .chips { margin-top: 1.5rem; }
.chips a { display: block; background: var(--pill); color: var(--pill-ink); border-radius: 1rem; padding: .1rem .7rem; font-size: .8125rem; font-weight: 600; text-decoration: none; }
.chips a:hover { text-decoration: underline; }
.chips [aria-current] { background: var(--accent); color: var(--paper); }

.search { display: flex; gap: .5rem; margin-top: 1.5rem; max-width: 28rem; }
.search input { font: inherit; flex: 1; min-width: 0; padding: .45rem .8rem; color: var(--ink); background: var(--paper); border: 1px solid var(--edge); border-radius: .6rem; }
mark { background: var(--pill); color: var(--pill-ink); border-radius: .2rem; }

.month { margin: 0; padding: 1rem 0 0; border-top: 1px solid var(--line); font-size: .9375rem; font-weight: 600; letter-spacing: 0; color: var(--soft); }
article { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0 2.5rem; padding: 1.75rem 0 3rem; }
article + article { border-top: 1px solid var(--line); padding-top: 2.5rem; }
.narrow article { padding: 1.5rem 0 3.5rem; }
.meta { color: var(--soft); font-size: .9375rem; margin: 0 0 .6rem; display: flex; flex-wrap: wrap; gap: .4rem .75rem; align-items: center; }
.meta > a, .title a { color: inherit; text-decoration: none; }
.meta > a:hover, .title a:hover { text-decoration: underline; }
.title { font-size: clamp(1.375rem, 4vw, 1.6875rem); line-height: 1.2; letter-spacing: -.022em; margin: 0 0 .75rem; }
h1.title { font-size: clamp(1.9rem, 6vw, 2.625rem); line-height: 1.12; letter-spacing: -.03em; margin-bottom: 1.5rem; }
.narrow .meta { margin-bottom: .9rem; }

.body { min-width: 0; }
.body > :first-child { margin-top: 0; }
.body > :last-child, .body :is(li, blockquote) > :last-child { margin-bottom: 0; }
.body h2 { font-size: 1.375rem; } .body h3 { font-size: 1.1875rem; } .body h4 { font-size: 1.0625rem; } .body :is(h5, h6) { font-size: 1rem; }
.body :is(p, ul, ol, blockquote, pre) { margin: 0 0 1.1rem; }
.body :is(ul, ol) { padding-inline-start: 1.5rem; }
.body :is(ul, ol):is(:dir(ltr):has(> li:dir(rtl)), :dir(rtl):has(> li:dir(ltr))) { padding-inline: 1.5rem; }
.body li + li, .body li > p, .body li > :is(ul, ol) { margin-top: .3rem; }
.body li > p { margin-bottom: .5rem; }
.body li::marker { color: var(--soft); }
.body img { border-radius: .6rem; background: var(--ground, var(--raised)); }
.body p > img:only-child { display: block; margin: 1.5rem 0; }
.body blockquote { padding: .1rem 0 .1rem; padding-inline-start: 1.1rem; border-inline-start: .2rem solid var(--line); color: var(--soft); }
.body hr { border: 0; border-top: 1px solid var(--line); margin: 2rem 0; }
.table { overflow-x: auto; margin: 0 0 1.1rem; }
.table table { border-collapse: collapse; overflow-wrap: normal; font-size: .9375rem; }
.body :is(th, td) { border: 1px solid var(--line); padding: .35rem .75rem; }
.body :is(th, td):not([align]) { text-align: start; }
.body li:has(> [type="checkbox"], > p > [type="checkbox"]) { list-style: none; }
.body [type="checkbox"] { margin: 0; margin-inline: -1.4rem .15rem; width: 1rem; height: 1rem; vertical-align: -.125rem; accent-color: var(--accent); }
.body del { color: var(--soft); }
.body th { background: var(--raised); }
.body [align="center"] { text-align: center; }
.body [align="right"] { text-align: right; }
.ships { border-top: 1px solid var(--line); padding-top: 1.25rem; margin-bottom: 2rem; }
.ships h2 { margin: 0 0 .75rem; font-size: 1.125rem; }
.more { font-weight: 600; }
code { font-size: .875em; border-radius: .3rem; padding: .12em .35em; }
pre { border-radius: .6rem; padding: 1rem 1.1rem; overflow-x: auto; line-height: 1.55; text-align: left; }
pre code { background: none; padding: 0; overflow-wrap: normal; }

.note { padding: clamp(1.5rem, 6vw, 4rem) 0 3rem; }
.note h1, .note h2 { margin: 0 0 .75rem; font-size: clamp(1.6rem, 5vw, 2.25rem); line-height: 1.15; letter-spacing: -.025em; }
.note p { margin: 0 0 1.5rem; color: var(--soft); font-size: 1.0625rem; max-width: 36rem; }
.banner { margin: 0 0 1rem; padding: .6rem 1rem; border-radius: .6rem; background: var(--pill); color: var(--pill-ink); font-size: .9375rem; }
.sign-up { border: 1px solid var(--line); border-radius: .9rem; padding: 1.25rem 1.4rem 1.4rem; margin: 2.5rem 0; scroll-margin-top: 1rem; }
.sign-up :is(h1, h2) { margin: 0; font-size: 1.125rem; }
.sign-up h1 { font-size: 1.6rem; }
.sign-up > p { margin: .25rem 0 0; color: var(--soft); font-size: .9375rem; }
.fields { display: grid; gap: .875rem; align-items: end; margin-top: 1rem; }
.fields label { display: grid; gap: .25rem; font-size: .875rem; font-weight: 600; }
.choices fieldset { margin: 1rem 0; padding: 0; border: 0; }
.choices legend { padding: 0; font-weight: 600; }
.choices { margin-top: 3rem; accent-color: var(--accent); }
.choices p { margin: .25rem 0; }
.choices label { display: flex; gap: .5rem; align-items: baseline; }
.note .choices + * { margin-top: 3rem; }
.fields .error { grid-column: 1 / -1; margin: 0; color: var(--accent); font-size: .9375rem; font-weight: 600; }
.trap { position: absolute; inset-inline-start: -100vmax; overflow: hidden; }
.fields input { font: inherit; font-size: 1rem; font-weight: 400; width: 100%; min-width: 0; padding: .55rem .8rem; color: var(--ink); background: var(--paper); border: 1px solid var(--edge); border-radius: .6rem; }
input[aria-invalid] { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent); }
button { font: inherit; font-weight: 600; padding: .55rem 1.4rem; border: 1px solid var(--accent); border-radius: .6rem; cursor: pointer; background: var(--accent); color: var(--paper); }
button:hover { filter: brightness(1.1); }
.stack, .panel .fields, .note form.fields { display: grid; grid-template-columns: minmax(0, 1fr); gap: .875rem; margin-top: 1rem; max-width: 36rem; }
.stack label { display: grid; gap: .25rem; font-size: .875rem; font-weight: 600; }
:is(.stack, .fields) :is(input, textarea) { font: inherit; font-size: 1rem; font-weight: 400; width: 100%; min-width: 0; padding: .55rem .8rem; color: var(--ink); background: var(--paper); border: 1px solid var(--edge); border-radius: .6rem; }
textarea { min-height: 9rem; resize: vertical; }
:is(.stack, .fields) > p { margin: 0; font-size: .9375rem; color: var(--soft); }
.buttons { display: flex; flex-wrap: wrap; gap: .6rem; }
.quiet { background: var(--paper); color: var(--accent); }
.note .items { margin: 0 0 1.5rem; padding: 0; list-style: none; }
.note .items li { padding: .8rem 0; border-bottom: 1px solid var(--line); }
.note .items form { margin-top: .6rem; }
.note h2:has(+ .items) { margin: 2rem 0 .25rem; font-size: 1.125rem; letter-spacing: 0; }
.note .aside { margin-top: 3rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
.note .aside :is(h2, p) { margin: 0 0 .75rem; font-size: 1rem; letter-spacing: 0; }
.note .aside form + p { margin-top: 1.5rem; }

.pages { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; border-top: 1px solid var(--line); padding: 1.5rem 0; margin-bottom: 1.5rem; }
.pages a { text-decoration: none; min-width: 0; font-weight: 600; }
.pages a:hover { text-decoration: underline; }
.pages [rel="next"] { grid-column: 2; text-align: end; }
.pages span::before, .pages span::after { font-weight: 600; }
.pages [rel="prev"] span::before { content: "← "; content: "← " / ""; }
.pages [rel="next"] span::after { content: " →"; content: " →" / ""; }
[dir="rtl"] .pages [rel="prev"] span::before { content: "→ "; content: "→ " / ""; }
[dir="rtl"] .pages [rel="next"] span::after { content: " ←"; content: " ←" / ""; }
.pages span:not(:only-child) { display: block; color: var(--soft); font-size: .875rem; font-weight: 400; }
.all { grid-column: 1 / -1; }
:dir(rtl) { letter-spacing: 0; }
@media (min-width: 40rem) {
  .sign-up .fields { grid-template-columns: 1fr 1fr auto; }
}
@media (min-width: 52rem) {
  .wide article { grid-template-columns: 11rem minmax(0, 1fr); }
  .wide .meta { grid-row: 1 / span 2; align-self: start; position: sticky; top: 1.5rem; flex-direction: column; align-items: start; padding-top: .3rem; }
}
@media print {
  .skip, .feeds, .pages, .sign-up, form, .hero .chips { display: none; }
  .wide .meta { position: static; }
  .body a::after { content: " (" attr(href) ")"; color: var(--soft); }
  pre { white-space: pre-wrap; }
  pre code { overflow-wrap: anywhere; }
  h2, h3, h4, h5, h6 { break-after: avoid; }
  img, pre, blockquote, tr { break-inside: avoid; }
}
`;
