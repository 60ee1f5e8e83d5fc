/** @import { Child } from "../dom.js" */
/** @import { Visit } from "../main.js" */
import { call, path } from "../client.js";
import { deleting, doing, openDialog, task } from "../dialog.js";
import { button, count, date, h, head, pill, t, word } from "../dom.js";
import { form } from "../form.js";
import { listing, tabs } from "../listing.js";
import { overlap } from "./keys.js";
import { chosenTypes, webhookFields, webhookState } from "./webhooks.js";

/**
 * @param {Visit} visit
 * @param {string} webhookId
 * @returns {Promise<Child>}
 */
export async function showWebhook(visit, webhookId) {
  const base = path`webhooks/${webhookId}`;
  const webhook = await call("GET", base, { signal: visit.signal });
  const { url, enabled, disabledAt, format } = webhook;
  const { host } = new URL(url);
  const toggle = () => call("PATCH", base, { json: { enabled: !enabled } });
  const test = () => call("POST", `${base}/test`);
  const rotate = () =>
    task(visit, t("rotate"), {
      fields: [overlap],
      act: (json) => call("POST", `${base}/rotate`, { json }),
    });
  const replay = () =>
    task(visit, t("replay"), {
      fields: [{ name: "since", label: t("since"), type: "datetime-local", required: true }],
      about: t("aboutReplay"),
      act: async ({ since }) => {
        await call("POST", `${base}/replay`, { json: { since: new Date(since).toISOString() } });
      },
    });
  const remove = () => deleting(visit, host, { act: () => call("DELETE", base), to: "#/webhooks" });
  const edit = form(webhookFields(webhook), {
    submit: t("save"),
    async act({ url, types }) {
      await call("PATCH", base, { json: { url, types: chosenTypes(types) } });
      await doing(visit, () => {}, t("saved"));
    },
  });
  return [
    head(host, {
      up: ["#/webhooks", t("webhooks")],
      actions: [
        enabled && button(t("test"), () => doing(visit, test)),
        button(t(enabled ? "turnOff" : "turnOn"), () => doing(visit, toggle)),
        format !== "slack" && button(t("rotate"), rotate),
        button(t("delete"), remove, { class: "danger" }),
      ],
    }),
    h(
      "p",
      null,
      webhookState(webhook),
      " ",
      h("code", null, url),
      " ",
      disabledAt && date(disabledAt),
    ),
    disabledAt && h("p", { class: "error" }, t("webhook_disabled")),
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
            button(word(message.type), () => showMessage(message, base, visit), {
              class: "link title",
            }),
        },
        { title: t("state"), cell: ({ state }) => pill(state, word(state)) },
        { title: t("attempts"), wide: true, cell: ({ attempts }) => count(attempts) },
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
  return openDialog(word(type), (close) => {
    const retry = () => {
      close();
      return doing(visit, () => call("POST", `${base}${path`/messages/${messageId}/retry`}`));
    };
    const text = typeof body === "string" ? body : JSON.stringify(body, null, 2);
    return [
      h("pre", { tabindex: "0", dir: "ltr" }, body === null ? "–" : text),
      h(
        "ul",
        null,
        lastAttempts.map((/** @type {any} */ { at, status, error, durationMs }) =>
          h("li", null, `${date(at)}: ${status ?? error} (${count(durationMs)} ms)`)
        ),
      ),
      h(
        "div",
        { class: "actions" },
        button(t("retry"), retry, { class: "primary" }),
        button(t("close"), () => close()),
      ),
    ];
  });
}
