import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage, type Storage } from "../../mod.ts";
import { acquireLease, releaseLease, renewLease } from "../../services/leases.ts";
import { createMailerCheck, MAILER_LEASE, registerMailer } from "../../services/mailers.ts";

const MINUTE_MS = 60_000;
const REQUEST = { owner: "another", durationMs: 2 * MINUTE_MS, isDead: () => false };

describe("what is published is known to be mailed", () => {
  it("by a process elsewhere, while it shows that it lives, and until it ends", async () => {
    // Several processes may share this storage, like a database.
    const storage: Storage = { ...openMemoryStorage(), isExclusive: undefined };
    let nowMs = 0;
    const elapsed = () => nowMs;
    const check = createMailerCheck(storage, { hasWorker: true, elapsed });
    assertEquals(await check(), false);
    const lease = (await acquireLease(storage, MAILER_LEASE, REQUEST))!;
    for (let minute = 0; minute < 5; minute++) {
      assertEquals(await check(), true);
      nowMs += MINUTE_MS;
      await renewLease(storage, lease);
    }
    assertEquals(await check(), true);
    nowMs += 2 * MINUTE_MS;
    assertEquals(await check(), false, "it was killed");
    await renewLease(storage, lease);
    assertEquals(await check(), true);
    await releaseLease(storage, lease);
    assertEquals(await check(), false);
  });

  it("by a worker in this process that the handler was not given, while it runs", async () => {
    const storage = openMemoryStorage();
    const check = createMailerCheck(storage, { hasWorker: true, elapsed: () => 0 });
    const end = registerMailer(storage);
    assertEquals(await check(), true);
    end();
    assertEquals(await check(), false);
  });
});
