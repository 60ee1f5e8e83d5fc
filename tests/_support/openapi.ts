import type { HandlerOptions } from "../../mod.ts";
import { type DescribedOperation, listOperations } from "../../routes/operator/docs/operation.ts";
import type { Schema } from "../../model/values/json_schema.ts";
import type { OpenApi, ParameterObject, Reference } from "../../routes/operator/openapi/types.ts";
import { IMAGES } from "./images.ts";
import {
  createService,
  type FORM,
  type JSON_TYPE,
  type Sent,
  type TestService,
} from "./service.ts";

/** Creates a service with all operations, at the time of the examples, and the default limit. */
export function createDescribed(
  { worker, ...options }: Partial<HandlerOptions> = {},
): TestService {
  const publicUrl = "https://boards.example.com";
  const all = { wake() {}, askForProof() {}, ...worker };
  return createService({ rateLimit: undefined, publicUrl, signUp: true, worker: all, ...options });
}

/** The OpenAPI description of a service. */
export const api: OpenApi = await createDescribed().call("GET", "/openapi.json");
/** The operations described. */
export const DESCRIBED: readonly DescribedOperation[] = listOperations(api);

/** The operations, ordered so that each finds the records that its example names. */
export const SESSION: readonly string[] = [
  ...["createBoard", "getBoard", "listBoards", "updateBoard"],
  ...["createPost", "putVote", "getPost", "updatePost", "listPosts", "listAllPosts"],
  ...["findSimilarPosts", "listVotes", "summarizeVotes", "listReports", "deleteReports"],
  ...["getBoardFeed"],
  ...["createPersonLink"],
  ...["setDomainAside", "withdrawVotesOfKey", "unmergePost"],
  ...["exportPosts", "importPosts"],
  ...[
    "subscribe",
    "getSubscriber",
    "updateSubscriber",
    "listSubscribers",
    "importSubscribers",
  ],
  ...["createKey", "getOwnKey", "listKeys", "rotateKey", "revokeKey"],
  ...["createMember", "getMember", "listMembers", "changeMember", "inviteMember", "signOutMember"],
  ...["getMe", "changeMe", "removeMember"],
  ...["createWebhook", "getWebhook", "listWebhooks", "updateWebhook", "rotateWebhook"],
  ...["testWebhook", "listWebhookMessages", "retryWebhookMessage", "replayWebhookMessages"],
  ...["deleteWebhook"],
  ...["createEntry", "updateEntry", "publishEntry", "getEntry", "listEntries", "testEntry"],
  ...["previewEntry", "convertHtml", "createPreviewLink"],
  ...[
    "getDelivery",
    "listDeliveries",
    "listDeliveryFailures",
    "pauseDelivery",
    "resumeDelivery",
    "cancelDelivery",
    "retryDelivery",
  ],
  ...[
    "getAtomFeed",
    "getJsonFeed",
    "getLogo",
    "getDarkLogo",
    "getSitemap",
    "getRobotsFile",
    "getWidget",
  ],
  ...["exportEntries", "importEntries"],
  ...["changeSettings", "setLogo", "setDarkLogo", "getSettings", "removeLogo", "removeDarkLogo"],
  ...["addImage", "listImages", "getImage", "showImage", "deleteImage"],
  ...[
    "unpublishEntry",
    "deleteEntry",
    "mergePost",
    "deletePost",
  ],
  ...["getBounceAddress", "postBounces", "rotateBounceAddress"],
  ...["rotatePeopleKeys"],
  ...["eraseSubscriber", "deleteBoard"],
  ...["getStats", "getMetrics", "getLiveness", "getReadiness", "getOpenApi", "getDocs"],
];

/** Resolves a reference; returns other values as they are. */
export function follow<T extends object>(value: T | Reference): T {
  if (!("$ref" in value)) return value;
  const names = value.$ref.split("/").slice(1);
  return names.reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], api) as T;
}

/** Lists the parameters of an operation in one location, such as `query`. */
export function parametersOf(
  { operation }: DescribedOperation,
  place: ParameterObject["in"],
): readonly ParameterObject[] {
  return operation.parameters.map((parameter) => follow<ParameterObject>(parameter))
    .filter((parameter) => parameter.in === place);
}

/** Returns the fields of a body in a form or in JSON; empty if the body has another form. */
export function fieldsOf(
  { operation }: DescribedOperation,
  mediaType: typeof FORM | typeof JSON_TYPE,
): Readonly<Record<string, Schema>> {
  return operation.requestBody?.content[mediaType]?.schema.properties ?? {};
}

/** Returns the path of an operation. Missing parameters get the values of their examples. */
export function pathOf(
  described: DescribedOperation,
  params: Readonly<Record<string, string>> = {},
): string {
  return parametersOf(described, "path").reduce((path, { name, schema }) => {
    const value = params[name] ?? String(schema.examples?.[0]);
    return path.replace(`{${name}}`, encodeURIComponent(value));
  }, described.path);
}

/** Returns the example body of an operation for its first or second media type. */
export function exampleOf({ operation }: DescribedOperation, index: number): Sent {
  const content = Object.entries(operation.requestBody?.content ?? {})[index];
  if (content === undefined) return {};
  const [mediaType, { example }] = content;
  if (mediaType in IMAGES) {
    return { body: IMAGES[mediaType], headers: { "content-type": mediaType } };
  }
  const body = typeof example === "string"
    ? example
    : mediaType === "application/json"
    ? JSON.stringify(example)
    : `${new URLSearchParams(example as Record<string, string>)}`;
  return { body, headers: { "content-type": mediaType } };
}
