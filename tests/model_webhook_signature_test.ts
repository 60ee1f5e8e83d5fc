import { assertEquals, assertMatch, assertNotEquals, assertThrows } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { Webhook } from "standardwebhooks";
import { generateWebhookSecret, signWebhook } from "../model/webhook_signature.ts";

const TEXT = '{"type":"entry.published","data":{"title":"Dünkel 🌒"}}';
const BODY = new TextEncoder().encode(TEXT);
const ID = "msg_2f8c";

async function headersFor(secrets: readonly string[]): Promise<Record<string, string>> {
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  return {
    "webhook-id": ID,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": await signWebhook(secrets, { id: ID, timestampSeconds, body: BODY }),
  };
}

describe("signWebhook", () => {
  it("gives a signature published for a known secret", async () => {
    const signature = await signWebhook(["whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"], {
      id: "msg_27UH4WbU6Z5A5EzD8u03UvzRbpk",
      timestampSeconds: 1_649_367_553,
      body: new TextEncoder().encode('{"email":"test@example.com","username":"test_user"}'),
    });
    assertEquals(signature, "v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=");
  });

  it("is accepted by either secret of two, and by no other", async () => {
    const [old, fresh, other] = [1, 2, 3].map(generateWebhookSecret);
    const headers = await headersFor([old, fresh]);
    assertMatch(headers["webhook-signature"], /^v1,[\w+/]{43}= v1,[\w+/]{43}=$/);
    for (const secret of [old, fresh]) {
      assertEquals(new Webhook(secret).verify(TEXT, headers), JSON.parse(TEXT));
    }
    assertThrows(() => new Webhook(other).verify(TEXT, headers), Error, "No matching signature");
  });

  it("covers the identifier, the time and the body", async () => {
    const secret = generateWebhookSecret();
    const headers = await headersFor([secret]);
    const later = {
      ...headers,
      "webhook-timestamp": `${Number(headers["webhook-timestamp"]) + 1}`,
    };
    const verify = (text: string, changed: Record<string, string>) =>
      new Webhook(secret).verify(text, changed);
    assertThrows(() => verify(TEXT.replace("🌒", "🌓"), headers), Error, "No matching signature");
    assertThrows(() => verify(TEXT, later), Error, "No matching signature");
    assertThrows(
      () => verify(TEXT, { ...headers, "webhook-id": "msg_other" }),
      Error,
      "No matching signature",
    );
  });
});

describe("generateWebhookSecret", () => {
  it("holds 32 bytes that differ each time", () => {
    const [one, two] = [generateWebhookSecret(), generateWebhookSecret()];
    assertMatch(one, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assertNotEquals(one, two);
  });
});
