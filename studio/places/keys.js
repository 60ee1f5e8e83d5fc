/** @import { Visit } from "../router.js" */
/** @import { Child } from "../dom.js" */
import { call, path } from "../client.js";
import { ask, showSecret } from "../dialog.js";
import { h, say } from "../dom.js";
import { listing, pill } from "../listing.js";
import { may } from "../session.js";
import { date, t } from "../texts.js";

const SCOPES = [
  ...["boards:read", "boards:write", "entries:read", "entries:write", "subscriptions:read"],
  ...["subscriptions:write", "webhooks:write", "keys:write", "metrics:read"],
];

/**
 * @param {Visit} visit
 * @returns {Promise<Child>}
 */
export async function showKeys(visit) {
  return [
    h(
      "div",
      { class: "head" },
      h("h1", null, t("keys")),
      h(
        "button",
        { type: "button", class: "primary", click: () => void create(visit) },
        t("newKey"),
      ),
    ),
    await listing(visit, {
      name: t("keys"),
      path: "keys",
      columns: [
        {
          title: t("key"),
          cell: (key) => [
            h("bdi", { class: "title" }, key.name),
            " ",
            h("code", null, `${key.hint}…`),
            " ",
            keyState(key),
            h("small", null, key.scopes.join(" ")),
          ],
        },
        { title: t("lastUsed"), wide: true, cell: ({ lastUsedAt }) => date(lastUsedAt) },
        {
          title: t("actions"),
          cell: (key) =>
            isLive(key) && h(
              "div",
              { class: "actions" },
              h("button", {
                type: "button",
                click: () => void rotate(visit, key),
                "aria-label": `${t("rotate")}: ${key.name}`,
              }, t("rotate")),
              h("button", {
                type: "button",
                class: "danger",
                click: () => void revoke(visit, key),
                "aria-label": `${t("revoke")}: ${key.name}`,
              }, t("revoke")),
            ),
        },
      ],
      empty: h("p", null, t("none")),
    }),
  ];
}

/** @param {{ revokedAt: string | null, expiresAt: string | null }} key */
function isLive({ revokedAt, expiresAt }) {
  return [revokedAt, expiresAt].every((time) => time === null || Date.parse(time) > Date.now());
}

/** @param {{ revokedAt: string | null, expiresAt: string | null }} key */
function keyState(key) {
  const { revokedAt, expiresAt } = key;
  if (isLive(key)) {
    return pill("done", expiresAt ? `${t("until")} ${date(expiresAt)}` : t("valid"));
  }
  return pill("off", revokedAt ? t("revoked") : t("expired"));
}

/** @param {Visit} visit */
async function create(visit) {
  let secret = "";
  const done = await ask(t("newKey"), [
    { name: "name", label: t("name"), required: true, attributes: { dir: "auto" } },
    {
      name: "scopes",
      label: t("scopes"),
      type: "checks",
      value: "",
      // Nobody can grant what they lack.
      options: SCOPES.filter(may).map((scope) => /** @type {const} */ ([scope, scope])),
    },
    {
      name: "expiresIn",
      label: t("validFor"),
      hint: t("aboutDuration"),
      attributes: { placeholder: "90d" },
    },
  ], {
    submit: t("create"),
    act: async ({ name, scopes, expiresIn }) => {
      const json = {
        name,
        scopes: scopes.split(" ").filter(Boolean),
        ...expiresIn && { expiresIn },
      };
      secret = (await call("POST", "keys", { json })).key;
    },
  });
  if (!done) return;
  await showSecret(t("newKey"), secret);
  visit.reload();
}

/**
 * @param {Visit} visit
 * @param {{ keyId: string, name: string }} key
 */
async function rotate(visit, { keyId, name }) {
  let secret = "";
  const field = {
    name: "overlap",
    label: t("overlap"),
    value: "24h",
    hint: t("aboutDuration"),
    required: true,
  };
  const act = async (/** @type {Record<string, string>} */ json) => {
    secret = (await call("POST", path`keys/${keyId}/rotate`, { json })).key;
  };
  if (
    !await ask(`${t("rotate")}: ${name}`, [field], {
      submit: t("rotate"),
      about: t("aboutRotate"),
      act,
    })
  ) return;
  await showSecret(name, secret);
  visit.reload();
}

/**
 * @param {Visit} visit
 * @param {{ keyId: string, name: string }} key
 */
async function revoke(visit, { keyId, name }) {
  const act = () => call("DELETE", path`keys/${keyId}`);
  const done = await ask(`${t("revoke")}: ${name}`, [], {
    submit: t("revoke"),
    danger: true,
    about: t("aboutRevoke"),
    act,
  });
  if (!done) return;
  say(t("done"));
  visit.reload();
}
