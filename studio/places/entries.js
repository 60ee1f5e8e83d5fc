/** @import { Child } from "../dom.js" */
/** @import { Column } from "../parts.js" */
/** @import { Visit } from "../places.js" */
import { draftNames, may, SAVES, unsavedEntries } from "../session.js";
import { address, date, entryAddress, h, t, word } from "../dom.js";
import { head, pill, titled, toneOf } from "../parts.js";
import { describe } from "../form.js";
import { filtered, listing } from "../listing.js";
import { isLost } from "../work.js";

/** The most letters of a text that stand for a title. */
const MAX_TITLE = 60;

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
  if (draftNames().length > 0) showAgainOnceSaved(visit);
  const list = listEntries(visit, mayWrite && start(t("begin")));
  // Words that this browser keeps can be opened without a connection.
  const shown = await list.catch((error) => {
    if (!isLost(error) || draftNames().length === 0) throw error;
    return h("div", { class: "empty", role: "alert" }, h("p", null, describe(error)));
  });
  return [
    head(t("entries"), {
      actions: mayWrite && [
        h("a", { class: "button", href: address(["entries", "import"]) }, t("import")),
        start(t("newEntry")),
      ],
    }),
    await showKept(shown instanceof Element),
    shown,
  ];
}

/**
 * Shows the list anew once an editor has stored its words, in this tab or in another one: after a
 * lost connection, or right after somebody has left the editor.
 *
 * @param {Visit} visit
 */
function showAgainOnceSaved({ signal, reload }) {
  const saves = new BroadcastChannel(SAVES);
  saves.addEventListener("message", () => reload(), { signal });
  signal.addEventListener("abort", () => saves.close());
}

/**
 * Lists the entries that this browser keeps and the server does not have.
 *
 * @param {boolean} isAlone Whether no other list shows those that the server has in other words.
 */
async function showKept(isAlone) {
  if (draftNames().length === 0) return undefined;
  const { listKept } = await import("../drafts/kept.js");
  const drafts = (await listKept()).filter(({ base }) => isAlone || base === undefined);
  return drafts.length > 0 && h(
    "ul",
    { class: "kept", "aria-label": t("unsaved") },
    drafts.map(({ id, base, words: { title, body } }) =>
      h("li", null, [
        titled(
          entryAddress(base?.entry.entryId ?? id),
          title.trim() || body.trim().slice(0, MAX_TITLE) || t("newEntry"),
        ),
        " ",
        pill("held", t("unsaved")),
      ])
    ),
  );
}

/** @param {Visit} visit @param {HTMLElement | false} begin The button that begins an entry. */
function listEntries(visit, begin) {
  return listing(visit, {
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
    empty: [h("p", null, t("noEntries")), begin],
  });
}
