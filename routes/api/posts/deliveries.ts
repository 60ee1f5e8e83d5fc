import { answer, exampleOf, text, textOrNull, withSchema } from "../../../model/declare.ts";
import { DELIVERY, showDelivery } from "../../../model/deliveries/delivery.ts";
import {
  DELIVERY_FAILURE,
  showDeliveryFailure,
} from "../../../model/deliveries/delivery_failure.ts";
import { POST } from "../../../model/posts/post.ts";
import {
  controlDelivery,
  type DeliveryAction,
  getDelivery,
} from "../../../services/deliveries/deliveries.ts";
import { listDeliveryFailures } from "../../../services/deliveries/failures.ts";
import { readablePart } from "../../_http/credentials.ts";
import { type Operation, operation } from "../../_http/operation.ts";
import { PAGE_FIELDS, pageReply } from "../../_http/page.ts";
import type { ProblemCode } from "../../_http/problem.ts";
import { jsonReply } from "../../_http/reply.ts";
import { POST_PATH, type PostTarget, readPost, TEAM_SCOPE } from "./_posts.ts";

const DELIVERY_PATH = `${POST_PATH}/delivery`;
const TOLD_EXAMPLE = { postId: exampleOf(POST.fields).postId, asked: 41, told: 41 };
const POST_DELIVERY = answer("PostDelivery", "The mailing of a post.", {
  ...DELIVERY.fields,
  entryId: textOrNull("`null`: it is not the mailing of an entry.", null),
  postId: text("The post that those who asked are told of.", exampleOf(POST.fields).postId),
  posts: withSchema(DELIVERY.fields.posts, { examples: [[TOLD_EXAMPLE]] }),
});
const SHOWS_DELIVERY = { successes: [{ status: 200, schema: POST_DELIVERY }] } as const;

/** The operations on the newest delivery of a post. */
export const postDeliveryOperations: readonly Operation[] = [
  operation("GET", DELIVERY_PATH, {
    ...SHOWS_DELIVERY,
    operationId: "getPostDelivery",
    summary: "Read the delivery of a post",
    description: "Returns the newest mailing to the people who asked to be told of the post.",
    scope: "posts:read",
    problems: ["delivery_not_found"],
    async run(context) {
      const found = await readKey(context);
      if ("problem" in found) return found.problem;
      const delivery = await getDelivery(context.storage, found.key);
      return delivery === undefined ? "delivery_not_found" : jsonReply(200, showDelivery(delivery));
    },
  }),
  operation("GET", `${DELIVERY_PATH}/failures`, {
    operationId: "listPostDeliveryFailures",
    summary: "List whom the delivery of a post did not reach",
    description: "Lists these recipients by address, with the reply of the relay.",
    scope: "posts:read",
    alsoScopes: ["subscriptions:read"],
    query: PAGE_FIELDS,
    successes: [{ status: 200, description: "A page of failures.", page: DELIVERY_FAILURE }],
    problems: ["delivery_not_found"],
    async run(context) {
      const { storage, query } = context;
      const found = await readKey(context);
      if ("problem" in found) return found.problem;
      const { key } = found;
      return await pageReply(query, (page) => listDeliveryFailures(storage, key, page), {
        listing: `failures-${key}`,
        positionOf: ({ failureId }) => ({ key: failureId }),
        show: showDeliveryFailure,
      });
    },
  }),
  steering(
    "pause",
    "Pause the delivery of a post",
    "Sends no further mail until the delivery is resumed.",
  ),
  steering(
    "resume",
    "Resume the delivery of a post",
    "Continues a delivery that is paused or held.",
  ),
  steering(
    "cancel",
    "Cancel the delivery of a post",
    "Ends the delivery for good. Mails that were sent stay sent.",
  ),
  steering(
    "retry",
    "Retry the delivery of a post",
    "Mails the people again whom the delivery did not reach and who still ask to be told. " +
      "A delivery that is done runs again.",
  ),
];

function steering(action: DeliveryAction, summary: string, description: string): Operation {
  return operation("POST", `${DELIVERY_PATH}/${action}`, {
    ...SHOWS_DELIVERY,
    operationId: `${action}PostDelivery`,
    summary,
    description: `${description}${
      action === "retry" ? "" : " A delivery that has ended stays as it is."
    } Without \`posts:read\`, the answer has only \`postId\`, \`state\` and \`finishedAt\`.`,
    scope: TEAM_SCOPE,
    problems: ["delivery_not_found"],
    async run(context) {
      const { storage, caller, now, worker } = context;
      const found = await readKey(context);
      if ("problem" in found) return found.problem;
      const delivery = await controlDelivery(storage, found.key, { action, at: now.text });
      worker?.wake();
      if (delivery === undefined) return "delivery_not_found";
      const shown = readablePart(showDelivery(delivery), caller, {
        scope: "posts:read",
        fields: ["postId", "state", "finishedAt"],
      });
      return jsonReply(200, shown);
    },
  });
}

/** Returns the key of the newest delivery of the post that a path names, or the problem. */
async function readKey(
  target: PostTarget,
): Promise<{ readonly key: string } | { readonly problem: ProblemCode }> {
  const found = await readPost(target);
  if (typeof found === "string") return { problem: found };
  const { deliveryKey } = found.post;
  return deliveryKey === null ? { problem: "delivery_not_found" } : { key: deliveryKey };
}
