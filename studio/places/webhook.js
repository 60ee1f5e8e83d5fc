/** @import { Visit } from "../router.js" */
/** @import { Child } from "../dom.js" */
import { call, path } from "../client.js";
import { ask, openDialog, showSecret } from "../dialog.js";
import { h, say } from "../dom.js";
import { form } from "../form.js";
import { listing, pill, tabs } from "../listing.js";
import { describe } from "../problems.js";
import { date, t, word } from "../texts.js";
import { webhookFields, webhookState } from "./webhooks.js";

/**
 * @param {Visit} visit
 * @param {string} webhookId
 * @returns {Promise<Child>}
 */
export async function showWebhook(visit, webhookId) {
  const base = path`webhooks/${webhookId}`;
  const webhook = await call("GET", base, { signal: visit.signal });
  const { url, enabled, problem, disabledAt } = webhook;

  /** Does something and shows the place again. @param {() => Promise<unknown>} act */
  const doing = (act) => async () => {
    try {
      if (await act() === false) return;
      say(t("done"));
      visit.reload();
    } catch (error) {
      say(describe(error));
    }
  };
  const toggle = doing(() => call("PATCH", base, { json: { enabled: !enabled } }));
  const test = doing(() => call("POST", `${base}/test`));
  const rotate = async () => {
    let secret = "";
    const field = {
      name: "overlap",
      label: t("overlap"),
      value: "24h",
      hint: t("aboutDuration"),
      required: true,
    };
    const act = async (/** @type {Record<string, string>} */ json) => {
      ({ secret } = await call("POST", `${base}/rotate`, { json }));
    };
    if (await ask(t("rotate"), [field], { submit: t("rotate"), act })) {
      await showSecret(t("secret"), secret);
    }
  };
  const replay = doing(() =>
    ask(
      t("replay"),
      [{ name: "since", label: t("since"), type: "datetime-local", required: true }],
      {
        submit: t("replay"),
        about: t("aboutReplay"),
        act: ({ since }) =>
          call("POST", `${base}/replay`, {
            json: { since: since && new Date(since).toISOString() },
          }),
      },
    )
  );
  const remove = async () => {
    const act = () => call("DELETE", base);
    if (
      await ask(t("delete"), [], {
        submit: t("delete"),
        about: t("aboutDelete"),
        danger: true,
        act,
      })
    ) {
      location.hash = "#/webhooks";
    }
  };
  const edit = form(webhookFields(webhook), {
    submit: t("save"),
    act: async ({ url, types }) => {
      await call("PATCH", base, { json: { url, types: types.split(" ").filter(Boolean) } });
      say(t("saved"));
      visit.reload();
    },
  });
  /** @param {string} label @param {() => unknown} click @param {string} [className] */
  const button = (label, click, className) =>
    h("button", { type: "button", class: className, click }, label);

  return [
    h(
      "div",
      { class: "head" },
      h("a", { class: "up", href: "#/webhooks" }, t("webhooks")),
      h("h1", null, new URL(url).host),
      h(
        "div",
        { class: "actions" },
        enabled && button(t("test"), test),
        button(t(enabled ? "turnOff" : "turnOn"), toggle),
        button(t("rotate"), rotate),
        button(t("delete"), remove, "danger"),
      ),
    ),
    h(
      "p",
      null,
      webhookState(webhook),
      " ",
      h("code", null, url),
      disabledAt && ` ${date(disabledAt)}`,
    ),
    problem && h("p", { class: "error" }, problem),
    h("details", null, h("summary", null, t("change")), edit),
    h("div", { class: "head" }, h("h2", null, t("messages")), button(t("replay"), replay)),
    tabs(visit, "state", [
      ["", t("all")],
      ["waiting", t("waiting")],
      ["delivered", t("delivered")],
      ["failed", t("failed")],
    ]),
    await listing(visit, {
      name: t("messages"),
      path: `${base}/messages`,
      filters: ["state", "type"],
      columns: [
        {
          title: t("event"),
          cell: (message) =>
            h("button", {
              type: "button",
              class: "link title",
              click: () => void showMessage(message, base, visit),
            }, message.type),
        },
        { title: t("state"), cell: ({ state }) => pill(state, word(state)) },
        { title: t("attempts"), wide: true, cell: ({ attempts }) => attempts },
        { title: t("date"), wide: true, cell: ({ createdAt }) => date(createdAt) },
      ],
      empty: h("p", null, t("none")),
    }),
  ];
}

/**
 * @param {any} message
 * @param {string} base
 * @param {Visit} visit
 */
function showMessage({ messageId, type, body, lastAttempts }, base, visit) {
  return openDialog(type, (close) => {
    const retry = async () => {
      try {
        await call("POST", `${base}${path`/messages/${messageId}/retry`}`);
        say(t("done"));
        visit.reload();
      } catch (error) {
        say(describe(error));
      }
      close();
    };
    return [
      h(
        "pre",
        { tabindex: "0", dir: "ltr" },
        body === null ? "–" : typeof body === "string" ? body : JSON.stringify(body, null, 2),
      ),
      h(
        "ul",
        null,
        lastAttempts.map((/** @type {any} */ { at, status, error, durationMs }) =>
          h("li", null, `${date(at)}: ${status ?? error} (${durationMs} ms)`)
        ),
      ),
      h(
        "div",
        { class: "actions" },
        h("button", { type: "button", class: "primary", click: retry }, t("retry")),
        h("button", { type: "button", click: () => close() }, t("close")),
      ),
    ];
  });
}
