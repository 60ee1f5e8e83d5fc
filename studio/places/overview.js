/** @import { Child } from "../dom.js" */
/** @import { Visit } from "../places.js" */
import { call } from "../client.js";
import { isMember, may } from "../session.js";
import { address, count, date, entryAddress, h, icon, t, word } from "../dom.js";
import { facts, head, pill, table, titled } from "../parts.js";
import { ICONS } from "../icons.js";

const maySeeReports = () => may("posts:publish") && may("subscriptions:read");

/**
 * Shows the state of the service, and what to do next.
 *
 * @param {Visit} visit
 * @returns {Promise<Child>}
 */
export async function show(visit) {
  const { signal, showWaiting } = visit;
  const asked = call("GET", "stats", { signal });
  // An admin of a new service has steps in place of hints.
  const first = isMember() && may("*") &&
    import("./first_steps.js").then(({ firstSteps }) => firstSteps(visit, asked));
  const [stats, steps] = await Promise.all([asked, first]);
  const { subscribers, entries, posts, deliveries, relay, publicUrl } = stats;
  if (may("posts:publish")) {
    showWaiting({ held: posts.held, reported: maySeeReports() ? posts.reported : 0 });
  }
  const nobody = subscribers.subscribed + subscribers.unsubscribed === 0;
  const isFirst = entries.published + entries.scheduled + entries.draft === 0;
  /** @type {(readonly [place: string, text: Child])[]} */
  const todo = [
    ["settings", !steps && publicUrl === null && t("noPublicUrl")],
    ["settings", !steps && publicUrl !== null && !relay.configured && t("noMailer")],
    [
      "ideas",
      publicUrl !== null && !relay.configured && may("posts:read") && t("nobodyVotes"),
    ],
    [
      "entries",
      !steps && isFirst && may("entries:write") &&
      h("a", { href: address(["entries", "new"]) }, t("writeFirst")),
    ],
    [
      "ideas",
      may("posts:publish") && posts.held > 0 &&
      h("a", { href: address(["ideas"], { view: "held" }) }, t("heldIdeas", { n: posts.held })),
    ],
    [
      "ideas",
      maySeeReports() && posts.reported > 0 &&
      h("a", { href: address(["ideas"], { view: "reported" }) }, [
        t("reportedIdeas", { n: posts.reported }),
      ]),
    ],
    [
      "ideas",
      may("posts:read") && posts.unanswered > 0 &&
      h("a", { href: address(["ideas"]) }, t("unansweredIdeas", { n: posts.unanswered })),
    ],
    ["subscribers", nobody && h("a", { href: address(["subscribers"]) }, t("noSubscribers"))],
    ...may("posts:read") ? await describeErased(stats.namesErased, signal) : [],
    ...describeAttention(stats),
  ];
  const shown = todo.filter(([, text]) => text);
  /** @param {string} place @param {Record<string, string>} query @param {number} value */
  const link = (place, query, value) => h("a", { href: address([place], query) }, count(value));
  /** @param {"open" | "held"} view @param {number} value */
  const ideasIn = (view, value) => {
    const label = view === "open" ? word("status_open") : t("view_held");
    return /** @type {const} */ ([`${t("ideas")}: ${label}`, link("ideas", { view }, value)]);
  };
  return [
    head(t("overview"), {
      actions: may("entries:write") &&
        h("a", { class: "primary", href: address(["entries", "new"]) }, t("newEntry")),
    }),
    steps,
    shown.length === 0 ? !steps && h("p", null, pill("done", t("allWell"))) : h(
      "section",
      { class: "attention", "aria-labelledby": "attention" },
      h("h2", { id: "attention" }, t("attention")),
      h(
        "ul",
        null,
        shown.map(([place, text]) => h("li", null, icon(ICONS[place]), h("p", null, text))),
      ),
    ),
    facts("numbers", [
      [t("subscribed"), link("subscribers", { subscribed: "true" }, subscribers.subscribed)],
      [t("published"), link("entries", { state: "published" }, entries.published)],
      [t("scheduled"), link("entries", { state: "scheduled" }, entries.scheduled)],
      [t("drafts"), link("entries", { state: "draft" }, entries.draft)],
      ...may("posts:read") ? [ideasIn("open", posts.open)] : [],
      ...may("posts:publish") ? [ideasIn("held", posts.held)] : [],
    ]),
    deliveries.length > 0 && [
      h("h2", null, t("lastMails")),
      table(t("lastMails"), [
        [
          t("title"),
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

/** @param {import("../../model/stats.ts").TitledDelivery} delivery */
function titleOf({ title, week }) {
  return title ?? (week === null ? t("deletedEntry") : `${t("weekly")} ${week}`);
}

/** @param {import("../../model/stats.ts").TitledDelivery} delivery */
function placeOf({ deliveryId, entryId, week, postId, boardId }) {
  if (week !== null) return address(["entries", `week:${deliveryId}`, "mail"]);
  if (entryId !== null) return entryAddress(entryId);
  return boardId === null ? address(["ideas"]) : address(["ideas", boardId, `${postId}`]);
}

/**
 * Leads to the ideas whose words name the address of somebody who was erased.
 *
 * @param {readonly string[]} postIds
 * @param {AbortSignal} signal
 */
async function describeErased(postIds, signal) {
  if (postIds.length === 0) return [];
  const { findIdeas } = await import("../ideas/shipping.js");
  const ideas = await findIdeas(postIds, signal);
  return ideas.map(({ boardId, postId, title }) => /** @type {const} */ ([
    "ideas",
    h("a", { href: address(["ideas", boardId, postId]) }, t("namesErased", { title })),
  ]));
}

/**
 * Lists what needs attention. Operators find details in the API.
 *
 * @param {import("../../model/stats.ts").Stats} stats
 * @returns {(readonly [string, Child])[]}
 */
function describeAttention({ attention, deliveries, forms }) {
  // Both lists have these deliveries in the same order.
  const about = deliveries.filter(({ state, problem }) =>
    state === "held" || state === "running" && problem !== null
  );
  return attention.map(({ code, webhookId }) => {
    const known = word(code) === code ? t("internal_error", { id: code }) : word(code);
    if (webhookId) {
      return ["webhooks", h("a", { href: address(["webhooks", webhookId]) }, known)];
    }
    const delivery = code.startsWith("delivery") ? about.shift() : undefined;
    if (delivery === undefined) {
      return ["settings", known.replace("{n}", () => count(forms.dropped))];
    }
    const text = known.replace("{title}", () => titleOf(delivery));
    return ["entries", h("a", { href: placeOf(delivery) }, text)];
  });
}
