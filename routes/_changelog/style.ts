/** The style of the public pages. Its hash stands in their Content-Security-Policy. */
export const CHANGELOG_STYLE = `
:root {
  color-scheme: light dark;
  --paper: #fffefb; --ink: #1f1d1a; --soft: #6a645c; --line: #e8e3da; --tint: #f5f1ea;
  --accent: #a83a1b; --pill: #f6e6df; --pill-ink: #84300f;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #161412; --ink: #ebe6df; --soft: #a79f95; --line: #33302b; --tint: #211f1c;
    --accent: #ff9d7c; --pill: #3a2620; --pill-ink: #ffbfa8;
  }
}
@media print {
  :root {
    --paper: #fff; --ink: #000; --soft: #444; --line: #bbb; --tint: #f4f4f4;
    --accent: #000; --pill: #eee; --pill-ink: #000;
  }
}
* { box-sizing: border-box; }
html { font-size: clamp(1rem, .9rem + .25vw, 1.125rem); -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0 auto; padding: 0 1.25rem 4rem; max-width: 58rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.65 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  overflow-wrap: anywhere;
}
.narrow { max-width: 44.5rem; }
a { color: var(--accent); text-underline-offset: .18em; text-decoration-thickness: .06em; }
a:hover { text-decoration-thickness: .12em; }
:focus-visible { outline: .16rem solid var(--accent); outline-offset: .2rem; border-radius: .2rem; }
h1, h2, h3, h4, h5, h6 { line-height: 1.25; letter-spacing: -.012em; text-wrap: balance; margin: 1.8em 0 .5em; }
h3 { font-size: 1.1875rem; } h4 { font-size: 1.0625rem; } h5, h6 { font-size: 1rem; }
p { text-wrap: pretty; }
.top { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: baseline; justify-content: space-between; padding: 3.5rem 0 2.5rem; }
.narrow .top { padding: 1.75rem 0 2.5rem; }
.name { margin: 0; font-size: clamp(1.9rem, 6vw, 2.625rem); font-weight: 750; line-height: 1.1; letter-spacing: -.03em; }
.narrow .name { font-size: 1.0625rem; font-weight: 650; letter-spacing: -.01em; }
.name a, .title a, .meta a { color: inherit; text-decoration: none; }
.name a:hover, .title a:hover, .meta a:hover { text-decoration: underline; }
.feeds { margin: 0; color: var(--soft); font-size: .9375rem; }
article { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0 2.5rem; padding: 2.75rem 0; border-top: 1px solid var(--line); }
.narrow article { padding-top: 0; border-top: 0; }
.meta { color: var(--soft); font-size: .9375rem; margin: 0 0 .6rem; display: flex; flex-wrap: wrap; gap: .4rem .75rem; align-items: center; }
.meta ul { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .35rem; }
.meta li { background: var(--pill); color: var(--pill-ink); border-radius: .8rem; padding: .05rem .65rem; font-size: .8125rem; font-weight: 600; }
.title { font-size: clamp(1.4rem, 4vw, 1.75rem); line-height: 1.2; letter-spacing: -.02em; margin: 0 0 .75rem; }
.narrow .title { font-size: clamp(1.9rem, 6vw, 2.625rem); line-height: 1.12; letter-spacing: -.03em; margin-bottom: 1.5rem; }
.narrow .meta { margin-bottom: .9rem; }
.body { min-width: 0; }
.body > :first-child { margin-top: 0; }
.body > :last-child, .body :is(li, blockquote) > :last-child { margin-bottom: 0; }
.body :is(p, ul, ol, blockquote, pre) { margin: 0 0 1.1rem; }
.body :is(ul, ol) { padding-left: 1.5rem; }
.body li + li, .body li > p, .body li > :is(ul, ol) { margin-top: .3rem; }
.body li > p { margin-bottom: .5rem; }
.body li::marker { color: var(--soft); }
.body img { max-width: 100%; height: auto; border-radius: .6rem; background: var(--tint); }
.body p > img:only-child { display: block; margin: 1.5rem 0; }
.body blockquote { padding: .1rem 0 .1rem 1.1rem; border-left: .2rem solid var(--line); color: var(--soft); }
.body hr { border: 0; border-top: 1px solid var(--line); margin: 2rem 0; }
code { font-family: var(--mono); font-size: .875em; background: var(--tint); border-radius: .3rem; padding: .12em .35em; }
pre { background: var(--tint); border-radius: .6rem; padding: 1rem 1.1rem; overflow-x: auto; line-height: 1.55; }
pre code { background: none; padding: 0; overflow-wrap: normal; }
.note { padding: 2.75rem 0; border-top: 1px solid var(--line); }
.note h2 { margin: 0 0 .5rem; font-size: 1.5rem; }
.note p { margin: 0 0 1.5rem; color: var(--soft); }
button {
  font: inherit; font-weight: 600; padding: .65rem 1.4rem; border: 0; border-radius: .6rem; cursor: pointer;
  background: var(--accent); color: var(--paper);
}
button:hover { filter: brightness(1.1); }
.pages { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; justify-content: space-between; border-top: 1px solid var(--line); padding-top: 1.5rem; }
@media (min-width: 52rem) {
  .wide article { grid-template-columns: 11rem minmax(0, 1fr); }
  .wide .meta { grid-row: 1 / span 2; align-self: start; position: sticky; top: 1.5rem; flex-direction: column; align-items: start; padding-top: .4rem; }
}
@media print {
  .feeds, .pages, form { display: none; }
  .wide .meta { position: static; }
  .body a::after { content: " (" attr(href) ")"; color: var(--soft); }
  pre { white-space: pre-wrap; }
  pre code { overflow-wrap: anywhere; }
  h2, h3, h4, h5, h6 { break-after: avoid; }
  img, pre, blockquote { break-inside: avoid; }
}
`.trim();
