import type { Brand } from "../../../model/brand.ts";
import { BOARD_STYLE } from "./board_style.ts";
import { paletteOf } from "./palette.ts";

/** Returns the style of all public pages, of which each has the rules that it uses. */
export function styleOf(brand: Pick<Brand, "accent">): string {
  const style = `${baseStyleOf(brand)}
@media print {
  :root { --paper: #fff; --ink: #000; --soft: #444; --line: #bbb; --raised: #f4f4f4; --accent: #000; --pill: #eee; --pill-ink: #000; }
}
${LAYOUT}${BOARD_STYLE}`;
  return style.trim().replace(/\s*([{}])\s*|(;)\s+/g, "$1$2");
}

/** Returns the style that all pages for readers and writers share: colours and basic elements. */
export function baseStyleOf(brand: Pick<Brand, "accent">): string {
  return `${paletteOf(brand)}
${BASE}`.trim();
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
body { padding: 0; max-width: none; font-size: var(--s2); line-height: 1.45; }
.top, main { max-width: 60rem; margin-inline: auto; padding-inline: 1.25rem; }
.narrow main > * { max-width: 42rem; margin-inline: auto; }
h1, h2, h3, h4, h5, h6 { line-height: 1.25; letter-spacing: -.012em; text-wrap: pretty; hyphens: auto; margin: 1.8em 0 .5em; }
h1 { font-size: clamp(1.625rem, 3vw, 2rem); letter-spacing: -.025em; margin: 0; }
p { text-wrap: pretty; }
img { max-width: 100%; height: auto; }
main a, .foot a { color: inherit; text-decoration-color: color-mix(in srgb, currentColor 35%, transparent); }
main a:hover, .foot a:hover { text-decoration-color: currentColor; }
:is(h1, h2, h3, .listed p, .hero p, td, th)[dir="auto"] { text-align: -webkit-match-parent; text-align: match-parent; }

.top { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: center; justify-content: space-between; min-height: 4rem; padding-block: .5rem; }
.top a { display: inline-flex; align-items: center; min-height: 2rem; color: var(--soft); font-weight: 500; text-decoration: none; }
.top a:hover { color: var(--ink); text-decoration: underline; }
.top nav { display: flex; gap: 0 1.125rem; align-items: center; overflow-x: auto; margin: 0 -.25rem; padding: .25rem; white-space: nowrap; }
.top nav [aria-current] { color: var(--ink); box-shadow: inset 0 -2px var(--accent); }
.brand { display: flex; flex-wrap: wrap; gap: 0 .625rem; align-items: center; margin: 0; min-width: 0; }
.brand img { display: block; height: 1.75rem; width: auto; max-width: 10rem; border-radius: .375rem; }
.mark { display: grid; place-items: center; flex: none; width: 1.75rem; height: 1.75rem; border-radius: .375rem; background: var(--accent); color: var(--paper); font-weight: 700; line-height: 1; letter-spacing: 0; }
.brand a { gap: .625rem; font-weight: 600; color: var(--ink); }
.brand a + a::before { content: "/"; content: "/" / ""; color: var(--edge); font-weight: 400; }
.foot { max-width: 57.5rem; margin: 3rem max(1.25rem, (100% - 57.5rem) / 2) 0; padding-inline: 0; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; align-items: center; padding-block: 1.5rem 2.5rem; border-top: 1px solid var(--line); color: var(--soft); font-size: var(--s1); }
.foot p, .foot form { margin: 0; }
.foot a, .foot .quiet { display: inline-block; padding: .25rem 0; }
.foot .who { margin-inline-start: auto; }
.foot .quiet { border: 0; min-height: 0; padding: .25rem .5rem; font-size: inherit; text-decoration: underline; }

.button, button { display: inline-block; font: inherit; font-weight: 600; line-height: 1.25; min-height: 2.25rem; padding: .5rem 1rem; border: 1px solid var(--accent); border-radius: .5rem; cursor: pointer; background: var(--accent); color: var(--paper); text-decoration: none; }
:is(.top, main) .button:not(.quiet) { color: var(--paper); }
:is(.button, button):hover { filter: brightness(1.15); text-decoration: none; }
.top .button { min-height: 2rem; padding: .25rem .75rem; font-size: var(--s1); font-weight: 600; }
.quiet, :is(.top, main, .foot) .quiet { background: var(--paper); color: var(--ink); border-color: var(--edge); }
.quiet:hover { background: var(--raised); filter: none; }

.hero { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; justify-content: space-between; padding: .75rem 0 .5rem; }
.hero > * { min-width: 0; }
.hero p { margin: .25rem 0 0; max-width: 60ch; color: var(--soft); }
.bar { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; border-bottom: 1px solid var(--line); padding-bottom: .5rem; }
.chips { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .375rem; }
.chips a { display: block; background: var(--pill); color: var(--pill-ink); border-radius: 1rem; padding: .1875rem .625rem; font-size: var(--s1); font-weight: 600; text-decoration: none; }
.chips a:hover { text-decoration: underline; }
.tabs { flex: 1 1 26rem; flex-wrap: nowrap; overflow-x: auto; gap: 0 1rem; min-width: 0; white-space: nowrap; padding: .125rem; margin: -.125rem; scrollbar-width: thin; }
.tabs a { min-width: 1.5rem; background: none; color: var(--soft); border-radius: 0; padding: .375rem 0; font-weight: 500; font-size: var(--s2); text-align: center; }
.tabs [aria-current] { color: var(--ink); box-shadow: inset 0 -2px var(--accent); }
.bar .chips:not(.tabs) { flex: 1; }
.chips:not(.tabs) [aria-current] { outline: 2px solid; outline-offset: -2px; }

.search { position: relative; flex: 0 1 13rem; min-width: 9rem; margin: 0; }
.search input { width: 100%; }
[dir="ltr"] .search input { padding-right: 2.5rem; }
[dir="rtl"] .search input { padding-left: 2.5rem; }
.search button { position: absolute; inset-block: 0; inset-inline-end: 0; width: 2.5rem; min-height: 0; padding: 0; border: 0; background: none; color: var(--soft); font-size: 0; }
.search button::before { content: ""; position: absolute; top: .625rem; left: .8125rem; width: .8125rem; height: .8125rem; border: 2px solid; border-radius: 50%; }
.search button::after { content: ""; position: absolute; top: 1.4375rem; left: 1.375rem; width: .4375rem; border-top: 2px solid; rotate: 45deg; }
input:not([type="radio"], [type="checkbox"], [type="hidden"]), textarea { font: inherit; min-width: 0; padding: .4375rem .75rem; color: var(--ink); background: var(--paper); border: 1px solid var(--edge); border-radius: .5rem; }
mark { background: var(--pill); color: var(--pill-ink); border-radius: .2rem; }
.menu { position: relative; }
summary { display: flex; gap: .5rem; align-items: center; width: fit-content; cursor: pointer; padding: .375rem 0; }
summary::-webkit-details-marker { display: none; }
summary::after { content: ""; width: .375rem; height: .375rem; border: solid; border-width: 0 2px 2px 0; rotate: 45deg; translate: 0 -.125rem; }
[open] > summary::after { rotate: 225deg; translate: 0 .0625rem; }
.menu ul { position: absolute; inset-inline-end: 0; z-index: 2; list-style: none; margin: 0; padding: .375rem; background: var(--paper); border: 1px solid var(--edge); border-radius: .5rem; white-space: nowrap; }
.menu li a { display: block; padding: .375rem .625rem; text-decoration: none; }
.menu [aria-current] { font-weight: 600; }

.month { margin: 0; padding: 1rem 0 0; border-top: 1px solid var(--line); font-size: var(--s2); font-weight: 600; letter-spacing: 0; color: var(--soft); }
.bar + .month { border-top: 0; }
article { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0 2.5rem; padding: 1.25rem 0 2.25rem; }
article + article { border-top: 1px solid var(--line); padding-top: 2rem; }
.meta { color: var(--soft); margin: 0 0 .5rem; display: flex; flex-wrap: wrap; gap: .375rem .75rem; align-items: center; }
.meta > a, .title a { text-decoration: none; }
.meta > a { display: inline-block; padding: .125rem 0; }
.meta > a:hover, .title a:hover { text-decoration: underline; }
.title { font-size: var(--s4); letter-spacing: -.015em; margin: 0 0 .625rem; }
h1.title { font-size: clamp(1.75rem, 4vw, 2.25rem); letter-spacing: -.025em; margin-bottom: 1.25rem; }

.body, .content { min-width: 0; max-width: 66ch; font-size: var(--s3); line-height: 1.6; }
.body > :first-child { margin-top: 0; }
.body > :last-child, .body :is(li, blockquote) > :last-child { margin-bottom: 0; }
.body h2 { font-size: var(--s4); } .body :is(h3, h4, h5, h6) { font-size: var(--s3); }
.body :is(p, ul, ol, blockquote, pre) { margin: 0 0 1rem; }
.body :is(ul, ol) { padding-inline-start: 1.5rem; }
.body :is(ul, ol):is(:dir(ltr):has(> li:dir(rtl)), :dir(rtl):has(> li:dir(ltr))) { padding-inline: 1.5rem; }
.body li + li, .body li > p, .body li > :is(ul, ol) { margin-top: .3rem; }
.body li > p { margin-bottom: .5rem; }
.body li::marker { color: var(--soft); }
.body img { border-radius: .5rem; background: var(--ground, var(--raised)); }
.body p > img:only-child { display: block; margin: 1.5rem 0; }
.body blockquote { padding: .1rem 0; padding-inline-start: 1rem; border-inline-start: .1875rem solid var(--line); color: var(--soft); }
.body hr { border: 0; border-top: 1px solid var(--line); margin: 2rem 0; }
.table { overflow-x: auto; margin: 0 0 1rem; }
.table table { border-collapse: collapse; overflow-wrap: normal; font-size: var(--s2); }
.body :is(th, td) { border: 1px solid var(--line); padding: .375rem .75rem; }
.body :is(th, td):not([align]) { text-align: start; }
.body li:has(> [type="checkbox"], > p > [type="checkbox"]) { list-style: none; }
.body [type="checkbox"] { margin: 0; margin-inline: -1.4rem .15rem; width: 1rem; height: 1rem; vertical-align: -.125rem; accent-color: var(--accent); }
.body del { color: var(--soft); }
.body th { background: var(--raised); }
.body [align="center"] { text-align: center; }
.body [align="right"] { text-align: right; }
.ships { border-top: 1px solid var(--line); padding-top: 1.25rem; margin-bottom: 2rem; }
.ships h2 { margin: 0 0 .75rem; }
.more { font-weight: 600; }
code { font-size: .875em; border-radius: .25rem; padding: .12em .35em; }
pre { border-radius: .5rem; padding: .875rem 1rem; overflow-x: auto; line-height: 1.5; text-align: left; }
pre code { background: none; padding: 0; overflow-wrap: normal; }

.note, .narrow .note { max-width: 26rem; margin: clamp(1rem, 6vh, 4rem) auto 2rem; padding: 1.5rem; border: 1px solid var(--line); border-radius: .75rem; }
.narrow .note:has(.ideas, .choices, .fields) { max-width: 34rem; }
.note > :is(h1, h2) { margin: 0 0 .5rem; font-size: var(--s4); letter-spacing: -.012em; }
.note > p { margin: 0 0 1rem; color: var(--soft); }
.note > form + p { margin-top: 1rem; }
.note > p:last-child { margin-bottom: 0; }
.note > h2 { font-size: var(--s2); margin-top: 1.25rem; }
.note > h2:first-child { font-size: var(--s4); margin-top: 0; }
.note .items { margin: 0 0 1rem; padding: 0; list-style: none; }
.note .items > li { padding: .625rem 0; border-bottom: 1px solid var(--line); }
.note .items form { display: inline-block; margin: .375rem .375rem 0 0; }
.note .items label { display: flex; gap: .625rem; align-items: baseline; }
.note .ideas { margin: 0 0 1rem; border-top: 1px solid var(--line); }
.note .aside { margin-top: 1.5rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: var(--s1); color: var(--soft); }
.note .aside :is(h2, p) { margin: 0 0 .5rem; font-size: inherit; }
.note .aside form + p { margin-top: 1rem; }
.note blockquote { margin: .25rem 0 0; white-space: pre-wrap; color: var(--soft); max-height: 12rem; overflow-y: auto; }
.banner { margin: 0 0 1rem; padding: .5rem 1rem; border-radius: .5rem; background: var(--pill); color: var(--pill-ink); }
.sign-up { border: 1px solid var(--line); border-radius: .75rem; padding: 1.25rem; margin: 2rem 0; scroll-margin-top: 1rem; }
.sign-up :is(h1, h2) { margin: 0; font-size: var(--s3); }
.sign-up h1 { font-size: var(--s4); }
.sign-up > p { margin: .25rem 0 0; color: var(--soft); }
.stack, .fields { display: grid; grid-template-columns: minmax(0, 1fr); gap: .75rem; align-items: end; margin-top: .75rem; }
:is(.stack, .fields) label { display: grid; gap: .25rem; font-size: var(--s1); font-weight: 600; }
:is(.stack, .fields) :is(input, textarea) { width: 100%; font-size: 1rem; font-weight: 400; }
:is(.stack, .fields) > p { margin: 0; font-size: var(--s1); color: var(--soft); }
textarea { min-height: 8rem; resize: vertical; }
.fields .error, [role="alert"] { grid-column: 1 / -1; margin: 0; color: var(--error); font-weight: 600; }
input[aria-invalid], textarea[aria-invalid] { border-color: var(--error) !important; box-shadow: 0 0 0 1px var(--error); }
.trap { position: absolute; inset-inline-start: -100vmax; overflow: hidden; }
.buttons { display: flex; flex-wrap: wrap; gap: .5rem; }
.choices { margin-top: 2rem; accent-color: var(--accent); }
.choices fieldset { margin: .75rem 0; padding: 0; border: 0; }
.choices legend { padding: 0; font-weight: 600; }
.choices p { margin: 0; }
.choices label { display: flex; gap: .5rem; align-items: baseline; padding: .125rem 0; }
.choices p:has(button) { margin-top: .75rem; }
.note .choices + * { margin-top: 3rem; }

.pages { display: grid; grid-template-columns: 1fr 1fr; gap: .75rem 1rem; padding: 1.25rem 0; }
.pages a { text-decoration: none; min-width: 0; padding: .125rem 0; font-weight: 600; }
.pages a:hover { text-decoration: underline; }
.pages [rel="next"] { grid-column: 2; text-align: end; }
.pages [rel="prev"] span::before { content: "← "; content: "← " / ""; }
.pages [rel="next"] span::after { content: " →"; content: " →" / ""; }
[dir="rtl"] .pages [rel="prev"] span::before { content: "→ "; content: "→ " / ""; }
[dir="rtl"] .pages [rel="next"] span::after { content: " ←"; content: " ←" / ""; }
.pages span:not(:only-child) { display: block; color: var(--soft); font-size: var(--s1); font-weight: 400; }
.all { grid-column: 1 / -1; }
:dir(rtl) { letter-spacing: 0; }
@media (max-width: 40rem) {
  .top nav { gap: 0 .75rem; }
  .top .button { padding-inline: .625rem; }
  .bar .search { flex: 1; }
  .bar .chips:not(.tabs) { flex-basis: 100%; }
}
@media (min-width: 40rem) {
  .sign-up .fields { grid-template-columns: 1fr 1fr auto; }
}
@media (min-width: 52rem) {
  .wide article { grid-template-columns: 9rem minmax(0, 1fr); }
  .wide .meta { grid-row: 1 / span 2; align-self: start; position: sticky; top: 1.5rem; flex-direction: column; align-items: start; padding-top: .3rem; }
}
@media (forced-colors: active) {
  .tabs [aria-current], .top nav [aria-current] { outline: 2px solid; outline-offset: -2px; }
}
@media print {
  .skip, .top nav, .foot, .pages, .sign-up, form, .bar { display: none; }
  .wide .meta { position: static; }
  .body a::after { content: " (" attr(href) ")"; color: var(--soft); }
  pre { white-space: pre-wrap; }
  pre code { overflow-wrap: anywhere; }
  h2, h3, h4, h5, h6 { break-after: avoid; }
  img, pre, blockquote, tr { break-inside: avoid; }
}
`;
