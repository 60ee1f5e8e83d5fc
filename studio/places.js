// The places of the studio, which its menu shows.

/** @import { Child } from "./dom.js" */

/**
 * A visit to a place: `#/entries/dark-mode?state=draft` has the parts `entries` and `dark-mode`.
 *
 * @typedef {object} Visit
 * @property {string[]} parts
 * @property {URLSearchParams} query
 * @property {AbortSignal} signal Aborted when the visitor leaves.
 * @property {() => boolean} isShown Whether the visitor is still there.
 * @property {() => unknown} reload Shows the place anew, unless it was left; the focus stays.
 * @property {Promise<Waiting>} counted How many ideas wait for a decision, once that is known.
 * @property {(waiting: Waiting) => void} showWaiting Shows these numbers in the menu.
 */

/** @typedef {{ held: number, reported: number }} Waiting */

/**
 * A place, which needs one of its scopes. Its module is loaded when it is first opened.
 *
 * @typedef {object} Place
 * @property {readonly string[]} scopes
 * @property {boolean} [isOwn] Whether it is a member's own, which the menu shows at its end.
 * @property {(parts: readonly string[]) => Promise<{ show: (visit: Visit) => Child | Promise<Child>
 *   }>} load
 */

/** The places, by their names in addresses and texts. @type {Readonly<Record<string, Place>>} */
export const PLACES = {
  overview: {
    scopes: ["metrics:read"],
    load: () => import("./places/overview.js"),
  },
  entries: {
    scopes: ["entries:read"],
    load: ([, entryId, part]) =>
      part === "failures" || part === "mail"
        ? import("./places/failures.js")
        : entryId === "import"
        ? import("./importing/entries.js")
        : entryId === undefined
        ? import("./places/entries.js")
        : import("./places/editor.js"),
  },
  subscribers: {
    scopes: ["subscriptions:read", "subscriptions:write"],
    load: () => import("./places/subscribers.js"),
  },
  pictures: {
    scopes: ["entries:read"],
    load: () => import("./places/pictures.js"),
  },
  ideas: {
    scopes: ["posts:read"],
    load: ([, , postId, part]) =>
      postId === undefined
        ? import("./ideas/ideas.js")
        : part === "failures"
        ? import("./places/failures.js")
        : import("./ideas/idea.js"),
  },
  boards: {
    scopes: ["boards:read"],
    load: () => import("./places/boards.js"),
  },
  webhooks: {
    scopes: ["webhooks:write"],
    load: () => import("./places/webhooks.js"),
  },
  keys: {
    scopes: ["keys:write"],
    load: () => import("./places/keys.js"),
  },
  team: {
    scopes: ["keys:write"],
    load: () => import("./places/team.js"),
  },
  settings: {
    scopes: ["settings:write"],
    load: () => import("./settings/settings.js"),
  },
  account: { scopes: [], isOwn: true, load: () => import("./places/account.js") },
};
