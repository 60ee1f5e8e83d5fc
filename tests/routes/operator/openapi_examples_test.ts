import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { Ajv2020 } from "ajv/2020";
import addFormats from "ajv-formats";
import { createDelivery, showDelivery } from "../../../model/deliveries/delivery.ts";
import { EXAMPLE_TIME } from "../../../model/values/time.ts";
import type { DescribedOperation } from "../../../routes/operator/docs/operation.ts";
import type { ResponseObject } from "../../../routes/operator/openapi/types.ts";
import {
  api,
  createDescribed,
  DESCRIBED,
  exampleOf,
  follow,
  pathOf,
  SESSION,
} from "../../_support/openapi.ts";
import { forEachRow } from "../../_support/rows.ts";
import { JSON_TYPE } from "../../_support/service.ts";

// Members with random values, or values that depend on earlier calls. They differ from the example.
const DIFFERENT = [
  ...[
    "webhookId",
    "deliveryId",
    "changed",
    "secret",
    "messageId",
    "memberId",
    "body",
    "replayed",
    "keyId",
    "key",
    "hint",
    "state",
    "publishedAt",
  ],
  ...["imageId", "path", "type", "width", "height", "bytes"],
  ...["createdBy", "updatedBy", "publishedBy", "addedBy", "publicUrl"],
  ...[
    "recipients",
    "sent",
    "failed",
    "deferred",
    "skipped",
    "asked",
    "askedSubscribed",
    "told",
    "startedAt",
    "finishedAt",
    "requestId",
  ],
  ...["votes", "bySource", "byDomain", "logo", "logoDark"],
  ...["subscribers", "entries", "images", "deliveries", "webhooks", "attention"],
  ...["open", "held", "reported", "unanswered", "members"],
];

// Their lists are empty here, as every mail arrives and nobody reports a post.
const UNREACHED = ["listDeliveryFailures", "listReports"];

// Their answers differ from the example: votes of a post are set aside or elsewhere, the list has
// the deliveries of the post and of the entry, and the sums lack what nobody asked for.
const MOVED = [
  ...["setDomainAside", "unmergePost", "mergePost", "withdrawVotesOfKey"],
  ...["listDeliveries", "summarizeVotes"],
  ...["createMember", "inviteMember"],
];

const PROBLEM = "#/components/schemas/Problem";

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(api, "api");

describe("the examples described", () => {
  it("exist for every operation, and are answered as described, in a form and in JSON", async () => {
    const described = DESCRIBED.map(({ operation }) => operation.operationId);
    assertEquals(SESSION.toSorted(), described.toSorted(), "SESSION is to name each");
    const worker = { wake() {}, sendTest: () => Promise.resolve({ state: "sent" } as const) };
    for (const index of [0, 1]) {
      const { send, call } = createDescribed({ worker });
      const ids: Record<string, string> = {};
      await forEachRow(SESSION, async (operationId) => {
        const described = DESCRIBED.find(({ operation }) => operation.operationId === operationId)!;
        if (operationId === "mergePost") {
          const other = { postId: "q7w2c5tn", title: "Night colours" };
          await call("POST", "boards/feature-requests/posts", other);
        }
        const path = pathOf(described, ids);
        const response = await send(described.method, path, exampleOf(described, index));
        const content = await checkAnswer(described, response);
        for (const name of ["keyId", "webhookId", "messageId", "imageId", "memberId"]) {
          if (typeof content[name] === "string") ids[name] ??= content[name];
        }
      });
    }
  });

  it("allow a delivery without an entry, as that of a week is", () => {
    const week = createDelivery("week:2026-W48", EXAMPLE_TIME, { week: "2026-W48", contents: [] });
    assertValid(showDelivery(week), { $ref: "#/components/schemas/Delivery" });
  });

  it("match their schemas", async () => {
    const { schemas, examples: problems } = api.components;
    // This problem is that of pages, which are not described.
    const codes = schemas.Problem.properties?.code.enum?.filter((code) =>
      code !== "foreign_origin"
    );
    assertEquals(Object.keys(problems), codes);
    for (const { value } of Object.values(problems)) assertValid(value, { $ref: PROBLEM });
    await forEachRow(Object.entries(schemas), ([name, { examples = [] }]) => {
      for (const example of examples) {
        assertValid(example, { $ref: `#/components/schemas/${name}` });
      }
    });
  });
});

/** Checks the status, headers and content of a response against the description. */
async function checkAnswer(
  { operation: { operationId, responses } }: DescribedOperation,
  response: Response,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = responses[response.status];
  assert(answer !== undefined, `${operationId} answers ${response.status}, which is not described`);
  const { headers, content = {} } = follow<ResponseObject>(answer);
  const mediaType = response.headers.get("content-type")?.split(";")[0];
  const described = Object.keys(headers).map((name) => name.toLowerCase());
  const unlisted = ["content-type", "connection", "content-length"];
  const sent = [...response.headers.keys()].filter((name) => !unlisted.includes(name));
  // Pages and logos have a security policy for browsers.
  if (!/^text\/html$|^image\//.test(`${mediaType}`)) {
    assertEquals(sent.filter((name) => !described.includes(name)), []);
  }
  for (const name of ["x-request-id", "cache-control", "x-content-type-options"]) {
    assert(described.includes(name) && sent.includes(name));
  }
  const text = await response.text();
  if (mediaType === undefined) assertEquals([content, text], [{}, ""]);
  if (mediaType === undefined) return {};
  const media = content[mediaType];
  assert(media !== undefined, `${operationId} answers ${mediaType}, which is not described`);
  if (mediaType !== JSON_TYPE && mediaType !== "application/problem+json") return {};
  const value = JSON.parse(text);
  assertValid(value, media.schema);
  const isShown = media.example !== undefined && ![...UNREACHED, ...MOVED].includes(operationId);
  if (isShown) assertEquals(hideDifferent(value), hideDifferent(media.example));
  return value;
}

function assertValid(value: unknown, schema: object): void {
  // References are relative to the description, which has another name in this validator.
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/'));
  const validate = ajv.compile(absolute);
  assert(validate(value), ajv.errorsText(validate.errors));
}

function hideDifferent(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, inner) => {
    const isDrawn = DIFFERENT.includes(name) || /\/(?:preview|bounces)\//.test(inner);
    return isDrawn ? "…" : inner;
  }));
}
