import { assertEquals, assertStrictEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import fc from "fast-check";
import { applyBoardChange, type Board } from "../model/board.ts";
import type { ApiKey } from "../model/api_key.ts";
import {
  applySubscriptionChange,
  SUBSCRIPTION_SOURCES,
  type SubscriptionChange,
} from "../model/subscription.ts";
import { addMs } from "../model/time.ts";
import { API_KEYS, openMemoryStorage, type Storage, SUBSCRIPTIONS } from "../mod.ts";
import {
  createKey,
  findKey,
  getKey,
  listKeys,
  recordKeyUse,
  revokeKey,
  rotateKey,
} from "../services/api_keys.ts";
import { deleteBoard, getBoard, updateBoard } from "../services/boards.ts";
import { decideIf } from "../services/conditional.ts";
import { eraseSubscription } from "../services/erasure.ts";
import { changeSubscription } from "../services/subscriptions.ts";
import { forEachRow } from "./_rows.ts";

const AT = "2026-11-21T10:00:00.000Z";
const LATER = "2026-11-21T11:00:00.000Z";
const ANN = "ann@example.com";
const BOARD: Board = {
  boardId: "ideas",
  name: "Ideas",
  description: "What next?",
  url: "https://example.com/ideas",
  createdAt: AT,
  updatedAt: AT,
};
const REQUEST = { name: "Key", scopes: ["boards:read"], expiresAt: null } as const;

/**
 * Storage in memory that decides on each transaction twice, as one does that others come before, and
 * tells how many records each transaction changed.
 */
function openRetrying(): Storage & { readonly changed: number[] } {
  const storage = openMemoryStorage();
  const changed: number[] = [];
  return {
    ...storage,
    changed,
    transact: (refs, decide) =>
      storage.transact(refs, (found) => {
        const before = structuredClone(found);
        const decision = decide(found);
        assertEquals(decide(found), decision, "a decision depends on what it is given alone");
        assertEquals(found, before, "a decision changes nothing of what it is given");
        const { put = {}, remove = [] } = decision;
        const stored = Object.entries(put).filter(([name, next]) =>
          next !== undefined && next !== found[name]
        );
        const removed = remove.filter((name) => found[name] !== undefined);
        changed.push(stored.length + removed.length);
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
  const stored = fc.record({
    userEmail: fc.constant(ANN),
    userName: name,
    subscribed: fc.boolean(),
    source,
    createdAt: fc.constant(AT),
    updatedAt: fc.constant(AT),
  });

  it("holds for every change of every subscription", () => {
    fc.assert(fc.property(fc.option(stored, { nil: undefined }), change, (before, asked) => {
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

describe("the rule of a board", () => {
  it("changes the fields given and updatedAt, or returns the board itself", async () => {
    await forEachRow([
      [{}, {}],
      [{ name: undefined, description: undefined, url: undefined }, {}],
      [{ name: "Ideas", description: "What next?", url: "https://example.com/ideas" }, {}],
      [{ name: "Wishes" }, { name: "Wishes" }],
      [{ description: "Else" }, { description: "Else" }],
      [{ description: null }, { description: null }],
      [{ description: "" }, { description: null }],
      [{ url: "https://example.com/" }, { url: "https://example.com/" }],
      [{ url: null }, { url: null }],
    ], ([fields, changed]) => {
      const after = applyBoardChange(BOARD, { ...fields, at: LATER });
      if (Object.keys(changed).length === 0) return assertStrictEquals(after, BOARD);
      assertEquals(after, { ...BOARD, ...changed, updatedAt: LATER });
    });
  });
});

describe("a condition", () => {
  it("is judged before the change is decided on", () => {
    const seen: unknown[] = [];
    const decide = (current: string) => ({ answer: seen.push(current) });
    assertEquals(decideIf(undefined, () => true, decide), { answer: "not_found" });
    assertEquals(decideIf("a", () => false, decide), { answer: "precondition_failed" });
    assertEquals([decideIf("b", (current) => current === "b", decide), seen], [
      { answer: 1 },
      ["b"],
    ]);
  });
});

describe("boards", () => {
  it("are not looked for under an id that none can have", async () => {
    const refuse = () => Promise.reject(new Error("asked"));
    const storage = { ...openMemoryStorage(), get: refuse, transact: refuse };
    await forEachRow(["", "-a", "a b", "x".repeat(129), "a\0"], async (boardId) => {
      const change = { change: { at: AT }, isExpected: () => true };
      assertEquals(await getBoard(storage, boardId), undefined);
      assertEquals(await updateBoard(storage, boardId, change), "not_found");
      assertEquals(await deleteBoard(storage, boardId, () => true), "not_found");
    });
  });
});

describe("subscriptions", () => {
  it("are stored only if changed, and erased whole", async () => {
    const storage = openRetrying();
    const change = { userEmail: ANN, userName: null, subscribe: false, source: "api" } as const;
    const first = await changeSubscription(storage, { ...change, at: AT });
    assertEquals([first.previous, first.changed], [undefined, true]);
    const second = await changeSubscription(storage, { ...change, at: LATER });
    const { subscription } = first;
    assertEquals(second, { subscription, previous: subscription, changed: false });
    assertEquals(await eraseSubscription(storage, ANN, AT), true);
    assertEquals(await eraseSubscription(storage, ANN, AT), false);
    assertEquals(await storage.get(SUBSCRIPTIONS, ANN), undefined);
    assertEquals(storage.changed, [1, 0, 1, 0]);
  });
});

describe("API keys", () => {
  it("are found by the whole digest, and listed by age", async () => {
    const storage = openRetrying();
    const names = ["a", "b", "c"];
    for (const [index, name] of names.entries()) {
      await createKey(storage, { ...REQUEST, name }, addMs(AT, -index));
    }
    const listed = await listKeys(storage, { limit: 9 });
    assertEquals(listed.map(({ name }) => name), names.toReversed());
    const [key] = listed;
    assertEquals([await findKey(storage, key.hash), await getKey(storage, key.keyId)], [key, key]);
    assertEquals(await findKey(storage, `${key.keyId}${"0".repeat(48)}`), undefined);
  });

  it("never take the place of another with the same identifier", async () => {
    const storage = openMemoryStorage();
    const { digest } = crypto.subtle;
    const fills = [1, 1, 2];
    crypto.subtle.digest = () => Promise.resolve(new Uint8Array(32).fill(fills.shift()!).buffer);
    try {
      const first = await createKey(storage, REQUEST, AT);
      const second = await createKey(storage, REQUEST, AT);
      assertEquals([first.key.keyId, second.key.keyId], ["01".repeat(8), "02".repeat(8)]);
      assertEquals(await getKey(storage, first.key.keyId), first.key);
    } finally {
      crypto.subtle.digest = digest;
    }
  });

  it("are rotated once, the old key and its successor in one step", async () => {
    const hour = 3_600_000;
    await forEachRow<readonly [expiresAt: string | null, overlapMs: number, Partial<ApiKey>]>([
      [null, 0, { revokedAt: LATER }],
      [null, hour, { expiresAt: addMs(LATER, hour) }],
      [addMs(LATER, 2 * hour), hour, { expiresAt: addMs(LATER, hour) }],
      [addMs(LATER, 1_000), hour, {}],
      [null, 1e16, { expiresAt: "9999-12-31T23:59:59.999Z" }],
    ], async ([expiresAt, overlapMs, ended]) => {
      const storage = openRetrying();
      const { key: old } = await createKey(storage, { ...REQUEST, expiresAt }, AT);
      const issued = await rotateKey(storage, old, { at: LATER, overlapMs });
      if (typeof issued === "string") throw new Error(issued);
      const { keyId } = issued.key;
      assertEquals(await getKey(storage, keyId), issued.key);
      assertEquals(await getKey(storage, old.keyId), { ...old, ...ended, successorId: keyId });
      const again = await rotateKey(storage, old, { at: LATER, overlapMs });
      assertEquals(again, overlapMs === 0 ? "ended" : "succeeded");
      assertEquals(storage.changed, [1, 2, 0]);
    });
    const storage = openRetrying();
    const { key } = await createKey(storage, { ...REQUEST, expiresAt: LATER }, AT);
    const rotation = { at: LATER, overlapMs: 0 };
    assertEquals(await rotateKey(storage, key, rotation), "ended");
    assertEquals(await rotateKey(storage, { ...key, keyId: "none" }, rotation), "unknown");
    assertEquals(await storage.list(API_KEYS, { limit: 9 }), [key]);
  });

  it("are revoked once, at the first time", async () => {
    const storage = openRetrying();
    const { key: { keyId } } = await createKey(storage, REQUEST, AT);
    assertEquals([await revokeKey(storage, keyId, AT), await revokeKey(storage, keyId, LATER)], [
      true,
      true,
    ]);
    assertEquals((await getKey(storage, keyId))?.revokedAt, AT);
    assertEquals(await revokeKey(storage, "none", AT), false);
    assertEquals(storage.changed, [1, 1, 0, 0]);
  });

  it("keep the latest minute of their use", async () => {
    const storage = openRetrying();
    const { key: { keyId } } = await createKey(storage, REQUEST, AT);
    for (const minute of [AT, LATER, AT, LATER]) await recordKeyUse(storage, keyId, minute);
    assertEquals((await getKey(storage, keyId))?.lastUsedAt, LATER);
    await recordKeyUse(storage, "none", AT);
    assertEquals(storage.changed, [1, 1, 1, 0, 0, 0]);
  });
});
