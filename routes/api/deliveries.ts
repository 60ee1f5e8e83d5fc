import { choice, flag, object, withSchema } from "../../model/declare.ts";
import { DELIVERY, DELIVERY_STATES, showDelivery } from "../../model/deliveries/delivery.ts";
import { DELIVERY_FAILURE, showDeliveryFailure } from "../../model/deliveries/delivery_failure.ts";
import { ENTRY } from "../../model/entries/entry.ts";
import { grantsScope, type Scope } from "../../model/keys/api_key.ts";
import { POST } from "../../model/posts/post.ts";
import {
  controlDelivery,
  type DeliveryAction,
  getDelivery,
  listDeliveries,
} from "../../services/deliveries/deliveries.ts";
import { listDeliveryFailures } from "../../services/deliveries/failures.ts";
import { insufficientScope, readablePart } from "../_http/credentials.ts";
import { type Operation, operation } from "../_http/operation.ts";
import { ORDERED_PAGE_FIELDS, PAGE_FIELDS, pageReply } from "../_http/page.ts";
import { jsonReply } from "../_http/reply.ts";

const DELIVERIES_PATH = "/api/v1/deliveries";
const DELIVERY_PATH = `${DELIVERIES_PATH}/:deliveryId`;
// A post's delivery needs the second scope, all others the first.
const CONTROL_SCOPES: readonly Scope[] = ["entries:publish", "posts:publish"];
const RESULT = object("DeliveryResult", "A delivery after a call.", {
  ...DELIVERY.fields,
  changed: flag("Whether the call changed anything."),
});

/** The operations on whatever is mailed to many people. */
export const operations = (): readonly Operation[] => [
  operation("GET", DELIVERIES_PATH, {
    operationId: "listDeliveries",
    summary: "List deliveries",
    description: "Lists the deliveries of entries, weeks and posts, newest first.",
    scope: "entries:read",
    query: {
      ...ORDERED_PAGE_FIELDS,
      state: choice(DELIVERY_STATES, "Return only deliveries in this state."),
      entryId: withSchema(ENTRY.fields.entryId, {
        description: "Return only the delivery of this entry.",
      }),
      postId: withSchema(POST.fields.postId, {
        description: "Return only the deliveries of this post.",
      }),
    },
    successes: [{ status: 200, description: "A page of deliveries.", page: DELIVERY }],
    run({ isGone, storage, query }) {
      const { state } = query;
      const entryId = query.entryId ?? undefined;
      const postId = query.postId ?? undefined;
      const filter = { state, entryId, postId };
      const parts = Object.values(filter).filter((value) => value !== undefined);
      return pageReply(query, (page) => listDeliveries(storage, { ...page, ...filter, isGone }), {
        listing: ["deliveries", ...parts].join("-"),
        positionOf: ({ entryId, createdAt }) => ({ key: entryId, by: createdAt }),
        show: showDelivery,
      });
    },
  }),
  operation("GET", DELIVERY_PATH, {
    operationId: "getDelivery",
    summary: "Read a delivery",
    scope: "entries:read",
    successes: [{ status: 200, schema: DELIVERY }],
    async run({ storage, param }) {
      const delivery = await getDelivery(storage, param);
      return delivery === undefined ? "delivery_not_found" : jsonReply(200, showDelivery(delivery));
    },
  }),
  operation("GET", `${DELIVERY_PATH}/failures`, {
    operationId: "listDeliveryFailures",
    summary: "List whom a delivery did not reach",
    description: "Lists these recipients by address, with the reply of the relay.",
    scope: "entries:read",
    alsoScopes: ["subscriptions:read"],
    query: PAGE_FIELDS,
    successes: [{ status: 200, description: "A page of failures.", page: DELIVERY_FAILURE }],
    async run({ storage, param, query }) {
      const delivery = await getDelivery(storage, param);
      if (delivery === undefined) return "delivery_not_found";
      const { deliveryId, entryId: key } = delivery;
      return await pageReply(query, (page) => listDeliveryFailures(storage, key, page), {
        listing: `failures-${deliveryId}`,
        positionOf: ({ failureId }) => ({ key: failureId }),
        show: showDeliveryFailure,
      });
    },
  }),
  controlOperation(
    "pause",
    "Pause a delivery",
    "Sends no further mail until the delivery is resumed.",
  ),
  controlOperation("resume", "Resume a delivery", "Continues a delivery that is paused or held."),
  controlOperation(
    "cancel",
    "Cancel a delivery",
    "Ends the delivery for good. Mails that were sent stay sent.",
  ),
  controlOperation(
    "retry",
    "Retry a delivery",
    "Mails the people again whom a delivery that is done did not reach, and who are subscribed or " +
      "ask to be told still. An entry must still be published.",
  ),
];

function controlOperation(action: DeliveryAction, summary: string, description: string): Operation {
  return operation("POST", `${DELIVERY_PATH}/${action}`, {
    operationId: `${action}Delivery`,
    summary,
    description:
      `${description} Needs \`entries:publish\`, or \`posts:publish\` for the delivery ` +
      "of a post. Without `entries:read`, the response has only `deliveryId`, `state`, `finishedAt` " +
      "and `changed`.",
    scope: "any",
    successes: [{ status: 200, schema: RESULT }],
    problems: ["insufficient_scope"],
    async run({ storage, param, caller, now, worker }) {
      if (!CONTROL_SCOPES.some((scope) => grantsScope(caller.scopes, scope))) {
        return insufficientScope(CONTROL_SCOPES.slice(0, 1));
      }
      const found = await getDelivery(storage, param);
      if (found === undefined) return "delivery_not_found";
      const scope = CONTROL_SCOPES[found.postId === null ? 0 : 1];
      if (!grantsScope(caller.scopes, scope)) return insufficientScope([scope]);
      const outcome = await controlDelivery(storage, found, { action, at: now.text });
      if (outcome === undefined) return "delivery_not_found";
      const { delivery, changed } = outcome;
      if (changed) worker?.wake();
      const shown = readablePart(showDelivery(delivery), caller, {
        scope: "entries:read",
        fields: ["deliveryId", "state", "finishedAt"],
      });
      return jsonReply(200, { ...shown, changed });
    },
  });
}
