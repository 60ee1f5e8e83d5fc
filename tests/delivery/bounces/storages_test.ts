import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Storage } from "../../../mod.ts";
import { BOUNCE_COUNTS } from "../../../model/kinds.ts";
import { addMs } from "../../../model/values/time.ts";
import { hasExpired, removeExpired } from "../../../services/removals.ts";
import { ANN, DAY_MS, startBouncing } from "../../_support/bounces/service.ts";
import { START } from "../../_support/service.ts";
import { STORAGES } from "../../_support/storages.ts";

const BOB = "bob@example.com";

/**
 * Posts failures concurrently, then again, then the one that exceeds the limit. Erases a person,
 * and lets counts expire.
 */
async function bounce(storage: Storage): Promise<void> {
  const { post, event, state, advance, send } = await startBouncing([ANN, BOB], { storage });
  const failures = Array.from({ length: 20 }, (_, number) => event("Blocked", { id: `${number}` }));
  assertEquals(await post(...failures), "0 20 0");
  assertEquals(await post(...failures, event("Blocked", { email: BOB })), "0 1 20");
  advance(8 * DAY_MS);
  // Each of these events would unsubscribe the person; only one does.
  const last = ["a", "b", "c"].map((id) => event("SoftBounce", { id }));
  assertEquals(await post(...last), "1 0 2");
  assertEquals(await state(), "false bounce");

  const counts = () => storage.list(BOUNCE_COUNTS, { limit: 10 });
  // The event that unsubscribed a person is kept, because it may come again.
  assertEquals((await counts()).map(({ userEmail }) => userEmail), [ANN, BOB]);
  const now = addMs(START, 180 * DAY_MS);
  const { transact } = storage;
  assertEquals(await hasExpired(storage, [BOUNCE_COUNTS], addMs(now, -1)), false);
  assertEquals(await hasExpired(storage, [BOUNCE_COUNTS], now), true);
  await removeExpired(storage, { kinds: [BOUNCE_COUNTS], transact }, addMs(now, -1));
  assertEquals((await counts()).length, 2);
  await removeExpired(storage, { kinds: [BOUNCE_COUNTS], transact }, now);
  assertEquals((await counts()).length, 1);
  await removeExpired(storage, { kinds: [BOUNCE_COUNTS], transact }, addMs(now, 8 * DAY_MS));
  assertEquals(await counts(), []);

  await post(event("SoftBounce", { email: BOB, id: "later" }));
  assertEquals((await counts()).length, 1);
  await send("DELETE", `changelogs/subscribers/${BOB}`);
  assertEquals(await counts(), []);
}

describe("bounces", () => {
  for (const [name, withStorage] of STORAGES) {
    it(`are counted, unsubscribe, expire and are erased in ${name}`, () => withStorage(bounce));
  }
});
