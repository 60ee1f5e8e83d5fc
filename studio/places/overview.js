/** @import { Visit } from "../router.js" */
/** @import { Child } from "../dom.js" */
import { call } from "../client.js";
import { h } from "../dom.js";
import { pill, table } from "../listing.js";
import { address } from "../router.js";
import { may } from "../session.js";
import { count, date, t, word } from "../texts.js";

/**
 * Shows how the service is.
 *
 * @param {Visit} visit
 * @returns {Promise<Child>}
 */
export async function showOverview({ signal }) {
  const stats = await call("GET", "stats", { signal });
  const { subscribers, entries, deliveries, attention } = stats;
  /** @type {[string, number, string][]} */
  const numbers = [
    [t("subscribed"), subscribers.subscribed, address(["subscribers"], { subscribed: "true" })],
    ...["published", "scheduled", "draft"].map((
      state,
    ) => /** @type {[string, number, string]} */ ([
      word(state),
      entries[state],
      address(["entries"], { state }),
    ])),
  ];
  return [
    h(
      "div",
      { class: "head" },
      h("h1", null, t("overview")),
      may("entries:write") &&
        h("a", { class: "primary", href: address(["entries", "new"]) }, t("newEntry")),
    ),
    attention.length === 0 ? h("p", { class: "well" }, t("allWell")) : h(
      "section",
      { class: "attention", "aria-labelledby": "attention" },
      h("h2", { id: "attention" }, t("attention")),
      h("ul", null, attention.map(needed)),
    ),
    h(
      "dl",
      { class: "numbers" },
      numbers.map(([name, value, href]) =>
        h("div", null, h("dt", null, name), h("dd", null, h("a", { href }, count(value))))
      ),
    ),
    deliveries.length > 0 && [
      h("h2", null, t("lastMails")),
      table(t("lastMails"), [
        {
          title: t("entry"),
          cell: ({ entryId }) =>
            h("a", { class: "title", href: address(["entries", entryId]) }, entryId),
        },
        { title: t("state"), cell: ({ state }) => pill(state, word(state)) },
        { title: t("sent"), cell: ({ sent }) => count(sent) },
        { title: t("failed"), wide: true, cell: ({ failed }) => count(failed) },
        { title: t("date"), wide: true, cell: ({ startedAt }) => date(startedAt) },
      ], deliveries),
    ],
  ];
}

/** @param {{ detail: string, entryId: string | null, webhookId: string | null }} one */
function needed({ detail, entryId, webhookId }) {
  const parts = entryId ? ["entries", entryId] : webhookId ? ["webhooks", webhookId] : undefined;
  return h("li", null, parts ? h("a", { href: address(parts) }, detail) : detail);
}
