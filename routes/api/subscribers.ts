import type { ListQuery } from "../../adapters/storage.ts";
import { SUBSCRIPTIONS } from "../../model/kinds.ts";
import { changeOf } from "../../model/resource.ts";
import { CSV_HEADER, formatCsvRow } from "../../model/subscriptions/rows.ts";
import { choice, flag, object, sentFlag, settable, withSchema } from "../../model/declare.ts";
import { formatNdjson, NAME_MAX_CODE_POINTS, parseUserName } from "../../model/values/text.ts";
import { EMAIL_MAX_OCTETS, parseEmailAddress } from "../../model/values/email_address.ts";
import { Refusal } from "../../model/values/refusal.ts";
import {
  HISTORY,
  showSubscriber,
  showSubscription,
  SUBSCRIPTION,
  type Subscription,
  SUBSCRIPTION_SOURCES,
} from "../../model/subscriptions/subscription.ts";
import { PACES } from "../../model/subscriptions/choices.ts";
import { EXPORT_PARAMETERS } from "../../model/subscriptions/list_options.ts";
import { erasePerson } from "../../services/privacy/erasure.ts";
import {
  changeSubscription,
  listSubscriptions,
  positionOf,
  readSubscriptions,
  type SubscriptionFilter,
  updateSubscription,
} from "../../services/subscriptions/subscriptions.ts";
import { negotiateList, pageFields, pageReply } from "../_http/page.ts";
import { type Operation, operation } from "../_http/operation.ts";
import { CSV_TYPE, JSON_TYPE, jsonReply, NDJSON_TYPE } from "../_http/reply.ts";

const SUBSCRIBERS_PATH = "/api/v1/changelogs/subscribers";
const { userEmail, userName, subscribed, createdAt, updatedAt } = SUBSCRIPTION.fields;
const { userEmail: _, ...CHANGED_FIELDS } = settable(SUBSCRIPTION.fields);
const RESULT = object("SubscriptionResult", "A subscription after a call.", {
  userEmail,
  userName,
  subscribed: withSchema(subscribed, { description: "The state after the call." }),
  changed: flag("Whether the call changed `subscribed` or `userName`."),
  createdAt,
  updatedAt,
});
const RECORD = object("SubscriberRecord", "One subscriber, with the evidence for the state.", {
  ...SUBSCRIPTION.fields,
  history: HISTORY,
});

// The list of current subscribers is sorted by another field.
const SUBSCRIBER_PAGE_FIELDS = pageFields(
  /^(?:subscribers-true [!-~]+|subscribers(?:-false)?) [!-~]+$/,
);

export const operations = (): readonly Operation[] => [
  operation("PUT", "/api/v1/changelogs/subscribe", {
    operationId: "subscribe",
    ignoresUnknown: true,
    summary: "Subscribe or unsubscribe a user",
    description: "Creates or updates the subscription of one address. Idempotent; `changed` says " +
      "whether this call changed `subscribed` or `userName`.",
    scope: "subscriptions:write",
    body: {
      userEmail: userEmail,
      userName: userName,
      subscribe: sentFlag("`true` subscribes, `false` unsubscribes; in a form, in any case."),
    },
    required: ["userEmail", "subscribe"],
    successes: [{ status: 200, schema: RESULT }],
    async run({ storage, body, now, caller }) {
      const { subscription, changed } = await changeSubscription(storage, {
        userEmail: body.userEmail,
        userName: body.userName ?? null,
        subscribe: body.subscribe,
        source: "api",
        keyId: caller.keyId,
        at: now.text,
      });
      const { userEmail, userName, subscribed, createdAt, updatedAt } = subscription;
      return jsonReply(200, { userEmail, userName, subscribed, changed, createdAt, updatedAt });
    },
  }),

  operation("GET", SUBSCRIBERS_PATH, {
    operationId: "listSubscribers",
    summary: "List subscribers",
    description:
      "Lists subscribers in ascending order of `userEmail`. With `subscribed=true` and no " +
      "`prefix`, the order is fixed, but has no meaning. With `Accept: " +
      "application/x-ndjson` or `text/csv`, without `limit` and `cursor`, streams all subscribers.",
    scope: "subscriptions:read",
    query: {
      ...SUBSCRIBER_PAGE_FIELDS,
      ...EXPORT_PARAMETERS,
      source: choice(
        SUBSCRIPTION_SOURCES,
        "Return only subscribers whose state has this source.",
      ),
      pace: choice(PACES, "Return only subscribers who are mailed at this pace."),
      prefix: {
        schema: {
          description: "Return only subscribers whose address starts with this.",
          type: "string",
          maxLength: EMAIL_MAX_OCTETS,
          examples: ["ann@"],
        },
        parse: parsePrefix,
      },
      q: {
        schema: {
          description:
            "Return only subscribers whose address or name has all of these words or parts of " +
            "words, in any case.",
          type: "string",
          maxLength: NAME_MAX_CODE_POINTS,
          examples: ["ann"],
        },
        parse: parseUserName,
      },
    },
    successes: [{
      status: 200,
      description: "A page of subscribers, or all of them.",
      page: SUBSCRIPTION,
      others: { [NDJSON_TYPE]: "SubscriberLines", [CSV_TYPE]: "SubscriberTable" },
    }],
    async run({ isGone, request, storage, query, warn }) {
      const filter = {
        subscribed: query.subscribed,
        source: query.source,
        pace: query.pace,
        prefix: query.prefix || undefined,
        q: query.q || undefined,
      };
      const isPage = query.limit !== undefined || query.cursor !== undefined;
      const mediaType = isPage ? JSON_TYPE : negotiateList(request);
      if (mediaType !== JSON_TYPE) {
        const pages = readSubscriptions(storage, filter);
        const body = mediaType === CSV_TYPE ? writeCsv(pages) : writeNdjson(pages, warn);
        return { status: 200, contentType: mediaType, body };
      }
      const list = (page: ListQuery) => listSubscriptions(storage, { ...page, ...filter, isGone });
      return await pageReply(query, list, {
        listing: listingOf(filter),
        positionOf: (subscription) => positionOf(subscription, filter),
        show: showSubscription,
      });
    },
  }),

  operation("GET", `${SUBSCRIBERS_PATH}/:userEmail`, {
    operationId: "getSubscriber",
    summary: "Read a subscriber",
    scope: "subscriptions:read",
    successes: [{ status: 200, schema: RECORD }],
    async run({ storage, param }) {
      const userEmail = parseEmailAddress(param);
      const subscription = userEmail instanceof Refusal
        ? undefined
        : await storage.get(SUBSCRIPTIONS, userEmail);
      if (subscription === undefined) return "subscriber_not_found";
      const shown = showSubscriber(subscription);
      if (shown === undefined) throw new Error(unreadable(subscription));
      return jsonReply(200, shown);
    },
  }),

  operation("PATCH", `${SUBSCRIBERS_PATH}/:userEmail`, {
    operationId: "updateSubscriber",
    summary: "Change a subscriber",
    description: "Changes only the given fields, and never whether the person is subscribed.",
    scope: "subscriptions:write",
    alsoScopes: ["subscriptions:read"],
    body: CHANGED_FIELDS,
    successes: [{ status: 200, schema: RECORD }],
    async run({ storage, param, body, now }) {
      const userEmail = parseEmailAddress(param);
      const subscription = userEmail instanceof Refusal
        ? undefined
        : await updateSubscription(storage, userEmail, {
          change: changeOf<Subscription>(SUBSCRIPTION, body),
          at: now.text,
        });
      return subscription === undefined
        ? "subscriber_not_found"
        : jsonReply(200, showSubscriber(subscription));
    },
  }),

  operation("DELETE", `${SUBSCRIBERS_PATH}/:userEmail`, {
    operationId: "eraseSubscriber",
    summary: "Erase a subscriber",
    description: "Removes everything that is stored about the person, except a keyed hash of the " +
      "address, which names nobody. Because of this hash, no import brings the person back " +
      "without `resubscribe`. To unsubscribe somebody, use `PUT /changelogs/subscribe`.",
    scope: "subscriptions:write",
    alsoScopes: ["subscriptions:read"],
    successes: [{ status: 204, description: "Nothing about the person is stored any more." }],
    async run({ storage, param, now }) {
      const userEmail = parseEmailAddress(param);
      if (userEmail instanceof Refusal) return "subscriber_not_found";
      const isErased = await erasePerson(storage, userEmail, now.text);
      return isErased ? { status: 204 } : "subscriber_not_found";
    },
  }),
];

/** Names a listing, so that it refuses cursors of a listing in another order. */
function listingOf({ subscribed, prefix }: SubscriptionFilter): string {
  return `subscribers${subscribed === undefined || prefix !== undefined ? "" : `-${subscribed}`}`;
}

function parsePrefix(text: string): string | Refusal {
  const prefix = text.toLowerCase();
  return /^[!-~]*$/.test(prefix) && prefix.length <= EMAIL_MAX_OCTETS
    ? prefix
    : new Refusal("invalid_value", "is the start of no address");
}

type Pages = AsyncIterable<readonly Subscription[]>;

async function* writeCsv(pages: Pages): AsyncGenerator<string> {
  yield CSV_HEADER;
  for await (const page of pages) yield page.map(formatCsvRow).join("");
}

/**
 * Writes subscriptions as NDJSON. One that can't be read in full is written without its history.
 */
async function* writeNdjson(
  pages: Pages,
  warn: (warning: string) => void,
): AsyncGenerator<string> {
  for await (const page of pages) {
    yield formatNdjson(page.map((subscription) => {
      const shown = showSubscriber(subscription);
      if (shown === undefined) warn(unreadable(subscription));
      return shown ?? { ...showSubscription(subscription), history: [] };
    }));
  }
}

/** Describes a record without naming the person. */
function unreadable({ subscriberId }: Subscription): string {
  return `Cannot read the history of the subscription with the subscriberId ${subscriberId}`;
}
