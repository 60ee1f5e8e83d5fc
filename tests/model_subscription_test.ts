import { assertEquals, assertStrictEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import fc from "fast-check";
import { applySubscriptionChange, type Subscription } from "../model/subscription.ts";

const AT = "2026-11-21T10:00:00.000Z";
const LATER = "2026-11-21T11:00:00.000Z";

const name = fc.constantFrom(null, "Ann", "Bob");
const change = fc.record({
  userEmail: fc.constant("ann@example.com"),
  userName: name,
  subscribe: fc.boolean(),
  at: fc.constant(LATER),
});
const stored: fc.Arbitrary<Subscription> = fc.record({
  userEmail: fc.constant("ann@example.com"),
  userName: name,
  subscribed: fc.boolean(),
  createdAt: fc.constant(AT),
  updatedAt: fc.constant(AT),
});
const current = fc.option(stored, { nil: undefined });

describe("applySubscriptionChange", () => {
  it("the state after a change is the one asked for", () => {
    fc.assert(fc.property(current, change, (before, asked) => {
      const after = applySubscriptionChange(before, asked);
      assertEquals(after.subscribed, asked.subscribe);
      assertEquals(after.userName, asked.userName ?? before?.userName ?? null);
    }));
  });

  it("a change that is repeated changes nothing", () => {
    fc.assert(fc.property(current, change, (before, asked) => {
      const once = applySubscriptionChange(before, asked);
      assertStrictEquals(
        applySubscriptionChange(once, { ...asked, at: "2030-01-01T00:00:00.000Z" }),
        once,
      );
    }));
  });

  it("updatedAt moves exactly when the state or the name changes, createdAt never", () => {
    fc.assert(fc.property(stored, change, (before, asked) => {
      const after = applySubscriptionChange(before, asked);
      const same = after.subscribed === before.subscribed && after.userName === before.userName;
      assertEquals([after === before, after.updatedAt], [same, same ? AT : LATER]);
      assertEquals(after.createdAt, AT);
    }));
  });

  it("a new address is recorded in the state asked for, with one time", () => {
    fc.assert(fc.property(change, (asked) => {
      const { createdAt, updatedAt, subscribed } = applySubscriptionChange(undefined, asked);
      assertEquals([createdAt, updatedAt, subscribed], [LATER, LATER, asked.subscribe]);
    }));
  });

  it("an opt-out stays when it is to be kept, though the name may change", () => {
    fc.assert(fc.property(current, change, (before, asked) => {
      const after = applySubscriptionChange(before, { ...asked, keepUnsubscribed: true });
      const optedOut = before?.subscribed === false;
      assertEquals(after.subscribed, optedOut ? false : asked.subscribe);
      assertEquals(after.userName, asked.userName ?? before?.userName ?? null);
    }));
  });

  it("records are never changed in place", () => {
    fc.assert(fc.property(current, change, (before, asked) => {
      const copy = structuredClone(before);
      applySubscriptionChange(before && Object.freeze(before), asked);
      assertEquals(before, copy);
    }));
  });
});
