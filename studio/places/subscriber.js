/** @import { Visit } from "../router.js" */
/** @import { Child } from "../dom.js" */
import { call, path, Problem } from "../client.js";
import { ask } from "../dialog.js";
import { h, say } from "../dom.js";
import { table } from "../listing.js";
import { describe } from "../problems.js";
import { may } from "../session.js";
import { date, t, word } from "../texts.js";
import { subscription } from "./subscribers.js";

/**
 * @param {Visit} visit
 * @param {string} userEmail
 * @returns {Promise<Child>}
 */
export async function showSubscriber(visit, userEmail) {
  const person = await call("GET", path`changelogs/subscribers/${userEmail}`, {
    signal: visit.signal,
  });
  const { userName, subscribed, source, createdAt, updatedAt, history } = person;

  async function change() {
    try {
      const json = { userEmail, subscribe: !subscribed };
      // Who has left is asked for again by nobody but themselves, unless somebody says so twice.
      const act = () => call("PUT", "changelogs/subscribe", { json });
      if (subscribed) await act();
      else if (
        !await ask(t("subscribe"), [], { submit: t("subscribe"), about: t("aboutAgain"), act })
      ) return;
      say(t("done"));
      visit.reload();
    } catch (error) {
      say(describe(error));
    }
  }

  async function erase() {
    if (!await ask(t("erase"), [], { submit: t("goOn"), danger: true, about: t("aboutErase") })) {
      return;
    }
    const done = await ask(t("eraseSure"), [{
      name: "userEmail",
      label: t("typeAddress"),
      type: "email",
      required: true,
      hint: userEmail,
    }], {
      submit: t("erase"),
      danger: true,
      act: async ({ userEmail: typed }) => {
        if (typed.trim().toLowerCase() !== userEmail) {
          const error = { field: "userEmail", code: "", detail: t("notTheSame") };
          throw new Problem({
            status: 422,
            code: "validation_failed",
            detail: "",
            errors: [error],
          });
        }
        await call("DELETE", path`changelogs/subscribers/${userEmail}`);
      },
    });
    if (!done) return;
    say(t("done"));
    location.hash = "#/subscribers";
  }

  return [
    h(
      "div",
      { class: "head" },
      h("a", { class: "up", href: "#/subscribers" }, t("subscribers")),
      h("h1", null, userEmail),
      may("subscriptions:write") && h(
        "div",
        { class: "actions" },
        h("button", { type: "button", click: change }, t(subscribed ? "unsubscribe" : "subscribe")),
        h("button", { type: "button", class: "danger", click: erase }, t("erase")),
      ),
    ),
    h(
      "dl",
      { class: "facts" },
      [
        [t("name"), h("bdi", null, userName ?? "–")],
        [t("state"), subscription(subscribed)],
        [t("source"), word(source)],
        [t("created"), date(createdAt)],
        [t("changed"), date(updatedAt)],
      ].map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value))),
    ),
    history?.length > 0 && [
      h("h2", null, t("history")),
      table(t("history"), [
        { title: t("date"), cell: ({ at }) => date(at) },
        { title: t("state"), cell: ({ subscribed }) => subscription(subscribed) },
        { title: t("source"), cell: ({ source }) => word(source) },
        { title: t("key"), wide: true, cell: ({ keyId }) => keyId ?? "–" },
      ], history.toReversed()),
    ],
  ];
}
