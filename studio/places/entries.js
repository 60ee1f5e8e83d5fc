/** @import { Child, Column } from "../dom.js" */
/** @import { Visit } from "../places.js" */
import { may, unsavedEntries } from "../client.js";
import { address, date, entryAddress, h, head, pill, t, titled, toneOf, word } from "../dom.js";
import { filtered, listing } from "../listing.js";

/**
 * The columns of entries, with a mark where this browser keeps words that are not saved.
 *
 * @param {boolean} isByPublication Whether the list is in the order of publication.
 */
function entryColumns(isByPublication) {
  const unsaved = unsavedEntries();
  const toLabel = (/** @type {string} */ label) =>
    h("a", { class: `label tone-${toneOf(label)}`, href: filtered({ label }) }, label);
  return /** @type {readonly Column[]} */ ([
    [t("title"), ({ entryId, title, labels }) => [
      titled(entryAddress(entryId), title),
      labels.map(toLabel),
    ]],
    [t("state"), ({ entryId, state }) => [
      unsaved.has(entryId) && [pill("held", t("unsaved")), " "],
      pill(state, word(state)),
    ]],
    // The time that determines the order.
    isByPublication
      ? [t("date"), ({ publishedAt }) => date(publishedAt), "wide"]
      : [t("created"), ({ createdAt }) => date(createdAt), "wide"],
  ]);
}

/** Shows the entries. @param {Visit} visit @returns {Promise<Child>} */
export async function show(visit) {
  const start = (/** @type {string} */ label) =>
    h("a", { class: "primary", href: address(["entries", "new"]) }, label);
  const mayWrite = may("entries:write");
  return [
    head(t("entries"), {
      actions: mayWrite && [
        h("a", { class: "button", href: address(["entries", "import"]) }, t("import")),
        start(t("newEntry")),
      ],
    }),
    await listing(visit, {
      name: t("entries"),
      path: "changelogs/entries",
      search: ["q", t("findEntries")],
      tabs: ["state", [
        ["draft", t("drafts")],
        ["scheduled", t("scheduled")],
        ["published", t("published")],
      ]],
      filters: [{ name: "label", remove: t("allLabels") }],
      columns: entryColumns(["scheduled", "published"].includes(visit.query.get("state") ?? "")),
      empty: [h("p", null, t("noEntries")), mayWrite && start(t("begin"))],
    }),
  ];
}
