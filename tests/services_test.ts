import { assertEquals, assertStrictEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import fc from "fast-check";
import {
  applySubscriptionChange,
  SUBSCRIPTION_SOURCES,
  type SubscriptionChange,
} from "../model/subscription.ts";
import { openMemoryStorage, type Storage } from "../mod.ts";
import { createKey, findKey } from "../services/api_keys.ts";
import { forEachRow } from "./_rows.ts";
import { createService } from "./_service.ts";

const AT = "2026-11-21T10:00:00.000Z";
const LATER = "2026-11-21T11:00:00.000Z";
const ANN = "ann@example.com";

/** Storage in memory that decides on each transaction twice, as one does that others come before. */
function openRetrying(): Storage {
  const storage = openMemoryStorage();
  return {
    ...storage,
    transact: (refs, decide) =>
      storage.transact(refs, (found) => {
        const before = structuredClone(found);
        const decision = decide(found);
        assertEquals(decide(found), decision, "a decision depends on what it is given alone");
        assertEquals(found, before, "a decision changes nothing of what it is given");
        return decision;
      }),
  };
}

describe("the rule of a subscription", () => {
  const name = fc.constantFrom(null, "Ann", "Bob");
  const source = fc.constantFrom(...SUBSCRIPTION_SOURCES);
  const change: fc.Arbitrary<SubscriptionChange> = fc.record({
    userEmail: fc.constant(ANN),
    userName: name,
    subscribe: fc.boolean(),
    source,
    at: fc.constant(LATER),
    keepUnsubscribed: fc.constantFrom(undefined, false, true),
    createdAt: fc.constantFrom(undefined, "2020-01-01T00:00:00.000Z"),
  });
  const times = { createdAt: fc.constant(AT), updatedAt: fc.constant(AT) };
  const person = { userEmail: fc.constant(ANN), userName: name, subscribed: fc.boolean(), source };
  const stored = fc.option(fc.record({ ...person, ...times }), { nil: undefined });

  it("holds for every change of every subscription", () => {
    fc.assert(fc.property(stored, change, (before, asked) => {
      const after = applySubscriptionChange(before && Object.freeze(before), asked);
      const isKept = asked.keepUnsubscribed === true && before?.subscribed === false;
      const userName = asked.userName ?? before?.userName ?? null;
      const subscribed = isKept ? false : asked.subscribe;
      const hasMoved = subscribed !== before?.subscribed;
      const isSame = !hasMoved && userName === before?.userName;
      assertEquals(after, {
        userEmail: ANN,
        userName,
        subscribed,
        source: hasMoved || before === undefined ? asked.source : before.source,
        createdAt: before?.createdAt ?? asked.createdAt ?? LATER,
        updatedAt: isSame ? AT : LATER,
      });
      assertEquals(after === before, isSame);
      const again = { ...asked, at: "2030-01-01T00:00:00.000Z" };
      assertStrictEquals(applySubscriptionChange(after, again), after);
    }));
  });
});

describe("every decision", () => {
  it("may be made again, as storage does where another change came first", async () => {
    const storage = openRetrying();
    const { send } = createService({ storage, publicUrl: "https://example.com" });
    const { key } = await createKey(storage, { name: "K", scopes: ["*"], expiresAt: null }, AT);
    const entry = "changelogs/entries/a";
    const subscribe = { userEmail: ANN, subscribe: true };
    await forEachRow<readonly [method: string, path: string, json?: Record<string, unknown>]>([
      ["POST", "webhooks", { url: "https://hooks.example.com/" }],
      ["POST", "boards", { boardId: "ideas", name: "Ideas" }],
      ["PATCH", "boards/ideas", { name: "Wishes" }],
      ["DELETE", "boards/ideas"],
      ["PUT", "changelogs/subscribe", subscribe],
      ["PUT", "changelogs/subscribe", { ...subscribe, userName: "Ann" }],
      ["DELETE", `changelogs/subscribers/${ANN}`],
      ["POST", "changelogs/entries", { entryId: "a", title: "A", body: "" }],
      ["POST", `${entry}/publish`, { notify: true }],
      ["PATCH", entry, { title: "B" }],
      ...["pause", "resume", "cancel"].map((one) => ["POST", `${entry}/delivery/${one}`] as const),
      ["POST", `${entry}/unpublish`],
      ["DELETE", entry],
      ["POST", `keys/${key.keyId}/rotate`, { overlap: "24h" }],
      ["DELETE", `keys/${key.keyId}`],
    ], async ([method, path, json]) => {
      const response = await send(method, `/api/v1/${path}`, { json });
      assertEquals(response.ok, true, await response.text());
    });
  });
});

describe("a key", () => {
  it("is found by the whole digest, not by the start that identifies it", async () => {
    const storage = openMemoryStorage();
    const { key } = await createKey(storage, { name: "K", scopes: ["*"], expiresAt: null }, AT);
    assertEquals(await findKey(storage, key.hash), key);
    assertEquals(await findKey(storage, `${key.keyId}${"0".repeat(48)}`), undefined);
  });
});
