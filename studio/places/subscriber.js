/** @import { Child } from "../dom.js" */
/** @import { Visit } from "../main.js" */
import { call, fieldProblem, may, path } from "../client.js";
import { ask, doing, task } from "../dialog.js";
import { button, date, facts, h, head, t, table, word } from "../dom.js";
import { subscription } from "./subscribers.js";

/**
 * @param {Visit} visit
 * @param {string} userEmail
 * @returns {Promise<Child>}
 */
export async function showSubscriber(visit, userEmail) {
  const base = path`changelogs/subscribers/${userEmail}`;
  const person = await call("GET", base, { signal: visit.signal });
  const { userName, subscribed, source, labels, pace, createdAt, updatedAt, history } = person;
  const change = () =>
    call("PUT", "changelogs/subscribe", { json: { userEmail, subscribe: !subscribed } });
  // Nobody who has left is subscribed again in passing.
  const again = () => task(visit, t("subscribe"), { about: t("aboutAgain"), act: change });
  const rename = () =>
    task(visit, t("rename"), {
      fields: [{
        name: "userName",
        label: t("name"),
        value: userName,
        attributes: { dir: "auto" },
      }],
      submit: t("save"),
      act: async ({ userName }) => {
        await call("PATCH", base, { json: { userName: userName.trim() || null } });
      },
    });
  const choose = () =>
    task(visit, t("labels"), {
      fields: [
        {
          name: "labels",
          label: t("labels"),
          value: labels?.join(" ") ?? "",
          hint: t("labelsHint"),
        },
        {
          ...{ name: "pace", label: t("mail"), type: "select", value: pace },
          options: /** @type {const} */ ([["each", t("mail")], ["weekly", t("weekly")]]),
        },
      ],
      submit: t("save"),
      act: async ({ labels, pace }) => {
        const words = labels.split(/[\s,]+/).filter(Boolean);
        await call("PATCH", base, { json: { labels: words.length > 0 ? words : null, pace } });
      },
    });
  async function erase() {
    const title = t("eraseIt", { name: userEmail });
    if (!await ask(title, [], { submit: t("goOn"), danger: true, about: t("aboutErase") })) return;
    await task(visit, t("eraseSure"), {
      fields: [{
        ...{ name: "userEmail", label: t("typeAddress"), type: "email", required: true },
        hint: userEmail,
      }],
      submit: t("erase"),
      danger: true,
      async act({ userEmail: typed }) {
        if (typed.trim().toLowerCase() !== userEmail) {
          throw fieldProblem("userEmail", t("notTheSame"));
        }
        await call("DELETE", base);
      },
      to: "#/subscribers",
    });
  }

  return [
    head(userEmail, {
      up: ["#/subscribers", t("subscribers")],
      actions: may("subscriptions:write") && [
        button(t("rename"), rename),
        button(t("labels"), choose),
        subscribed
          ? button(t("unsubscribe"), () => doing(visit, change))
          : button(t("subscribe"), again),
        button(t("erase"), erase, { class: "danger" }),
      ],
    }),
    facts("facts", [
      [t("name"), h("bdi", null, userName ?? "–")],
      [t("state"), subscription(subscribed)],
      [t("since"), date(history?.at(-1)?.at ?? createdAt)],
      [t("source"), word(`by_${source}`)],
      [t("labels"), labels?.join(", ") ?? t("all")],
      [t("mail"), pace === "weekly" ? t("weekly") : t("mail")],
      [t("created"), date(createdAt)],
      [t("changed"), date(updatedAt)],
    ]),
    history?.length > 0 && [
      h("h2", null, t("history")),
      table(t("history"), [
        { title: t("state"), cell: ({ subscribed }) => subscription(subscribed) },
        {
          title: t("source"),
          class: "reason",
          cell: ({ source }) => word(`by_${source}`),
        },
        { title: t("date"), cell: ({ at }) => date(at) },
      ], history.toReversed()),
    ],
  ];
}
