/** @import { Child } from "../dom.js" */
/** @import { Visit } from "../places.js" */
import { call, path } from "../client.js";
import { may } from "../session.js";
import { date, duration, h, t, word } from "../dom.js";
import { head, pill } from "../parts.js";
import { emptyList, listing } from "../listing.js";
import { makeSecret, rotation, saidOf } from "../secrets.js";
import { action } from "../task.js";

/** The scopes that the server knows, without `*`. */
const SCOPES = (document.documentElement.dataset.scopes ?? "").split(" ");
/** The scopes of keys, by their purpose. @type {Readonly<Record<string, readonly string[]>>} */
const PURPOSES = {
  writer: ["entries:read", "entries:write"],
  editor: SCOPES.filter((scope) =>
    /^(?:entries|metrics|subscriptions|posts):|^boards:read$/.test(scope)
  ),
  app: ["subscriptions:write", "boards:read"],
  admin: ["*"],
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
  return found && `${word(found[0])}: `;
}

/** @typedef {import("../../model/keys/api_key.ts").ShownKey} Key */

/** @param {Visit} visit @returns {Promise<Child>} */
export async function show(visit) {
  /** @param {Key} key */
  const isLive = ({ revokedAt, expiresAt }) =>
    [revokedAt, expiresAt].every((time) => time === null || Date.parse(time) > Date.now());
  /** @param {Key} key */
  const stateOf = (key) =>
    isLive(key)
      ? pill("done", key.expiresAt ? `${t("until")} ${date(key.expiresAt)}` : t("valid"))
      : pill("off", t(key.revokedAt ? "revoked" : "expired"));
  /** @param {Key} key */
  function actions(key) {
    const { keyId, name, scopes } = key;
    const base = path`keys/${keyId}`;
    const run = () => call("DELETE", base);
    const isVoting = scopes.includes("posts:write") || scopes.includes("*");
    const mayWithdraw = may("posts:publish") && may("subscriptions:read");
    return [
      isVoting && mayWithdraw && withdrawal(visit, key),
      isLive(key) && rotation(visit, name, { base, days: [1, 7], keyId }),
      isLive(key) && action(visit, t("revoke"), {
        name,
        about: t("aboutRevoke"),
        danger: true,
        run,
        done: t("revokedIt", { name }),
      }),
    ];
  }
  const create = creation(visit);
  return [
    head(t("keys"), { actions: create }),
    await listing(visit, {
      name: t("keys"),
      path: "keys",
      columns: [
        [t("key"), (key) => [
          h("bdi", { class: "title" }, key.name),
          " ",
          h("code", null, `${key.hint}…`),
          " ",
          stateOf(key),
          h("small", null, purposeOf(key.scopes), inWords(key.scopes)),
        ]],
        [t("lastUsed"), ({ lastUsedAt }) => date(lastUsedAt), "wide"],
        [t("actions"), (key) => h("div", { class: "actions" }, actions(key))],
      ],
      empty: emptyList(t("noKeys"), create),
    }),
  ];
}

/**
 * The button that withdraws the votes of a key that was stolen, revoked or not.
 *
 * @param {Visit} visit
 * @param {Key} key
 */
function withdrawal(visit, { keyId, name }) {
  return action(visit, t("withdrawVotes"), {
    name,
    fields: [{ name: "since", label: t("since"), type: "datetime-local", required: true }],
    about: t("aboutWithdrawVotes"),
    danger: true,
    run: ({ since }) => {
      const query = { keyId, since: new Date(since).toISOString() };
      return call("DELETE", "posts/votes", { query });
    },
    // Once more, it would find none to withdraw, and say so.
    recover: "tell",
    done: ({ withdrawn }) => t("withdrewVotes", { n: withdrawn }),
  });
}

/** @param {Visit} visit */
function creation(visit) {
  // Nobody can grant a scope that they lack.
  const purposes = Object.entries(PURPOSES).filter(([, scopes]) => scopes.every(may))
    .map(([name, scopes]) => [name, word(name), inWords(scopes)]);
  const days = [30, 90, 365].map((many) => [`${many}d`, duration(many, "day")]);
  return action(visit, t("newKey"), {
    fields: [
      {
        name: "name",
        label: t("name"),
        required: true,
        hint: t("aboutKeyName"),
        attributes: { dir: "auto" },
      },
      {
        name: "purpose",
        label: t("purpose"),
        type: "radio",
        value: purposes[0]?.[0] ?? "own",
        options: [...purposes, ["own", t("ownChoice")]],
      },
      {
        name: "scopes",
        label: t("scopes"),
        type: "checks",
        required: true,
        options: SCOPES.filter(may).map((scope) => [scope, word(scope), scope]),
      },
      {
        name: "expiresIn",
        label: t("validFor"),
        type: "select",
        options: [["", t("forEver")], ...days],
      },
    ],
    submit: t("create"),
    run: ({ name, purpose, scopes }, { expiresIn }) => {
      const json = { name, scopes: PURPOSES[purpose] ?? scopes, ...expiresIn && { expiresIn } };
      return makeSecret("keys", json, { id: "keyId", name: "name" });
    },
    done: (made) => saidOf(made, t("createdIt", { name: made.name })),
    attributes: { class: "primary" },
  });
}
