/** @import { Visit } from "../router.js" */
/** @import { Child } from "../dom.js" */
import { path } from "../client.js";
import { h } from "../dom.js";
import { listing } from "../listing.js";
import { address } from "../router.js";
import { date, t } from "../texts.js";

/**
 * Lists who was not reached, and why.
 *
 * @param {Visit} visit
 * @param {string} entryId
 * @returns {Promise<Child>}
 */
export async function showFailures(visit, entryId) {
  return [
    h(
      "div",
      { class: "head" },
      h("a", { class: "up", href: address(["entries", entryId]) }, entryId),
      h("h1", null, t("failures")),
    ),
    await listing(visit, {
      name: t("failures"),
      path: path`changelogs/entries/${entryId}/delivery/failures`,
      columns: [
        {
          title: t("address"),
          cell: ({ userEmail }) => h("a", { href: address(["subscribers", userEmail]) }, userEmail),
        },
        {
          title: t("reason"),
          class: "reason",
          cell: ({ text }) => text,
        },
        { title: t("date"), wide: true, cell: ({ failedAt }) => date(failedAt) },
      ],
      empty: h("p", null, t("none")),
    }),
  ];
}
