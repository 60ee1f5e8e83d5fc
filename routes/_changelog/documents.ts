// Loaded when somebody reads the changelog, and not at each start.
export { writeAtom, writeJsonFeed } from "./feeds.ts";
export { renderEntry, renderList, renderMissing } from "./page.ts";
export { createPageHeaders } from "./page_headers.ts";
