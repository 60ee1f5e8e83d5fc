/** @import { Child } from "../dom.js" */
/** @import { Visit } from "../places.js" */
import { call, fieldProblem, path, send } from "../client.js";
import { may } from "../session.js";
import { ask } from "../dialog.js";
import { address, button, count, date, download, h, lacks, say, t, word } from "../dom.js";
import { facts, head, pill, table, titled } from "../parts.js";
import { forgetFormsAt } from "../drafts/form_words.js";
import { toLabels } from "../drafts/words.js";
import { action, task, tellAt } from "../task.js";
import { carryOut, createWork } from "../work.js";
import { describe } from "../form.js";
import { emptyList, listing } from "../listing.js";

/** @param {boolean} subscribed */
function stateOf(subscribed) {
  return subscribed ? pill("done", t("subscribed")) : pill("off", t("unsubscribed"));
}

/**
 * Shows the subscribers, one of them, or how to import a list.
 *
 * @param {Visit} visit
 * @returns {Promise<Child>}
 */
export async function show(visit) {
  const [, userEmail] = visit.parts;
  if (userEmail === "import") return (await import("../importing/subscribers.js")).show(visit);
  if (userEmail !== undefined) return await showSubscriber(visit, userEmail);
  const scope = "subscriptions:read";
  const saving = action(visit, t("export"), {
    run: async () => {
      const response = await send("GET", "changelogs/subscribers", { accept: "text/csv" });
      download("subscribers.csv", await response.blob(), "text/csv");
    },
    done: t("exportedThem"),
  });
  const add = may("subscriptions:write") && addition(visit);
  const title = head(t("subscribers"), {
    actions: [
      may(scope) && saving,
      may("subscriptions:write") && [
        h("a", { class: "button", href: address(["subscribers", "import"]) }, t("import")),
        add,
      ],
    ],
  });
  if (!may(scope)) return [title, h("p", null, lacks(scope))];
  const mayStats = may("metrics:read");
  const totals = mayStats ? await call("GET", "stats", { signal: visit.signal }) : undefined;
  const many = (/** @type {"subscribed" | "unsubscribed"} */ state) =>
    totals ? `${t(state)}: ${count(totals.subscribers[state])}` : t(state);
  return [
    title,
    await listing(visit, {
      name: t("subscribers"),
      path: "changelogs/subscribers",
      search: ["q", t("findSubscriber")],
      tabs: ["subscribed", [["true", many("subscribed")], ["false", many("unsubscribed")]]],
      columns: [
        [t("address"), ({ userEmail }) => titled(address(["subscribers", userEmail]), userEmail)],
        [t("name"), ({ userName }) => h("bdi", null, userName ?? ""), "wide"],
        [t("state"), ({ subscribed }) => stateOf(subscribed)],
        [t("changed"), ({ updatedAt }) => date(updatedAt), "wide"],
      ],
      empty: emptyList(t("noSubscribers"), add),
    }),
  ];
}

/** @param {Visit} visit */
function addition(visit) {
  return action(visit, t("add"), {
    about: t("aboutAdd"),
    fields: [
      { name: "userEmail", label: t("address"), type: "email", required: true },
      { name: "userName", label: t("name"), attributes: { dir: "auto" } },
    ],
    run: (_, who) => call("PUT", "changelogs/subscribe", { json: { ...who, subscribe: true } }),
    done: ({ userEmail }) => t("subscribedIt", { address: userEmail }),
    attributes: { class: "primary" },
  });
}

/** @param {Visit} visit @param {string} userEmail @returns {Promise<Child>} */
async function showSubscriber(visit, userEmail) {
  const base = path`changelogs/subscribers/${userEmail}`;
  const person = await call("GET", base, { signal: visit.signal });
  const { userName, subscribed, source, labels, pace, createdAt, history } = person;
  const chosen = labels?.join(", ");
  const unsubscribing = createWork();
  const subscribe = (/** @type {boolean} */ subscribe) =>
    carryOut(() => call("PUT", "changelogs/subscribe", { json: { userEmail, subscribe } }));

  /** Unsubscribes the person at once, as it can be taken back. */
  async function unsubscribe() {
    try {
      await subscribe(false);
      const undo = () => subscribe(true).then(visit.reload, fail);
      tellAt(leaving, "");
      say(t("unsubscribedIt", { address: userEmail }), { action: [t("undo"), undo] });
      visit.reload();
    } catch (error) {
      fail(error);
    }
  }
  const leaving = button(t("unsubscribe"), () => void unsubscribing.change(unsubscribe));
  const fail = (/** @type {unknown} */ error) => tellAt(leaving, describe(error));

  async function erase() {
    const title = t("eraseIt", { name: userEmail });
    if (!await ask(title, [], { submit: t("goOn"), danger: true, about: t("aboutErase") })) return;
    await task(visit, t("erase"), {
      title: t("eraseSure"),
      danger: true,
      fields: [{
        name: "userEmail",
        label: t("typeAddress"),
        type: "email",
        required: true,
        hint: userEmail,
      }],
      async run({ userEmail: typed }) {
        if (typed.toLowerCase() !== userEmail) throw fieldProblem("userEmail", t("notTheSame"));
        await call("DELETE", base);
        forgetFormsAt(`subscribers/${userEmail}`);
      },
      // The erasure may have been carried out although its response was lost.
      recover: () => call("DELETE", base).catch(() => {}),
      done: t("erasedIt"),
      to: "#/subscribers",
    });
  }

  return [
    head(userEmail, {
      up: ["#/subscribers", t("subscribers")],
      actions: may("subscriptions:write") && [
        action(visit, t("change"), {
          fields: [
            { name: "userName", label: t("name"), value: userName, attributes: { dir: "auto" } },
            { name: "labels", label: t("labels"), value: chosen, hint: t("aboutTheirLabels") },
            {
              name: "pace",
              label: t("mail"),
              type: "select",
              value: pace,
              options: [["each", t("each")], ["weekly", t("weekly")]],
            },
          ],
          submit: t("save"),
          run: (_, { labels, ...json }) =>
            call("PATCH", base, { json: { ...json, labels: labels && toLabels(labels) } }),
          done: t("changedIt"),
        }),
        subscribed ? leaving : action(visit, t("subscribe"), {
          // Subscribing a person again who has left needs a deliberate step.
          about: t("aboutAgain"),
          run: () => subscribe(true),
          done: t("subscribedIt", { address: userEmail }),
        }),
        button(t("erase"), erase, { class: "danger" }),
      ],
    }),
    facts("facts", [
      [t("name"), h("bdi", null, userName ?? "–")],
      [t("state"), stateOf(subscribed)],
      [t("since"), date(history?.at(-1)?.at ?? createdAt)],
      [t("source"), word(`by_${source}`)],
      [t("labels"), chosen ?? t("all")],
      [t("mail"), t(pace === "weekly" ? "weekly" : "each")],
    ]),
    history?.length > 0 && [
      h("h2", null, t("history")),
      table(t("history"), [
        [t("state"), ({ subscribed, source }) => [
          stateOf(subscribed),
          h("small", null, word(`by_${source}`)),
        ]],
        [t("date"), ({ at }) => date(at)],
      ], history.toReversed()),
    ],
  ];
}
