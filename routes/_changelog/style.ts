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
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0 auto; padding: 0 1.25rem 4rem; max-width: 60rem; background: var(--paper); color: var(--ink);
  font: 1.0625rem/1.65 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  overflow-wrap: break-word;
}
a { color: var(--accent); text-underline-offset: .18em; text-decoration-thickness: .06em; }
:focus-visible { outline: .16rem solid var(--accent); outline-offset: .2rem; border-radius: .2rem; }
h1, h2, h3, h4, h5, h6 { line-height: 1.25; letter-spacing: -.015em; text-wrap: balance; margin: 1.6em 0 .5em; }
h1, h2 { margin-top: 0; }
h1 a, h2 a { color: inherit; text-decoration: none; }
h1 a:hover, h2 a:hover { text-decoration: underline; }
.top { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: baseline; justify-content: space-between; padding: 3rem 0 2rem; }
.top p { margin: 0; font-size: 1.0625rem; }
.name { margin: 0; font-size: clamp(1.9rem, 6vw, 2.75rem); font-weight: 750; line-height: 1.1; letter-spacing: -.035em; }
.name a { color: inherit; text-decoration: none; }
.feeds { color: var(--soft); font-size: .9375rem; }
article { display: grid; gap: 0 2.5rem; padding: 2.25rem 0; border-top: 1px solid var(--line); }
.meta { color: var(--soft); font-size: .9375rem; margin: 0 0 .6rem; display: flex; flex-wrap: wrap; gap: .4rem .6rem; align-items: center; align-content: start; }
.meta a { color: inherit; text-decoration: none; }
.meta a:hover { text-decoration: underline; }
.meta ul { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .35rem; }
.meta li { background: var(--pill); color: var(--pill-ink); border-radius: 1rem; padding: .05rem .65rem; font-size: .8125rem; font-weight: 600; }
.title { font-size: clamp(1.35rem, 4vw, 1.65rem); margin: 0 0 .6rem; }
.body > :first-child { margin-top: 0; }
.body > :last-child { margin-bottom: 0; }
.body { min-width: 0; max-width: 42rem; }
.body p, .body ul, .body ol, .body blockquote, .body pre { margin: 0 0 1rem; }
.body li > p { margin-bottom: .5rem; }
.body img { max-width: 100%; height: auto; border-radius: .5rem; }
.body blockquote { padding: 0 0 0 1rem; border-left: .2rem solid var(--line); color: var(--soft); }
.body hr { border: 0; border-top: 1px solid var(--line); margin: 1.75rem 0; }
code { font-family: var(--mono); font-size: .875em; background: var(--tint); border-radius: .3rem; padding: .1em .3em; overflow-wrap: anywhere; }
pre { background: var(--tint); border-radius: .5rem; padding: .9rem 1rem; overflow-x: auto; }
pre code { background: none; padding: 0; overflow-wrap: normal; }
.more { margin: 1rem 0 0; }
.note { padding: 2.25rem 0; border-top: 1px solid var(--line); color: var(--soft); }
button {
  font: inherit; font-weight: 600; padding: .6rem 1.4rem; border: 0; border-radius: .5rem; cursor: pointer;
  background: var(--accent); color: var(--paper);
}
.pages { display: flex; justify-content: space-between; border-top: 1px solid var(--line); padding-top: 1.5rem; }
@media (min-width: 52rem) {
  article { grid-template-columns: 11rem minmax(0, 1fr); }
  .meta { grid-row: 1 / span 3; flex-direction: column; align-items: start; padding-top: .35rem; }
}
@media print {
  body { max-width: none; background: #fff; color: #000; }
  .feeds, button {
  font: inherit; font-weight: 600; padding: .6rem 1.4rem; border: 0; border-radius: .5rem; cursor: pointer;
  background: var(--accent); color: var(--paper);
}
.pages { display: none; }
  article { break-inside: avoid-page; }
}
`.trim();
