/** @import { Child } from "../dom.js" */
/** @import { Visit } from "../places.js" */
import { call, path } from "../client.js";
import { may } from "../session.js";
import { openDialog } from "../dialog.js";
import { address, button, count, date, h, say, t, word } from "../dom.js";
import { head, pill, titled } from "../parts.js";
import { emptyList, listing } from "../listing.js";
import { makeSecret, rotation, saidOf } from "../secrets.js";
import { action, deletion, task } from "../task.js";
import { pause } from "../work.js";

/** @typedef {import("../../model/webhooks/webhook.ts").ShownWebhook} Webhook */
/** @typedef {import("../../model/webhooks/webhook_message.ts").ShownMessage} Message */

/** The types of messages that the server sends. */
const TYPES = /** @type {Webhook["types"]} */ (
  (document.documentElement.dataset.events ?? "").split(" ")
);
const POLL_MS = 500;
/** The time that an endpoint has to respond. */
const MAX_WAIT_MS = 16_000;

/** @param {Partial<Webhook>} [webhook] */
function fieldsOf({ url, types = TYPES } = {}) {
  // A key that can't read subscribers or posts gets no messages about them.
  const known = TYPES.filter((type) =>
    (!type.startsWith("subscriber.") || may("subscriptions:read")) &&
    (!type.startsWith("post.") || may("posts:read"))
  );
  return [
    {
      name: "url",
      label: t("link"),
      type: "url",
      value: url,
      required: true,
      attributes: { placeholder: "https://" },
    },
    {
      name: "types",
      label: t("events"),
      type: "checks",
      required: true,
      value: known.filter((type) => types.includes(type)).join(" "),
      options: known.map((type) => [type, word(type), type]),
    },
  ];
}

/** @param {Webhook} webhook */
function stateOf({ enabled, failingSince }) {
  if (!enabled) return pill("off", t("off"));
  return failingSince ? pill("held", t("failing")) : pill("done", t("on"));
}

/** Shows the webhooks, or one of them. @param {Visit} visit @returns {Promise<Child>} */
export async function show(visit) {
  const [, webhookId] = visit.parts;
  if (webhookId !== undefined) return await showWebhook(visit, path`webhooks/${webhookId}`);
  const [url, types] = fieldsOf();
  const format = {
    name: "format",
    label: t("receiver"),
    type: "radio",
    value: "standard",
    options: [["standard", t("programs")], ["slack", t("chats")]],
  };
  const create = action(visit, t("newWebhook"), {
    fields: [url, format, types],
    submit: t("create"),
    run: ({ url, types, format }) => {
      const json = { url, format, ...format === "standard" && { types } };
      return makeSecret("webhooks", json, { id: "webhookId", name: "url" });
    },
    done: (made) => saidOf(made, t("createdIt", { name: made.url })),
    attributes: { class: "primary" },
  });
  return [
    head(t("webhooks"), { actions: create }),
    await listing(visit, {
      name: t("webhooks"),
      path: "webhooks",
      columns: [
        [t("link"), ({ webhookId, url }) => titled(address(["webhooks", webhookId]), url)],
        [t("state"), stateOf],
        [t("changed"), ({ updatedAt }) => date(updatedAt), "wide"],
      ],
      empty: emptyList(t("noWebhooks"), create),
    }),
  ];
}

/** @param {Visit} visit @param {string} base @returns {Promise<Child>} */
async function showWebhook(visit, base) {
  const webhook = await call("GET", base, { signal: visit.signal });
  const { url, enabled, disabledAt, format } = webhook;
  const { host } = new URL(url);
  return [
    head(host, {
      up: ["#/webhooks", t("webhooks")],
      actions: [
        enabled && action(visit, t("test"), {
          run: () => sendNow(visit, base, "test"),
          recover: "tell",
          done: t("messageSent"),
        }),
        action(visit, t("change"), {
          fields: fieldsOf(webhook),
          submit: t("save"),
          run: (_, json) => call("PATCH", base, { json }),
          done: t("changedIt"),
        }),
        action(visit, t(enabled ? "turnOff" : "turnOn"), {
          run: () => call("PATCH", base, { json: { enabled: !enabled } }),
          done: t(enabled ? "turnedOff" : "turnedOn"),
        }),
        format !== "slack" && rotation(visit, host, { base, days: [1] }),
        deletion(visit, host, { path: base, to: "#/webhooks" }),
      ],
    }),
    h("p", null, stateOf(webhook), " ", h("code", null, url)),
    disabledAt && h("p", { class: "error" }, `${date(disabledAt)}: ${t("webhook_disabled")}`),
    h(
      "div",
      { class: "head" },
      h("h2", null, t("messages")),
      action(visit, t("replay"), {
        fields: [{ name: "since", label: t("since"), type: "datetime-local", required: true }],
        about: t("aboutReplay"),
        run: async ({ since }) => {
          await call("POST", `${base}/replay`, { json: { since: new Date(since).toISOString() } });
        },
        recover: "tell",
        done: t("replayedThem"),
      }),
    ),
    await listing(visit, {
      name: t("messages"),
      path: `${base}/messages`,
      tabs: ["state", [
        ["waiting", t("waiting")],
        ["delivered", t("delivered")],
        ["failed", t("failed")],
      ]],
      columns: [
        [
          t("event"),
          (message) =>
            button(word(message.type), () => showMessage(visit, base, message), {
              class: "link title",
            }),
        ],
        [t("state"), ({ state }) => pill(state, word(state))],
        [t("attempts"), ({ attempts }) => count(attempts), "wide"],
        [t("date"), ({ createdAt }) => date(createdAt), "wide"],
      ],
      empty: t("noMessages", { test: t("test") }),
    }),
  ];
}

/** @param {Visit} visit @param {string} base @param {Message} message */
function showMessage(visit, base, { messageId, type, body, lastAttempts }) {
  const run = () => sendNow(visit, base, path`messages/${messageId}/retry`);
  return openDialog(word(type), ({ close }) => [
    h("pre", { tabindex: "0", dir: "ltr" }, body === null ? "–" : readable(body)),
    h(
      "ul",
      null,
      lastAttempts.map((attempt) =>
        h(
          "li",
          null,
          `${date(attempt.at)}: ${outcomeOf(attempt)}`,
          h(
            "small",
            { dir: "ltr" },
            /\(\w+\)/.exec(`${attempt.error}`),
            ` ${attempt.durationMs} ms`,
          ),
        )
      ),
    ),
    h(
      "div",
      { class: "actions" },
      button(t("retry"), () => {
        close();
        return task(visit, t("retry"), { run, recover: "tell", done: t("messageSent") });
      }, { class: "primary" }),
      button(t("close"), () => close()),
    ),
  ]);
}

/**
 * Sends a message, and reports the outcome once it is known.
 *
 * @param {Visit} visit
 * @param {string} base
 * @param {string} request
 */
async function sendNow(visit, base, request) {
  const { messageId, attempts } = await call("POST", `${base}/${request}`);
  const query = { limit: "100" };
  async function follow() {
    for (let waitedMs = 0; waitedMs < MAX_WAIT_MS; waitedMs += POLL_MS) {
      await pause(POLL_MS);
      const { data } = await call("GET", `${base}/messages`, { query });
      const message = data.find((/** @type {Message} */ one) => one.messageId === messageId);
      if (message?.attempts > attempts) {
        say(outcomeOf(message.lastAttempts.at(-1)));
        return visit.reload();
      }
    }
  }
  // If this fails, the list shows the outcome later.
  follow().catch(() => {});
}

/** @param {string} body */
function readable(body) {
  return JSON.stringify(JSON.parse(body), null, 2);
}

/**
 * Returns a sentence about the outcome of an attempt.
 *
 * @param {Message["lastAttempts"][number]} attempt
 */
function outcomeOf({ status, error }) {
  if (status !== null) return status < 300 ? t("delivered") : t("answered", { status });
  const reasons = /** @type {const} */ ([
    [/no (?:answer|response)/, "noAnswer"],
    [/not public|the URL/, "notPublic"],
    [/resolved/, "noHost"],
  ]);
  const [, reason = "noConnection"] = reasons.find(([words]) => words.test(`${error}`)) ?? [];
  return t(/** @type {import("../dom.js").TextKey} */ (reason));
}
