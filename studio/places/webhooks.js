/** @import { Visit } from "../router.js" */
/** @import { Child } from "../dom.js" */
import { call } from "../client.js";
import { ask, showSecret } from "../dialog.js";
import { h } from "../dom.js";
import { listing, pill } from "../listing.js";
import { address } from "../router.js";
import { date, t } from "../texts.js";

const TYPES = [
  ...["entry.published", "entry.updated", "entry.unpublished", "subscriber.subscribed"],
  ...["subscriber.unsubscribed", "subscriber.updated", "subscriber.erased"],
];

/**
 * @param {Visit} visit
 * @returns {Promise<Child>}
 */
export async function showWebhooks(visit) {
  return [
    h(
      "div",
      { class: "head" },
      h("h1", null, t("webhooks")),
      h(
        "button",
        { type: "button", class: "primary", click: () => void create(visit) },
        t("newWebhook"),
      ),
    ),
    await listing(visit, {
      name: t("webhooks"),
      path: "webhooks",
      columns: [
        {
          title: t("link"),
          cell: ({ webhookId, url }) =>
            h("a", { class: "title", href: address(["webhooks", webhookId]) }, url),
        },
        { title: t("state"), cell: webhookState },
        { title: t("changed"), wide: true, cell: ({ updatedAt }) => date(updatedAt) },
      ],
      empty: h("p", null, t("noWebhooks")),
    }),
    await bounces(visit),
  ];
}

/**
 * Shows where mail providers report bounces.
 *
 * @param {Visit} visit
 * @returns {Promise<Child>}
 */
async function bounces({ signal, reload }) {
  const { url } = await call("GET", "changelogs/bounces", { signal });
  if (!url) return undefined;
  const rotate = async () => {
    const act = () => call("POST", "changelogs/bounces/rotate");
    if (await ask(t("rotate"), [], { submit: t("rotate"), about: t("aboutRotate"), act })) reload();
  };
  return [
    h("h2", null, t("bounces")),
    h("p", { class: "soft" }, t("aboutBounces")),
    h(
      "div",
      { class: "actions" },
      h(
        "button",
        { type: "button", click: () => showSecret(t("bounces"), url, t("aboutBounces")) },
        t("show"),
      ),
      h("button", { type: "button", click: rotate }, t("rotate")),
    ),
  ];
}

/** @param {{ enabled: boolean, failingSince: string | null }} webhook */
export function webhookState({ enabled, failingSince }) {
  if (!enabled) return pill("off", t("off"));
  return failingSince ? pill("held", t("failing")) : pill("done", t("on"));
}

/** @param {{ url?: string, types?: readonly string[] }} [webhook] */
export function webhookFields({ url, types = TYPES } = {}) {
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
      value: types.join(" "),
      options: TYPES.map((type) => /** @type {const} */ ([type, type])),
    },
  ];
}

/** @param {Visit} visit */
async function create(visit) {
  let secret = "";
  const done = await ask(t("newWebhook"), webhookFields(), {
    submit: t("create"),
    act: async (json) => {
      ({ secret } = await call("POST", "webhooks", {
        json: { ...json, types: json.types.split(" ").filter(Boolean) },
      }));
    },
  });
  if (!done) return;
  await showSecret(t("secret"), secret);
  visit.reload();
}
