/** @import { Child } from "../dom.js" */
/** @import { Visit } from "../main.js" */
import { call, may, send } from "../client.js";
import { task } from "../dialog.js";
import { address, button, count, date, download, h, head, pill, say, t } from "../dom.js";
import { describe } from "../form.js";
import { listing, search, tabs } from "../listing.js";

/**
 * @param {Visit} visit
 * @returns {Promise<Child>}
 */
export async function showSubscribers(visit) {
  const mayWrite = may("subscriptions:write");
  const scope = "subscriptions:read";
  const saving = button(t("export"), () => exportAll(saving));
  const actions = [
    may(scope) && saving,
    mayWrite && h("a", { class: "button", href: address(["subscribers", "import"]) }, t("import")),
    mayWrite && button(t("add"), () => add(visit), { class: "primary" }),
  ];
  const title = head(t("subscribers"), { actions });
  if (!may(scope)) return [title, h("p", null, t("lacks", { what: t(scope), scope }))];
  const [totals, list] = await Promise.all([
    may("metrics:read") ? call("GET", "stats", { signal: visit.signal }) : undefined,
    listing(visit, {
      name: t("subscribers"),
      path: "changelogs/subscribers",
      filters: ["subscribed", "prefix"],
      columns: [
        {
          title: t("address"),
          cell: ({ userEmail }) =>
            h("a", { class: "title", href: address(["subscribers", userEmail]) }, userEmail),
        },
        { title: t("name"), wide: true, cell: ({ userName }) => h("bdi", null, userName ?? "") },
        { title: t("state"), cell: ({ subscribed }) => subscription(subscribed) },
        { title: t("changed"), wide: true, cell: ({ updatedAt }) => date(updatedAt) },
      ],
      empty: h("p", null, t("noSubscribers")),
    }),
  ]);
  /** @param {string} label @param {"subscribed" | "unsubscribed"} state */
  const many = (label, state) => totals ? `${label}: ${count(totals.subscribers[state])}` : label;
  return [
    title,
    h("div", { class: "filters" }, search(visit, "prefix", t("findAddress"))),
    tabs(visit, "subscribed", [
      ["", t("all")],
      ["true", many(t("subscribed"), "subscribed")],
      ["false", many(t("unsubscribed"), "unsubscribed")],
    ]),
    list,
  ];
}

/** @param {boolean} subscribed */
export function subscription(subscribed) {
  return subscribed ? pill("done", t("subscribed")) : pill("off", t("unsubscribed"));
}

/** @param {Visit} visit */
function add(visit) {
  return task(visit, t("add"), {
    about: t("aboutAdd"),
    fields: [
      { name: "userEmail", label: t("address"), type: "email", required: true },
      { name: "userName", label: t("name"), attributes: { dir: "auto" } },
    ],
    act: async ({ userEmail, userName }) => {
      const json = { userEmail: userEmail.trim(), userName, subscribe: true };
      await call("PUT", "changelogs/subscribe", { json });
    },
  });
}

/** @param {HTMLButtonElement} button */
async function exportAll(button) {
  button.ariaBusy = "true";
  try {
    const response = await send("GET", "changelogs/subscribers", { accept: "text/csv" });
    download("subscribers.csv", await response.blob(), "text/csv");
  } catch (error) {
    say(describe(error));
  } finally {
    button.ariaBusy = null;
  }
}
