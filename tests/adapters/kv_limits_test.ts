// A transaction of Deno KV may hold 100 checks, 1,000 changes, 80 KiB of keys, 800 KiB in all.

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Storage } from "../../adapters/storage.ts";
import { DEFERRALS, SETTINGS, WEBHOOK_MESSAGES } from "../../model/kinds.ts";
import { deferMail } from "../../model/deliveries/mail_outcome.ts";
import { randomText } from "../../model/crypto/random.ts";
import { createMessage } from "../../model/webhooks/webhook_message.ts";
import { eraseSubscription } from "../../services/privacy/mail_traces.ts";
import { removeOrphans } from "../../services/deliveries/recipients.ts";
import { changeSubscription } from "../../services/subscriptions/subscriptions.ts";
import { removeExpired } from "../../services/removals.ts";
import { put } from "../_contract/calls.ts";
import { withKvStorage } from "../_support/kv.ts";
import { createService, START } from "../_support/service.ts";

const LATER = "2027-11-21T10:00:00.000Z";
const LONG_DOMAIN = `${`${"d".repeat(61)}.`.repeat(3)}com`;
const LONG_ID = "e".repeat(128);

/** Returns an address of the maximal length, 254 characters. */
function longAddress(i: number): string {
  return `${`${i}`.padStart(64, "a")}@${LONG_DOMAIN}`;
}

/** Stores messages to webhooks about different people, or all about one person. */
async function putMessages(
  storage: Storage,
  count: number,
  userEmail = longAddress,
): Promise<void> {
  const type = "subscriber.subscribed";
  for (let i = 0; i < count; i++) {
    const event = { type, at: START, data: randomText(9_000), userEmail: userEmail(i) } as const;
    const ids = { messageId: `msg_${randomText(24)}`, webhookId: randomText(16) };
    await put(storage, WEBHOOK_MESSAGES, createMessage(ids, event, START));
  }
}

describe("the largest transactions of Boardcast", () => {
  it("fit into one of Deno KV when 20 webhooks are told of the longest entry", () =>
    withKvStorage(async (storage) => {
      const { call } = createService({ storage, publicUrl: "https://example.com" });
      const urls = Array.from({ length: 20 }, (_, i) => `https://hooks.example.com/${i}`);
      await Promise.all(urls.map((url) => call("POST", "webhooks", { url })));
      const printable = String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 32 + i));
      const body = randomText(32_768, printable);
      await call("POST", "changelogs/entries", { entryId: LONG_ID, title: "Long", body });
      await call("POST", `changelogs/entries/${LONG_ID}/publish`, { notify: false });
      await call("PATCH", `changelogs/entries/${LONG_ID}`, { title: "Longer" });
      const messages = await storage.list(WEBHOOK_MESSAGES, { limit: 100 });
      assertEquals(messages.length, 40);
      assert(messages.every((message) => message.body.length > 32_768));
    }));

  it("fit when the longest addresses are imported, and change all at once", () =>
    withKvStorage(async (storage) => {
      const { send } = createService({ storage });
      for (const [subscribed, outcome] of [[true, "added"], [false, "changed"]] as const) {
        const rows = Array.from({ length: 250 }, (_, i) => `${longAddress(i)},,${subscribed}`);
        const response = await send("POST", "changelogs/subscribers/import", {
          headers: { "content-type": "text/csv" },
          body: ["userEmail,userName,subscribed", ...rows].join("\n"),
        });
        assertStringIncludes(await response.text(), `"${outcome}":250`);
      }
    }));

  it("fit when the longest entries are imported", () =>
    withKvStorage(async (storage) => {
      const { send } = createService({ storage });
      // A single character outside Latin-1 makes each character take two bytes.
      const body = `${"a".repeat(32_000)}\u0142`;
      const entries = Array.from({ length: 40 }, (_, i) => ({
        ...{ entryId: `${i}`.padStart(128, "e"), title: "Long", body, publishedAt: START },
      }));
      const response = await send("POST", "changelogs/entries/import", {
        headers: { "content-type": "application/json" },
        body: JSON.stringify(entries),
      });
      assertStringIncludes(await response.text(), '"added":40');
    }));

  it("fit when the longest posts and their votes are imported", () =>
    withKvStorage(async (storage) => {
      const { call, send } = createService({ storage });
      const boardId = "b".repeat(128);
      await call("POST", "boards", { boardId, name: "Long" });
      const posts = Array.from({ length: 40 }, (_, i) => ({
        postId: `${i}`.padStart(128, "p"),
        title: "\u{1F600}".repeat(120),
        body: "\u20ac".repeat(2_700),
        answer: "\u20ac".repeat(2_700),
        authorEmail: longAddress(i),
        status: "planned",
      }));
      const votes = posts.flatMap(({ postId }, i) =>
        [1, 2, 3].map((n) => ({
          ...{ postId, userEmail: longAddress(100 * n + i), userName: "\u20ac".repeat(100) },
          ...{ notify: true, why: "\u20ac".repeat(500), source: "form", at: START },
        }))
      );
      const lines = [...posts, ...votes].map((line) => JSON.stringify(line));
      const response = await send("POST", `boards/${boardId}/posts/import`, {
        headers: { "content-type": "application/x-ndjson" },
        body: lines.join("\n"),
      });
      const text = await response.text();
      assertStringIncludes(text, '"added":40');
      assertStringIncludes(text, '"votesAdded":120');
    }));

  it("fit when messages about people with the longest addresses expire", () =>
    withKvStorage(async (storage) => {
      await putMessages(storage, 150);
      await removeExpired(
        storage,
        { kinds: [WEBHOOK_MESSAGES], transact: storage.transact },
        LATER,
      );
      assertEquals(await storage.list(WEBHOOK_MESSAGES, { limit: 1 }), []);
    }));

  it("fit when the person of the longest address is erased with all messages", () =>
    withKvStorage(async (storage) => {
      const userEmail = longAddress(1);
      const change = { userEmail, userName: null, subscribe: true, source: "api" } as const;
      await changeSubscription(storage, { ...change, at: START });
      await putMessages(storage, 150, () => userEmail);
      assertEquals(await eraseSubscription(storage, userEmail, { at: LATER }), true);
      assertEquals(await storage.list(WEBHOOK_MESSAGES, { limit: 1 }), []);
    }));

  it("fit when a delivery is gone that was to try the longest addresses again", () =>
    withKvStorage(async (storage) => {
      for (let i = 0; i < 150; i++) {
        const ids = { entryId: LONG_ID, userEmail: longAddress(i) };
        await put(storage, DEFERRALS, deferMail(ids, 1, START)!);
      }
      await removeOrphans(storage, storage.transact);
      assertEquals(await storage.list(DEFERRALS, { limit: 1 }), []);
    }));
});

it("kv storage refuses a transaction that is too large for Deno KV, and changes nothing", () =>
  withKvStorage(async (storage) => {
    const keys = Array.from({ length: 20 }, (_, i) => `k${i}`);
    const refs = Object.fromEntries(keys.map((key) => [key, { kind: SETTINGS, key }]));
    const records = (size: number) =>
      Object.fromEntries(
        keys.map((settingId) => [settingId, { settingId, value: randomText(size) }]),
      );
    const error = await assertRejects(
      () => storage.transact(refs, () => ({ answer: 0, put: records(60_000) })),
    );
    assertStringIncludes(`${error}`, "Deno KV takes at most 819200 bytes in one transaction, not");
    assertEquals((error as { code?: string }).code, "incompatible");
    assertEquals(await storage.list(SETTINGS, { limit: 1 }), []);
    await storage.transact(refs, () => ({ answer: 0, put: records(20_000) }));
  }));
