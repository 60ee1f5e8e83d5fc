/** The style of boards, ideas and the roadmap. */
export const BOARD_STYLE = `
.ideas { list-style: none; margin: 0; padding: 0; }
.listed { display: grid; grid-template-columns: 2.75rem minmax(0, 1fr); gap: 0 1rem; padding: .5rem 0; border-bottom: 1px solid var(--line); align-items: center; }
.listed > div { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 1rem; align-items: center; scroll-margin-top: 40vh; }
.listed :is(h2, h3) { margin: 0; font-size: var(--s2); line-height: 1.4; letter-spacing: 0; }
.listed :is(h2, h3) a { text-decoration: none; display: inline-block; padding: .125rem 0; }
.listed :is(h2, h3) a:hover { text-decoration: underline; }
.listed p { grid-column: 1; margin: 0; max-width: 60ch; color: var(--soft); font-size: var(--s1); display: -webkit-box; -webkit-line-clamp: 1; -webkit-box-orient: vertical; overflow: hidden; }
.facts a { display: inline-block; min-height: 1.5rem; }
.facts { display: flex; flex-wrap: wrap; gap: 0 .875rem; align-items: center; color: var(--soft); font-size: var(--s1); line-height: 1.5rem; margin: 0; }
.listed .facts { grid-column: 2; grid-row: 1 / span 2; display: grid; justify-items: end; line-height: 1.4; }
.tally { display: grid; justify-items: center; align-content: center; gap: .1875rem; width: 2.75rem; min-width: 2.75rem; height: 3.25rem; min-height: 0; padding: 0; border: 1px solid var(--edge); border-radius: .5rem; background: var(--paper); color: var(--ink); font-size: var(--s2); font-weight: 650; line-height: 1.2; text-decoration: none; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
.tally::before { content: ""; width: .5rem; height: .5rem; border: solid; border-width: 2px 0 0 2px; rotate: 45deg; translate: 0 .125rem; }
main a.tally { text-decoration: none; }
:is(a, button).tally:hover { border-color: var(--ink); background: var(--raised); filter: none; }
:is(a, button).tally:active { background: var(--line); }
.tally.given, main .tally.given { border-color: var(--accent); background: var(--accent); color: var(--paper); }
.tally.given::before { width: .3125rem; height: .625rem; border-width: 0 2px 2px 0; translate: 0 -.0625rem; }
span.tally { border-color: var(--line); color: var(--soft); }
.status { display: inline-flex; gap: .375rem; align-items: center; white-space: nowrap; }
.status::before { content: ""; flex: none; width: .5rem; height: .5rem; border-radius: 50%; background: var(--dot); forced-color-adjust: none; }
.status.open::before { content: none; }
.status.considering { --dot: #94a3b8; }
.status.planned { --dot: #6366f1; }
.status.started { --dot: #d97706; }
.status.shipped { --dot: #16a34a; }
.status.declined { --dot: #71717a; }

.post { grid-template-columns: 2.75rem minmax(0, 1fr); gap: 0 1rem; padding: 1rem 0 1.5rem; align-items: start; }
.post h1.title { margin: 0 0 .375rem; font-size: var(--s5); }
.post .facts { margin: 0 0 1rem; }
.post .body { margin-bottom: 1.25rem; }
.team { border-inline-start: .1875rem solid var(--accent); padding-inline: 1rem 0; margin: 0 0 1.5rem; }
.team h2 { margin: 0; font-size: var(--s2); }
.team > .facts { margin: 0 0 .5rem; }
.post .team .body { margin-bottom: 0; }
.history { margin: 0 0 1.25rem; color: var(--soft); }
.history ul { margin: .25rem 0 0; padding-inline-start: 1.25rem; }
.report, .empty { color: var(--soft); font-size: var(--s1); margin: 0; }
.report a { display: inline-block; padding: .25rem 0; }
.panel { border: 1px solid var(--line); border-radius: .75rem; padding: 1rem; margin: 0 0 1.5rem; scroll-margin-top: 1rem; }
.panel h2 { margin: 0 0 .5rem; font-size: var(--s2); }
.panel .vote { display: flex; flex-wrap: wrap; gap: .5rem; }
.panel .vote.fields { display: grid; }
.panel form + form { margin-top: .5rem; }
.cards { list-style: none; margin: 1rem 0 0; padding: 0; display: grid; gap: .75rem; }
.cards > li { border: 1px solid var(--line); border-radius: .75rem; padding: 1rem; }
.cards h2 { margin: 0; font-size: var(--s3); }
.cards h2 a { display: inline-block; padding: .125rem 0; }
.cards p { margin: .25rem 0 .5rem; color: var(--soft); white-space: pre-line; }
.lead { white-space: pre-line; }
.columns { display: grid; grid-auto-flow: column; grid-auto-columns: minmax(15rem, 82%); gap: 1rem; overflow-x: auto; scroll-snap-type: x mandatory; padding: .5rem 0 1rem; }
.columns section { scroll-snap-align: start; min-width: 0; }
.columns h2 { margin: 0 0 .5rem; font-size: var(--s2); display: flex; gap: .5rem; align-items: center; }
.columns h2 small { color: var(--soft); font-weight: 400; font-size: var(--s1); }
.columns .listed { grid-template-columns: minmax(0, 1fr) auto; gap: 0 .75rem; border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .75rem; margin-bottom: .5rem; }
.columns .count { color: var(--soft); font-variant-numeric: tabular-nums; }
.columns summary { color: var(--soft); font-size: var(--s1); }
@media (max-width: 40rem) {
  .listed > div { grid-template-columns: minmax(0, 1fr); }
  .listed .facts { grid-column: 1; grid-row: auto; display: flex; }
  .post { display: block; }
  .post > :first-child { float: inline-start; margin-inline-end: 1rem; }
  .post :is(.panel, .body, .empty, .team) { clear: both; }
  .panel.known { position: fixed; inset: auto 0 0; z-index: 1; margin: 0; padding: .5rem 1.25rem; border-width: 1px 0 0; border-radius: 0; background: var(--paper); }
  .panel.known h2 { display: none; }
  .panel.known form, .panel.known form + form { display: inline-flex; margin: 0; }
  html:has(.panel.known) { scroll-padding-bottom: 8rem; }
  body:has(.panel.known) { padding-bottom: 7rem; }
}
@media (min-width: 40rem) {
  .cards { grid-template-columns: 1fr 1fr; }
}
@media (min-width: 52rem) {
  .columns { grid-auto-columns: minmax(0, 1fr); }
}
@media (forced-colors: active) {
  .tally.given { outline: 2px solid; outline-offset: -2px; }
}
@media print {
  .panel, .report { display: none; }
  .columns { display: block; overflow: visible; }
  .listed { break-inside: avoid; }
}
`;
