/** @import { Visit } from "../router.js" */
/** @import { Child } from "../dom.js" */
import { h } from "../dom.js";
import { listing, pill, tabs } from "../listing.js";
import { address } from "../router.js";
import { may } from "../session.js";
import { date, t, word } from "../texts.js";

/**
 * @param {Visit} visit
 * @returns {Promise<Child>}
 */
export async function showEntries(visit) {
  const start = may("entries:write") &&
    h("a", { class: "primary", href: address(["entries", "new"]) }, t("newEntry"));
  const list = await listing(visit, {
    name: t("entries"),
    path: "changelogs/entries",
    filters: ["state"],
    columns: [
      {
        title: t("title"),
        cell: ({ entryId, title, labels }) => [
          h("a", { class: "title", href: address(["entries", entryId]), dir: "auto" }, title),
          labels.map((/** @type {string} */ label) => h("span", { class: "label" }, label)),
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
  });
  return [
    h("div", { class: "head" }, h("h1", null, t("entries")), start),
    tabs(visit, "state", [
      ["", t("all")],
      ["draft", t("drafts")],
      ["scheduled", t("scheduled")],
      ["published", t("published")],
    ]),
    list,
  ];
}
