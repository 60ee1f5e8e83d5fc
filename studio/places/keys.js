/** @import { Child } from "../dom.js" */
/** @import { Visit } from "../main.js" */
import { call, fieldProblem, may, path } from "../client.js";
import { task } from "../dialog.js";
import { button, date, duration, h, head, pill, t, word } from "../dom.js";
import { listing } from "../listing.js";

const SCOPES = /** @type {const} */ ([
  ...["entries:read", "entries:write", "entries:publish", "metrics:read", "subscriptions:read"],
  ...["subscriptions:write", "boards:read", "boards:write", "webhooks:write", "keys:write"],
]);
/** What keys are for, and what they may do for it. @type {Readonly<Record<string, readonly string[]>>} */
const PURPOSES = {
  writer: SCOPES.slice(0, 2),
  editor: SCOPES.slice(0, 6),
  app: ["subscriptions:write", "boards:read"],
  admin: ["*"],
};

/** How long what is replaced still works: a field of a form. */
export const overlap = {
  name: "overlap",
  label: t("overlap"),
  type: "select",
  value: "24h",
  options: /** @type {const} */ ([
    ["0s", t("notAtAll")],
    ["1h", duration(1, "hour")],
    ["24h", duration(1, "day")],
    ["7d", duration(7, "day")],
  ]),
};

/** @param {readonly string[]} scopes */
function inWords(scopes) {
  return scopes.includes("*") ? t("everything") : scopes.map(word).join(", ");
}

/** @param {readonly string[]} scopes */
function purposeOf(scopes) {
  const found = Object.entries(PURPOSES).find(([, one]) =>
    one.length === scopes.length && one.every((scope) => scopes.includes(scope))
  );
  return found && word(found[0]);
}

/**
 * @param {Visit} visit
 * @returns {Promise<Child>}
 */
export async function showKeys(visit) {
  /** @param {any} key */
  const actions = ({ keyId, name }) => [
    button(t("rotate"), () => rotate(visit, keyId, name), {
      "aria-label": `${t("rotate")}: ${name}`,
    }),
    button(t("revoke"), () => revoke(visit, keyId, name), {
      class: "danger",
      "aria-label": `${t("revoke")}: ${name}`,
    }),
  ];
  return [
    head(t("keys"), { actions: button(t("newKey"), () => create(visit), { class: "primary" }) }),
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
            h(
              "small",
              null,
              [purposeOf(key.scopes), inWords(key.scopes)].filter(Boolean).join(": "),
            ),
          ],
        },
        { title: t("lastUsed"), wide: true, cell: ({ lastUsedAt }) => date(lastUsedAt) },
        {
          title: t("actions"),
          cell: (key) => isLive(key) && h("div", { class: "actions" }, actions(key)),
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
function create(visit) {
  // Nobody can grant what they lack.
  const possible = Object.entries(PURPOSES).filter(([, scopes]) => scopes.every(may));
  const purposes = possible.map((
    [name, scopes],
  ) => /** @type {const} */ ([name, word(name), inWords(scopes)]));
  return task(visit, t("newKey"), {
    fields: [
      {
        ...{ name: "name", label: t("name"), required: true, hint: t("aboutKeyName") },
        attributes: { dir: "auto" },
      },
      {
        ...{
          name: "purpose",
          label: t("purpose"),
          type: "radio",
          value: purposes[0]?.[0] ?? "own",
        },
        options: [...purposes, ["own", t("ownChoice")]],
      },
      {
        ...{ name: "scopes", label: t("scopes"), type: "checks" },
        options: SCOPES.filter(may).map((
          scope,
        ) => /** @type {const} */ ([scope, word(scope), scope])),
      },
      {
        ...{ name: "expiresIn", label: t("validFor"), type: "select" },
        options: [
          ["", t("forEver")],
          ...[30, 90, 365].map((
            days,
          ) => /** @type {const} */ ([`${days}d`, duration(days, "day")])),
        ],
      },
    ],
    submit: t("create"),
    act: ({ name, purpose, scopes, expiresIn }) => {
      const chosen = PURPOSES[purpose] ?? scopes.split(" ").filter(Boolean);
      if (chosen.length === 0) throw fieldProblem("scopes", t("chooseOne"));
      const json = { name, scopes: chosen, ...expiresIn && { expiresIn } };
      return call("POST", "keys", { json });
    },
  });
}

/**
 * @param {Visit} visit
 * @param {string} keyId
 * @param {string} name
 */
function rotate(visit, keyId, name) {
  return task(visit, `${t("rotate")}: ${name}`, {
    fields: [overlap],
    submit: t("rotate"),
    about: t("aboutRotate"),
    act: (json) => call("POST", path`keys/${keyId}/rotate`, { json }),
  });
}

/**
 * @param {Visit} visit
 * @param {string} keyId
 * @param {string} name
 */
function revoke(visit, keyId, name) {
  return task(visit, `${t("revoke")}: ${name}`, {
    submit: t("revoke"),
    danger: true,
    about: t("aboutRevoke"),
    act: () => call("DELETE", path`keys/${keyId}`),
  });
}
