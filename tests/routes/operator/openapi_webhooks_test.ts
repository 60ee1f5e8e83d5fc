import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { Ajv2020 } from "ajv/2020";
import addFormats from "ajv-formats";
import { EVENT_TYPES } from "../../../model/webhooks/webhook_event.ts";
import { createPost } from "../../../services/posts/create.ts";
import { addReport } from "../../../services/posts/reports.ts";
import { api } from "../../_support/openapi.ts";
import { forEachRow } from "../../_support/rows.ts";
import { JSON_TYPE, START } from "../../_support/service.ts";
import { createWebhookService, subscribe, WEBHOOKS } from "../../_support/webhooks.ts";

const IDEA = { boardId: "ideas", postId: "dark" } as const;

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(api, "api");

/** Checks a message against the description of its type, which must name all members. */
function assertDescribed(message: { readonly type: string; readonly data: unknown }): void {
  const described = api.webhooks[message.type];
  assert(described !== undefined, `${message.type} is not described`);
  const { schema } = described.post.requestBody.content[JSON_TYPE];
  const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')));
  assert(validate(message), ajv.errorsText(validate.errors));
  const name = `${schema.properties?.data.$ref}`.split("/").at(-1)!;
  const properties = Object.keys(api.components.schemas[name].properties ?? {});
  assertEquals(Object.keys(message.data as object).sort(), properties.sort());
}

describe("the messages to webhooks", () => {
  it("are described, of every type, and sent as described", async () => {
    const service = createWebhookService();
    const { webhookId } = await service.create();
    const { call, send } = service;
    await subscribe(service, "ann@example.com");
    await call("PUT", "changelogs/subscribe", {
      userEmail: "ann@example.com",
      userName: "Ann",
      subscribe: true,
    });
    await subscribe(service, "ann@example.com", false);
    await call("POST", "changelogs/entries", { entryId: "a", title: "A", body: "", labels: "new" });
    await call("POST", "changelogs/entries/a/publish", { notify: false });
    await call("PATCH", "changelogs/entries/a", { title: "B" });
    await call("POST", "changelogs/entries/a/unpublish");
    await call("POST", "boards", { boardId: "ideas", name: "Ideas", visibility: "public" });
    await call("POST", "boards/ideas/posts", { postId: "dark", title: "Dark mode" });
    await call("PATCH", "boards/ideas/posts/dark", { answer: "Soon." });
    await call("POST", "boards/ideas/posts", { postId: "night", title: "Night" });
    await addReport(service.storage, { ...IDEA, reason: "Rude", at: START });
    await createPost(service.storage, {
      ...{ ...IDEA, postId: "wait", title: "Wait", body: null, source: "form", at: START },
      ...{ keyId: null, author: { userEmail: "ann@example.com", userName: null, notify: false } },
    });
    await call("POST", "boards/ideas/posts/dark/merge", { into: "night" });
    await send("DELETE", "boards/ideas/posts/dark");
    await call("POST", `${WEBHOOKS}/${webhookId}/test`);
    const posts = await service.deliver();
    await send("DELETE", "changelogs/subscribers/ann@example.com");
    const messages = [...posts, ...await service.deliver()].map(({ message }) => message);
    const types = [...EVENT_TYPES, "test"].sort();
    assertEquals([...new Set(messages.map(({ type }) => type))].sort(), types);
    assertEquals(Object.keys(api.webhooks).sort(), types);
    await forEachRow(messages, assertDescribed);
  });

  it("have examples that are as described", () =>
    forEachRow(Object.values(api.webhooks), ({ post }) => {
      const { example } = post.requestBody.content[JSON_TYPE];
      assertDescribed(example as Parameters<typeof assertDescribed>[0]);
    }));
});
