/** The additional style of the pages of boards. */
export const BOARDS_STYLE = `
.lead { white-space: pre-line; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem 1rem; align-items: center; margin-top: 1.5rem; }
.actions .search { margin: 0; flex: 1 1 16rem; }
.button { display: inline-block; font-weight: 600; padding: .55rem 1.4rem; border: 1px solid var(--accent); border-radius: .6rem; background: var(--accent); color: var(--paper); text-decoration: none; }
.button:hover { filter: brightness(1.1); }
.filters { display: flex; flex-wrap: wrap; gap: .75rem 2rem; justify-content: space-between; padding-bottom: 1rem; }
.filters .chips { margin: 0; }
.orders { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: 0; padding: 0; font-size: .9375rem; }
.orders a { color: var(--soft); text-decoration: none; padding: .2rem 0; display: block; }
.orders a:hover { text-decoration: underline; }
.orders [aria-current] { color: var(--ink); font-weight: 600; }
.feeds [aria-current] { color: var(--ink); font-weight: 600; }
.ideas { list-style: none; margin: 0; padding: 0; }
.listed { display: grid; grid-template-columns: 4rem minmax(0, 1fr); gap: 0 1.25rem; padding: 1.25rem 0; border-top: 1px solid var(--line); align-items: start; }
.listed :is(h2, h3) { margin: 0; font-size: 1.125rem; line-height: 1.35; letter-spacing: -.01em; }
.listed :is(h2, h3) a { color: inherit; text-decoration: none; }
.listed :is(h2, h3) a:hover { text-decoration: underline; }
.listed p { margin: .2rem 0 0; color: var(--soft); font-size: .9375rem; line-height: 1.5; display: -webkit-box; -webkit-line-clamp: 2; -webkit-box-orient: vertical; overflow: hidden; }
.listed .facts, .facts { display: flex; flex-wrap: wrap; gap: .35rem .75rem; align-items: center; color: var(--soft); font-size: .875rem; margin: .5rem 0 0; }
.tally { display: grid; justify-items: center; align-content: center; gap: .15rem; width: 4rem; min-height: 4rem; padding: .35rem .25rem; border: 1px solid var(--edge); border-radius: .75rem; background: var(--paper); color: var(--ink); font-size: 1.0625rem; font-weight: 700; line-height: 1.2; text-decoration: none; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
.tally::before { content: ""; border: .3rem solid transparent; border-top: 0; border-bottom: .45rem solid var(--accent); }
:is(a, button).tally:hover { border-color: var(--accent); background: var(--pill); color: var(--pill-ink); filter: none; }
.tally.given { border-color: var(--accent); background: var(--pill); color: var(--pill-ink); }
span.tally { border-style: dashed; border-color: var(--line); }
span.tally::before { border-bottom-color: var(--edge); }
.status { border-radius: 1rem; padding: .05rem .6rem; font-size: .8125rem; font-weight: 600; background: var(--raised); color: var(--soft); }
.status.considering, .status.planned { background: var(--pill); color: var(--pill-ink); }
.status.started { background: var(--accent); color: var(--paper); }
.status.shipped::before { content: "✓ "; content: "✓ " / ""; }
.post { display: grid; grid-template-columns: 4rem minmax(0, 1fr); gap: 0 1.25rem; padding: 1.5rem 0 2.5rem; align-items: start; }
.post h1.title { margin: 0 0 .5rem; font-size: clamp(1.6rem, 5vw, 2.25rem); }
.post .facts { margin: 0 0 1.25rem; }
.post .body { margin-bottom: 1.5rem; }
.team { border-inline-start: .25rem solid var(--accent); padding: .25rem 0 .25rem 1.1rem; padding-inline: 1.1rem 0; margin: 0 0 1.75rem; }
.team h2 { margin: 0; font-size: 1rem; }
.team > .facts { margin: .1rem 0 .6rem; }
.post .team .body { margin-bottom: 0; }
.note .ideas { margin-bottom: 2.5rem; }
.note .ideas p { max-width: none; }
.note > h2 { font-size: 1.375rem; }
.history { margin: 0 0 1.5rem; color: var(--soft); font-size: .9375rem; }
.history summary { cursor: pointer; }
.history ul { margin: .5rem 0 0; padding-inline-start: 1.2rem; }
.panel { border: 1px solid var(--line); border-radius: .9rem; padding: 1.25rem 1.4rem 1.4rem; margin: 1.5rem 0; scroll-margin-top: 1rem; }
.panel h2 { margin: 0; font-size: 1.125rem; }
.panel > p { margin: .25rem 0 0; color: var(--soft); font-size: .9375rem; }
.report { font-size: .9375rem; }
.report summary { cursor: pointer; color: var(--soft); padding: .4rem 0; }
.cards { list-style: none; margin: 0; padding: 0; display: grid; gap: 1rem; }
.cards > li { border: 1px solid var(--line); border-radius: .9rem; padding: 1.1rem 1.3rem; }
.cards h2 { margin: 0; font-size: 1.1875rem; }
.cards p { margin: .3rem 0 0; color: var(--soft); font-size: .9375rem; white-space: pre-line; }
.columns { display: grid; gap: 1.5rem; padding-bottom: 2rem; }
.columns h2 { margin: 0 0 .75rem; font-size: 1.0625rem; display: flex; gap: .6rem; align-items: center; }
.columns .ideas { display: grid; gap: .6rem; }
.columns .listed { border: 1px solid var(--line); border-radius: .75rem; padding: .75rem .9rem; grid-template-columns: minmax(0, 1fr) auto; gap: 0 .75rem; }
.columns .listed h3 { font-size: 1rem; }
.columns .count { color: var(--soft); font-weight: 600; font-variant-numeric: tabular-nums; }
.columns .count::before { content: "▲ "; content: "▲ " / ""; font-size: .7em; color: var(--accent); }
.empty { color: var(--soft); font-size: .9375rem; margin: 0; }
@media (max-width: 40rem) {
  .post { grid-template-columns: minmax(0, 1fr); gap: 1rem 0; }
  .post > .tally, .post > form > .tally { grid-auto-flow: column; justify-content: center; justify-items: center; align-items: center; gap: .6rem; width: auto; min-height: 3rem; }
}
@media (min-width: 40rem) {
  .cards { grid-template-columns: 1fr 1fr; }
}
@media (min-width: 52rem) {
  .columns { grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 1.25rem; }
}
@media print {
  .actions, .filters, .panel, .report { display: none; }
  .tally { border-color: var(--line); background: none; color: inherit; }
  .listed { break-inside: avoid; }
}
`;
