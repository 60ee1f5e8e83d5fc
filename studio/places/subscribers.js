/** @import { Visit } from "../router.js" */
/** @import { Child } from "../dom.js" */
import { call, path, send } from "../client.js";
import { ask } from "../dialog.js";
import { download, h, say } from "../dom.js";
import { form } from "../form.js";
import { listing, pill, tabs } from "../listing.js";
import { describe } from "../problems.js";
import { address } from "../router.js";
import { may } from "../session.js";
import { date, t } from "../texts.js";

/**
 * @param {Visit} visit
 * @returns {Promise<Child>}
 */
export async function showSubscribers(visit) {
  const mayRead = may("subscriptions:read");
  const mayWrite = may("subscriptions:write");
  const search = form([{
    name: "userEmail",
    label: t("address"),
    type: "email",
    required: true,
    attributes: { type: "text", inputmode: "email", spellcheck: "false" },
  }], {
    submit: t("find"),
    act: async ({ userEmail }) => {
      await call("GET", path`changelogs/subscribers/${userEmail.trim()}`);
      location.hash = address(["subscribers", userEmail.trim()]);
    },
  });
  search.classList.add("search");
  const saving = h("button", { type: "button", click: () => void exportAll(saving) }, t("export"));
  return [
    h(
      "div",
      { class: "head" },
      h("h1", null, t("subscribers")),
      h(
        "div",
        { class: "actions" },
        mayRead && saving,
        mayWrite &&
          h("a", { class: "button", href: address(["subscribers", "import"]) }, t("import")),
        mayWrite &&
          h("button", { type: "button", class: "primary", click: () => void add(visit) }, t("add")),
      ),
    ),
    mayRead ? search : h("p", { class: "soft" }, t("lacks", { scope: "subscriptions:read" })),
    mayRead &&
    tabs(visit, "subscribed", [["", t("all")], ["true", t("subscribed")], [
      "false",
      t("unsubscribed"),
    ]]),
    mayRead && await listing(visit, {
      name: t("subscribers"),
      path: "changelogs/subscribers",
      filters: ["subscribed"],
      columns: [
        {
          title: t("address"),
          cell: ({ userEmail }) =>
            h("a", { class: "title", href: address(["subscribers", userEmail]) }, userEmail),
        },
        { title: t("name"), wide: true, cell: ({ userName }) => h("bdi", null, userName ?? "") },
        { title: t("state"), cell: ({ subscribed }) => subscription(subscribed) },
        { title: t("since"), wide: true, cell: ({ updatedAt }) => date(updatedAt) },
      ],
      empty: h("p", null, t("noSubscribers")),
    }),
  ];
}

/** @param {boolean} subscribed */
export function subscription(subscribed) {
  return subscribed ? pill("done", t("subscribed")) : pill("off", t("unsubscribed"));
}

/** @param {Visit} visit */
async function add(visit) {
  const act = async (/** @type {Record<string, string>} */ { userEmail, userName }) => {
    const json = { userEmail: userEmail.trim(), userName, subscribe: true };
    await call("PUT", "changelogs/subscribe", { json });
  };
  const done = await ask(t("add"), [
    { name: "userEmail", label: t("address"), type: "email", required: true },
    { name: "userName", label: t("name"), attributes: { dir: "auto" } },
  ], { submit: t("add"), about: t("aboutAdd"), act });
  if (!done) return;
  say(t("done"));
  visit.reload();
}

/** @param {HTMLButtonElement} button */
async function exportAll(button) {
  button.disabled = true;
  try {
    const response = await send("GET", "changelogs/subscribers", { accept: "text/csv" });
    download("subscribers.csv", await response.blob(), "text/csv");
  } catch (error) {
    say(describe(error));
  } finally {
    button.disabled = false;
  }
}
