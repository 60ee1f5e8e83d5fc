/** @import { Child } from "../dom.js" */
/** @import { Visit } from "../main.js" */
import { may } from "../client.js";
import { address, date, entryAddress, h, head, pill, t, word } from "../dom.js";
import { filtered, listing, search, tabs } from "../listing.js";

/**
 * @param {Visit} visit
 * @returns {Promise<Child>}
 */
export async function showEntries(visit) {
  const start = may("entries:write") &&
    h("a", { class: "primary", href: address(["entries", "new"]) }, t("newEntry"));
  const label = visit.query.get("label");
  return [
    head(t("entries"), { actions: start }),
    h(
      "div",
      { class: "filters" },
      search(visit, "q", t("findEntries")),
      label && h(
        "a",
        { class: "label", href: filtered("label", ""), "aria-label": t("allLabels") },
        label,
        " ×",
      ),
    ),
    tabs(visit, "state", [
      ["", t("all")],
      ["draft", t("drafts")],
      ["scheduled", t("scheduled")],
      ["published", t("published")],
    ]),
    await listing(visit, {
      name: t("entries"),
      path: "changelogs/entries",
      filters: ["state", "label", "q"],
      columns: [
        {
          title: t("title"),
          cell: ({ entryId, title, labels }) => [
            h("a", { class: "title", href: entryAddress(entryId), dir: "auto" }, title),
            labels.map((/** @type {string} */ label) =>
              h("a", { class: "label", href: filtered("label", label) }, label)
            ),
          ],
        },
        { title: t("state"), cell: ({ state }) => pill(state, word(state)) },
        {
          title: t("date"),
          wide: true,
          cell: ({ publishedAt, updatedAt }) => date(publishedAt ?? updatedAt),
        },
      ],
      empty: [h("p", null, t("noEntries")), start && start.cloneNode(true)],
    }),
  ];
}
