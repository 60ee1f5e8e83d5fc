import { showDelivery } from "../model/delivery.ts";
import { type DeliveryAction, getDelivery, steerDelivery } from "../services/deliveries.ts";
import { type Operation, operation } from "./_operation.ts";
import { Problem } from "./_problem.ts";
import { jsonReply } from "./_reply.ts";

const PATH = "/api/v1/changelogs/entries/:entryId/delivery";
const COMMON = {
  tag: "Changelog entries",
  params: {
    entryId: { description: "The identifier of the entry.", examples: ["dark-mode"] },
  },
  successes: [{ status: 200, description: "The delivery as it is now.", schema: "Delivery" }],
  problems: ["delivery_not_found"],
} as const;

const NOT_FOUND = new Problem("delivery_not_found", "The entry is not being mailed, and was not");

/** The operations on the deliveries of entries by mail. */
export const deliveryOperations: readonly Operation[] = [
  operation({
    ...COMMON,
    method: "GET",
    path: PATH,
    operationId: "getDelivery",
    summary: "Read the delivery of an entry",
    description: "Returns how far the mailing of an entry to its subscribers has got.",
    scope: "entries:read",
    async run({ storage, param }) {
      const delivery = await getDelivery(storage, param);
      return delivery === undefined ? NOT_FOUND : jsonReply(200, showDelivery(delivery));
    },
  }),
  steering("pause", "Pause a delivery", "Sends no further mail until the delivery is resumed."),
  steering("resume", "Resume a delivery", "Has a delivery go on that is paused or held."),
  steering(
    "cancel",
    "Cancel a delivery",
    "Ends the delivery for good. Mails that are sent stay sent.",
  ),
];

function steering(action: DeliveryAction, summary: string, description: string): Operation {
  return operation({
    ...COMMON,
    method: "POST",
    path: `${PATH}/${action}`,
    operationId: `${action}Delivery`,
    summary,
    description: `${description} A delivery that has ended stays as it is.`,
    scope: "entries:write",
    body: {},
    bodyOptional: true,
    async run({ storage, param, now }) {
      const delivery = await steerDelivery(storage, param, { action, at: now.text });
      return delivery === undefined ? NOT_FOUND : jsonReply(200, showDelivery(delivery));
    },
  });
}
