import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage } from "../mod.ts";
import { LEASES } from "../model/kinds.ts";
import { acquireLease, fence, renewLease } from "../services/leases.ts";

const at = (seconds: number) => new Date(seconds * 1_000).toISOString();

describe("a lease", () => {
  it("has one owner at a time, and a greater token each time", async () => {
    const storage = openMemoryStorage();
    const acquire = async (owner: string, seconds: number) =>
      (await acquireLease(storage, "mail", { owner, now: at(seconds), durationMs: 20_000 }))
        ?.token;
    assertEquals(await acquire("a", 0), 1);
    assertEquals(await acquire("b", 19), undefined);
    assertEquals(await renewLease(storage, { leaseId: "mail", token: 1 }, at(35)), true);
    assertEquals(await acquire("b", 34), undefined);
    assertEquals(await acquire("b", 35), 2);
    // The one who lost it can't keep it, or give away another's.
    assertEquals(await renewLease(storage, { leaseId: "mail", token: 1 }, at(0)), false);
    assertEquals(await acquire("a", 36), undefined);
    assertEquals(await renewLease(storage, { leaseId: "mail", token: 2 }, at(36)), true);
    assertEquals(await acquire("a", 36), 3);
    // One that lost sight of its own may take it again.
    assertEquals(await acquire("a", 37), 4);
  });

  it("fences: who has lost it changes nothing, and is told", async () => {
    const storage = openMemoryStorage();
    const request = { owner: "a", now: at(0), durationMs: 20_000 };
    let lost = 0;
    const lease = await acquireLease(storage, "mail", request);
    const transact = fence(storage, lease!, () => lost++);
    const record = { leaseId: "x", owner: "x", token: 1, expiresAt: at(0) };
    const refs = { record: { kind: LEASES, key: "x" } };
    const put = () => transact(refs, () => ({ answer: "done", put: { record } }));
    const remove = () => transact(refs, () => ({ answer: "done", remove: ["record"] }));
    assertEquals([await put(), lost], ["done", 0]);
    await acquireLease(storage, "mail", { ...request, owner: "b", now: at(20) });
    assertEquals([await remove(), lost], [undefined, 1]);
    assertEquals(await storage.get(LEASES, "x"), record);
  });
});
