/** @import { Texts } from "./texts/en.js" */
/** @import { Visit } from "./router.js" */
/** @import { Child } from "./dom.js" */
import { showBoards } from "./places/boards.js";
import { showEditor } from "./places/editor.js";
import { showEntries } from "./places/entries.js";
import { showFailures } from "./places/failures.js";
import { showImport } from "./places/import.js";
import { showKeys } from "./places/keys.js";
import { showOverview } from "./places/overview.js";
import { showSubscriber } from "./places/subscriber.js";
import { showSubscribers } from "./places/subscribers.js";
import { showWebhook } from "./places/webhook.js";
import { showWebhooks } from "./places/webhooks.js";

/**
 * A place, which needs one of its scopes.
 *
 * @typedef {object} Place
 * @property {keyof Texts} title
 * @property {readonly string[]} scopes
 * @property {string} icon
 * @property {(visit: Visit) => Child | Promise<Child>} show
 */

/** @type {Readonly<Record<string, Place>>} */
export const PLACES = {
  overview: {
    title: "overview",
    scopes: ["metrics:read"],
    icon: "M2 13V8m4 5V3m4 10V6m4 7v-3",
    show: showOverview,
  },
  entries: {
    title: "entries",
    scopes: ["entries:read"],
    icon: "M3 2h10v12H3zm3 3.5h4M6 8h4m-4 2.5h2",
    show: (visit) => {
      const [, entryId, part] = visit.parts;
      if (entryId === undefined) return showEntries(visit);
      return part === "failures" ? showFailures(visit, entryId) : showEditor(visit, entryId);
    },
  },
  subscribers: {
    title: "subscribers",
    scopes: ["subscriptions:read", "subscriptions:write"],
    icon: "M8 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zm-5 6c0-5 10-5 10 0",
    show: (visit) => {
      const [, userEmail] = visit.parts;
      if (userEmail === undefined) return showSubscribers(visit);
      return userEmail === "import" ? showImport(visit) : showSubscriber(visit, userEmail);
    },
  },
  boards: {
    title: "boards",
    scopes: ["boards:read"],
    icon: "M2 3h5v10H2zm7 0h5v6H9z",
    show: showBoards,
  },
  webhooks: {
    title: "webhooks",
    scopes: ["webhooks:write"],
    icon: "M9 2 4 9h4l-1 5 5-7H8z",
    show: (visit) =>
      visit.parts[1] === undefined ? showWebhooks(visit) : showWebhook(visit, visit.parts[1]),
  },
  keys: {
    title: "keys",
    scopes: ["keys:write"],
    icon: "M5.500 13a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 8l6-6m-2.5 2.5L13 6",
    show: showKeys,
  },
};
