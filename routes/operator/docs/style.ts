import type { Brand } from "../../../model/brand.ts";
import { paletteOf } from "../../public/_page/palette.ts";

/** Returns the style of the reference page. Its Content-Security-Policy contains the hash. */
export function docsStyleOf(brand: Pick<Brand, "accent">): string {
  return `\n${paletteOf(brand)}${LAYOUT}`;
}

const LAYOUT = `
* { box-sizing: border-box; }
html { scroll-padding-top: 3.5rem; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink); overflow-wrap: break-word;
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
a { color: var(--accent); text-underline-offset: .18em; text-decoration-thickness: .07em; }
:focus-visible { outline: .18rem solid var(--accent); outline-offset: .15rem; border-radius: .2rem; }
main:focus { outline: none; }
code, pre { font-family: var(--mono); font-size: .875em; }
pre code { font-size: inherit; }
p code, li code, td code { overflow-wrap: anywhere; }
h1, h2, h3, h4 { line-height: 1.2; letter-spacing: -.015em; text-wrap: balance; }
h1 { font-size: clamp(2rem, 6vw, 3rem); margin: 0 0 .75rem; letter-spacing: -.03em; }
h2 { font-size: 1.65rem; margin: 0 0 1rem; }
h3 { font-size: 1.25rem; margin: 0 0 .4rem; }
h4 { font-size: .8125rem; margin: 0 0 .35rem; }
h2 a, h3 a { color: inherit; text-decoration: none; } h2 a:hover, h3 a:hover { text-decoration: underline; }
h4, caption, dt { color: var(--soft); font-weight: 600; font-size: .8125rem; letter-spacing: .01em; text-align: left; }
p, ul { margin: 0 0 .75rem; max-width: 44rem; }

.skip { position: absolute; left: 1rem; top: -4rem; z-index: 3; padding: .5rem 1rem; background: var(--paper); }
.skip:focus { top: .5rem; }
.bar {
  position: sticky; top: 0; z-index: 2; min-height: 3.5rem; padding: .5rem 1.25rem; gap: 1rem; display: flex; align-items: center;
  background: var(--paper); border-bottom: 1px solid var(--line);
}
.brand { margin-right: auto; color: var(--ink); font-weight: 700; text-decoration: none; letter-spacing: -.01em; }
option { color: initial; background: initial; }
.menu, figure button, select, search input {
  padding: .2rem .7rem; border: 1px solid var(--edge); border-radius: .4rem; cursor: pointer; background: none; color: inherit;
  font: inherit; font-size: .875rem; font-weight: 400; line-height: 1.5;
}
nav { padding: 1.25rem; border: 0; background: var(--paper); color: var(--ink); font-size: .9375rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav a { color: inherit; text-decoration: none; display: block; padding: .25rem 0; }
nav a:hover { color: var(--accent); text-decoration: underline; }
#contents > li { margin-bottom: .35rem; } #contents > li > a { font-weight: 600; }
nav li ul { margin: .15rem 0 1rem; border-left: 1px solid var(--line); }
nav li ul a {
  display: flex; justify-content: space-between; align-items: baseline; gap: .5rem; padding-left: .8rem; margin-left: -1px;
  border-left: 1px solid transparent; color: var(--soft); font-size: .875rem;
}
nav a[aria-current] { color: var(--accent); border-color: var(--accent); } nav .method { font-size: .6875rem; }
search { margin-bottom: 1rem; } search label { display: block; color: var(--soft); font-size: .8125rem; font-weight: 600; }
search input { width: 100%; margin-top: .25rem; font-size: 1rem; cursor: text; }
#count { margin: .5rem 0 .25rem; color: var(--soft); font-size: .8125rem; } #count:empty { margin: 0; }
main { padding: 2rem 1.25rem 45vh; min-width: 0; }
section { margin-top: 3.5rem; } section, tr, #top { scroll-margin-top: 1.25rem; }
article { margin-top: 2rem; padding-top: 1.5rem; border-top: 1px solid var(--line); }
h2 + article { scroll-margin-top: 1.25rem; margin: 0; padding: 0; border: 0; }
h1 + p { max-width: none; font-size: 1.2rem; color: var(--soft); }
dl { display: flex; flex-wrap: wrap; gap: .75rem 2.5rem; margin: 1.5rem 0; }
dd { margin: 0; overflow-wrap: anywhere; }
.route { display: flex; gap: .5rem; align-items: baseline; margin: 0 0 1rem; }
.route code { color: inherit; font-size: .9375rem; overflow-wrap: anywhere; }
.method { font: 600 .75rem/1 var(--mono); letter-spacing: .02em; color: var(--pill-ink); }
.codes { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 0 1rem; font-size: .8125rem; }
.codes a { color: var(--ink); text-decoration-color: var(--line); }
.codes span { color: var(--soft); font-variant-numeric: tabular-nums; } .codes code { color: inherit; }

table { width: 100%; max-width: 44rem; border-collapse: collapse; margin: 0 0 1rem; font-size: .875rem; line-height: 1.5; }
caption { padding-bottom: .25rem; }
th, td { text-align: left; vertical-align: top; padding: .45rem .75rem .45rem 0; border-top: 1px solid var(--line); }
td { padding-right: 0; }
thead th { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
tbody th { width: 31%; font-weight: 400; } tbody th code { font-weight: 600; overflow-wrap: anywhere; }
.operations { max-width: none; } .operations th, .operations td { width: auto; }
.operations tbody + tbody [scope=rowgroup] { padding-top: 1.75rem; }
.operations [scope=rowgroup] { border: 0; color: var(--soft); font-size: .8125rem; font-weight: 600; }
.operations .route { margin: 0; } .operations code { color: inherit; } .operations .route code { font-size: .875em; }
.operations .method { min-width: 3.5rem; }
.responses tbody th { width: 4rem; font-variant-numeric: tabular-nums; font-weight: 600; }
.type, .rules { display: block; color: var(--soft); font-size: .8125rem; }
.required { color: var(--accent); font-size: .8125rem; }
tr:target, article:target h3 a, section:target > h2 a { color: var(--accent); }

figure { position: relative; margin: 0 0 1rem; border-radius: .6rem; background: var(--raised); overflow: hidden; border: 1px solid var(--line); }
figcaption { padding: .6rem 5.5rem 0 1rem; color: var(--soft); font-size: .8125rem; }
figure button { position: absolute; top: .45rem; right: .5rem; font-size: .75rem; }
figure button:hover { background: var(--paper); }
pre { margin: 0; padding: .5rem 1rem .9rem; font-size: .8125rem; white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.5; tab-size: 2; }

@supports not selector(:popover-open) { .menu { display: none; } }
@media (max-width: 61.99rem) {
  nav:popover-open { position: fixed; inset: 3.5rem 0 0; width: auto; height: auto; margin: 0; overflow-y: auto; }
}
@media (max-width: 24rem) { .brand { display: none; } }
@media (max-width: 40rem) {
  .operations tr, .operations th, .operations td:nth-child(2) { display: block; padding: 0; border: 0; }
  .operations td:nth-child(3) { display: none; } .operations tr { padding: .5rem 0; border-top: 1px solid var(--line); }
  pre { font-size: .75rem; }
  .operations tr:has([scope=rowgroup]) { border: 0; }
}
@media (min-width: 62rem) {
  body { display: grid; grid-template: "bar bar" auto "nav main" 1fr / 17rem minmax(0, 1fr); }
  .bar { grid-area: bar; padding-inline: 2rem; justify-content: space-between; }
  .menu { display: none; }
  nav {
    grid-area: nav; display: block; position: sticky; inset: 3.5rem auto auto; align-self: start; width: auto;
    height: calc(100vh - 3.5rem); margin: 0; overflow-y: auto; padding: 1.5rem 1.5rem 2rem 2rem;
    border-right: 1px solid var(--line);
  }
  main { padding: 2.5rem 2.5rem 45vh; max-width: 100rem; }
}
@media (min-width: 80rem) {
  .columns { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 34.5rem); gap: 2.5rem; }
  .examples { position: sticky; top: 4.5rem; align-self: start; }
}
@media (min-width: 110rem) { .columns { grid-template-columns: minmax(0, 44rem) minmax(0, 1fr); gap: 4rem; } }
@media print {
  .bar, nav, figure button { display: none; }
  figure { background: none; border-color: var(--edge); }
}
`;
