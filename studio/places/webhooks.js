/** @import { Child } from "../dom.js" */
/** @import { Visit } from "../main.js" */
import { call, fieldProblem, may } from "../client.js";
import { showSecret, task } from "../dialog.js";
import { address, button, date, h, head, pill, t, word } from "../dom.js";
import { listing } from "../listing.js";

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
    head(t("webhooks"), {
      actions: button(t("newWebhook"), () => create(visit), { class: "primary" }),
    }),
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
async function bounces(visit) {
  const { url } = await call("GET", "changelogs/bounces", { signal: visit.signal });
  if (!url) return undefined;
  const rotate = () =>
    task(visit, t("rotate"), {
      about: t("aboutRotate"),
      act: () => void call("POST", "changelogs/bounces/rotate"),
    });
  const show = () => showSecret(t("bounces"), url, t("aboutBounces"));
  return [
    h("h2", null, t("bounces")),
    h("p", { class: "soft" }, t("aboutBounces")),
    h("div", { class: "actions" }, button(t("show"), show), button(t("rotate"), rotate)),
  ];
}

/** @param {{ enabled: boolean, failingSince: string | null }} webhook */
export function webhookState({ enabled, failingSince }) {
  if (!enabled) return pill("off", t("off"));
  return failingSince ? pill("held", t("failing")) : pill("done", t("on"));
}

/** @param {{ url?: string, types?: readonly string[] }} [webhook] */
export function webhookFields({ url, types = TYPES } = {}) {
  // Nobody is told of subscribers who may not read them.
  const known = TYPES.filter((type) => type.startsWith("entry.") || may("subscriptions:read"));
  return [
    {
      ...{ name: "url", label: t("link"), type: "url", value: url, required: true },
      attributes: { placeholder: "https://" },
    },
    {
      ...{ name: "types", label: t("events"), type: "checks", value: types.join(" ") },
      options: known.map((type) => /** @type {const} */ ([type, word(type), type])),
    },
  ];
}

/** @param {string} types */
export function chosenTypes(types) {
  if (types === "") throw fieldProblem("types", t("chooseOne"));
  return types.split(" ");
}

/** @param {Visit} visit */
function create(visit) {
  const [url, types] = webhookFields();
  return task(visit, t("newWebhook"), {
    fields: [url, {
      ...{ name: "format", label: t("receiver"), type: "radio", value: "standard" },
      options: [["standard", t("programs")], ["slack", t("chats")]],
    }, types],
    submit: t("create"),
    act: ({ url, types, format }) => {
      const json = format === "slack"
        ? { url, format, types: ["entry.published"] }
        : { url, types: chosenTypes(types) };
      return call("POST", "webhooks", { json });
    },
  });
}
