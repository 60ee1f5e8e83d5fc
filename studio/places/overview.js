/** @import { Child } from "../dom.js" */
/** @import { Visit } from "../main.js" */
import { call, may } from "../client.js";
import {
  address,
  count,
  date,
  entryAddress,
  facts,
  h,
  head,
  pill,
  t,
  table,
  titled,
  word,
} from "../dom.js";

/**
 * Shows the state of the service, and what to do next.
 *
 * @param {Visit} visit
 * @returns {Promise<Child>}
 */
export async function show({ signal, showHeld }) {
  const stats = await call("GET", "stats", { signal });
  const { subscribers, entries, posts, deliveries, attention, relay, publicUrl } = stats;
  if (may("posts:publish")) showHeld(posts.held);
  const nobody = subscribers.subscribed + subscribers.unsubscribed === 0;
  const isFirst = entries.published + entries.scheduled + entries.draft === 0;
  const todo = [
    publicUrl === null && t("noPublicUrl"),
    publicUrl !== null && !relay.configured && t("noMailer"),
    isFirst && may("entries:write") &&
    h("a", { href: address(["entries", "new"]) }, t("writeFirst")),
    may("posts:publish") && posts.held > 0 &&
    h("a", { href: address(["ideas"], { view: "held" }) }, t("heldIdeas", { n: posts.held })),
    may("posts:read") && posts.unanswered > 0 &&
    h("a", { href: address(["ideas"]) }, t("unansweredIdeas", { n: posts.unanswered })),
    nobody && h("a", { href: address(["subscribers"]) }, t("noSubscribers")),
    attention.map((/** @type {any} */ one) => needed(one, deliveries)),
  ].flat().filter(Boolean);
  /** @param {string} place @param {Record<string, string>} query @param {number} value */
  const link = (place, query, value) => h("a", { href: address([place], query) }, count(value));
  return [
    head(t("overview"), {
      actions: may("entries:write") &&
        h("a", { class: "primary", href: address(["entries", "new"]) }, t("newEntry")),
    }),
    todo.length === 0 ? h("p", null, pill("done", t("allWell"))) : h(
      "section",
      { class: "note", "aria-labelledby": "attention" },
      h("h2", { id: "attention" }, t("attention")),
      h("ul", null, todo.map((one) => h("li", null, one))),
    ),
    facts("numbers", [
      [t("subscribed"), link("subscribers", { subscribed: "true" }, subscribers.subscribed)],
      [t("published"), link("entries", { state: "published" }, entries.published)],
      [t("scheduled"), link("entries", { state: "scheduled" }, entries.scheduled)],
      [t("drafts"), link("entries", { state: "draft" }, entries.draft)],
    ]),
    deliveries.length > 0 && [
      h("h2", null, t("lastMails")),
      table(t("lastMails"), [
        [
          t("entry"),
          (delivery) => titled(placeOf(delivery), titleOf(delivery)),
        ],
        [t("state"), ({ state }) => pill(state, word(state))],
        [t("sent"), ({ sent }) => count(sent)],
        [t("failed"), ({ failed }) => count(failed), "wide"],
        [t("date"), ({ startedAt }) => date(startedAt), "wide"],
      ], deliveries),
    ],
  ];
}

/**
 * @typedef {{ title?: string | null, entryId: string | null, week?: string, state: string }}
 *   Delivery
 */

/** @param {Delivery} delivery */
function titleOf({ title, entryId, week }) {
  return title ?? (entryId === null ? `${t("weekly")} ${week ?? ""}` : t("deletedEntry"));
}

/** @param {Delivery} delivery */
function placeOf({ entryId, week }) {
  return entryId === null ? address(["entries", `week:${week}`, "mail"]) : entryAddress(entryId);
}

/**
 * Lists what needs attention. Operators find details in the API.
 *
 * @param {{ code: string, entryId: string | null, webhookId: string | null }} one
 * @param {readonly Delivery[]} deliveries
 */
function needed({ code, entryId, webhookId }, deliveries) {
  const about = deliveries.find((delivery) =>
    delivery.entryId === entryId && (delivery.state === "held") === (code === "delivery_held")
  );
  const known = word(code) === code ? t("internal_error", { id: code }) : word(code);
  if (webhookId) return h("a", { href: address(["webhooks", webhookId]) }, known);
  if (!code.startsWith("delivery") || !about) return known;
  return h("a", { href: placeOf(about) }, known.replace("{title}", () => titleOf(about)));
}
