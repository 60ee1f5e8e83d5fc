import { withSchema } from "../../../model/declare.ts";
import { BOARD } from "../../../model/board.ts";
import { DELIVERY } from "../../../model/deliveries/delivery.ts";
import { ENTRY } from "../../../model/entries/entry.ts";
import { IMAGE } from "../../../model/images/image.ts";
import { API_KEY } from "../../../model/keys/api_key.ts";
import { POST } from "../../../model/posts/post.ts";
import type { Field } from "../../../model/resource.ts";
import { SUBSCRIPTION } from "../../../model/subscriptions/subscription.ts";
import { MEMBER } from "../../../model/team/member.ts";
import { WEBHOOK } from "../../../model/webhooks/webhook.ts";
import { WEBHOOK_MESSAGE } from "../../../model/webhooks/webhook_message.ts";
import type { ProblemCode } from "../../_http/problem.ts";

/** The groups of operations in their order, each with its description and its paths. */
const TAGS = {
  "Boards": [
    "Places for feedback, each with its own identifier.",
    /^\/api\/v1\/boards(?:\/:boardId)?$/,
  ],
  "Posts and votes": [
    "The ideas on boards, and who wants them.",
    /^\/api\/v1\/(?:posts|people|boards\/:boardId\/)/,
  ],
  "Changelog subscriptions": [
    "Who receives changelog updates, by e-mail address.",
    /^(?:\/api\/v1\/changelogs\/subscri|(?:\/api\/v1\/changelogs)?\/bounces)/,
  ],
  "Changelog entries": [
    "What is new, as drafts and in public.",
    /^\/api\/v1\/(?:changelogs\/entries|deliveries)/,
  ],
  "Images": ["Pictures in entries.", /^\/api\/v1\/changelogs\/images/],
  "Public changelog": [
    "What everybody can read, where the server has a public URL. No key is needed.",
    /^\/(?:changelog|sitemap|robots)/,
  ],
  "Public boards": [
    "Feeds of the boards that are public, where the server has a public URL. No key is needed.",
    /^\/boards/,
  ],
  "Webhooks": [
    "Where this server sends messages about changes, as Standard Webhooks describes them.",
    /^\/api\/v1\/webhooks/,
  ],
  "API keys": [
    "Keys for programs that call this API. The secret of a key is shown once and not stored.",
    /^\/api\/v1\/keys?(?:\/|$)/,
  ],
  "Settings": [
    "What readers see on all pages, in feeds and in mails.",
    /^\/api\/v1\/settings(?:\/|$)/,
  ],
  "Team": ["The people who sign in to the studio.", /^\/api\/v1\/team(?:\/|$)/],
  "Operation": ["What an operator sees.", /^\/(?:metrics|api\/v1\/stats)/],
  "Health": ["For process managers and load balancers. No key is needed.", /^\/(?:livez|readyz)/],
  "Reference": ["Descriptions of this API. No key is needed.", /^\/(?:docs|openapi|studio)/],
} as const;

export interface PathParameter extends Pick<Field, "schema"> {
  /** The problem if nothing has this identifier. */
  readonly missing?: ProblemCode;
}

const POST_ID: PathParameter = {
  ...withSchema(POST.fields.postId, { description: "The identifier of the post." }),
  missing: "post_not_found",
};

/** The parameters of paths, by their name. */
const PARAMETERS: Readonly<Record<string, PathParameter>> = {
  boardId: {
    ...withSchema(BOARD.fields.boardId, { description: "The identifier of the board." }),
    missing: "board_not_found",
  },
  deliveryId: {
    ...withSchema(DELIVERY.fields.deliveryId, { description: "The identifier of the delivery." }),
    missing: "delivery_not_found",
  },
  domain: {
    schema: { description: "The domain of e-mail addresses.", examples: ["example.com"] },
  },
  entryId: {
    ...withSchema(ENTRY.fields.entryId, { description: "The identifier of the entry." }),
    missing: "entry_not_found",
  },
  imageId: { ...IMAGE.fields.imageId, missing: "image_not_found" },
  keyId: { ...API_KEY.fields.keyId, missing: "key_not_found" },
  memberId: { ...MEMBER.fields.memberId, missing: "member_not_found" },
  messageId: { ...WEBHOOK_MESSAGE.fields.messageId, missing: "message_not_found" },
  postId: POST_ID,
  secret: { schema: { description: "The secret of the address.", examples: ["0".repeat(32)] } },
  token: { schema: { description: "The token in the link.", examples: ["Zm9vYmFy"] } },
  userEmail: {
    ...withSchema(SUBSCRIPTION.fields.userEmail, {
      description: "The address, in any spelling that is normalised to it.",
    }),
    missing: "subscriber_not_found",
  },
  webhookId: { ...WEBHOOK.fields.webhookId, missing: "webhook_not_found" },
};

/** Describes the groups of operations. */
export function describeTags(): readonly { readonly name: string; readonly description: string }[] {
  return Object.entries(TAGS).map(([name, [description]]) => ({ name, description }));
}

/** Returns the one group of the operations of a path, as a list. */
export function tagsOf(path: string): readonly string[] {
  return Object.entries(TAGS).flatMap(([name, [, paths]]) => paths.test(path) ? name : []);
}

/** Returns the parameters of a path, by name. */
export function parametersOf(path: string): Readonly<Record<string, PathParameter>> {
  return Object.fromEntries(
    [...path.matchAll(/:(\w+)/g)].map(([, name]) => [name, PARAMETERS[name]]),
  );
}
