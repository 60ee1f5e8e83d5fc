import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage, type Storage } from "../../mod.ts";
import { createUpkeepChannel } from "../../delivery/upkeep.ts";
import type { HeldLease } from "../../delivery/loop.ts";
import { POSTS, VOTES } from "../../model/kinds.ts";
import type { Stats } from "../../model/stats.ts";
import { createBoardService } from "../_support/boards.ts";
import { START } from "../_support/service.ts";

const HOUR_MS = 3_600_000;

/** Creates a service whose storage refuses changes of the post `bad`, and its regular work. */
async function createFailing() {
  const memory = openMemoryStorage();
  let isBroken = false;
  const storage: Storage = {
    ...memory,
    transact: (refs, decide) =>
      memory.transact(refs, (found) => {
        const decision = decide(found);
        const asked = "read" in decision ? { ...refs, ...decision.read } : refs;
        const isBad = Object.values(asked).some((ref) =>
          ref?.kind.name === POSTS.name && ref.key === "bad"
        );
        if (isBroken && isBad) throw new Error("out of order");
        return decision;
      }),
  };
  const service = await createBoardService({ storage });
  for (const postId of ["a", "bad", "c"]) {
    await service.add(postId);
    await service.vote(postId, `${postId}@example.com`);
    await service.change(postId, { status: "shipped" });
  }
  isBroken = true;
  let nowMs = Date.parse(START) + HOUR_MS;
  const errors: unknown[] = [];
  const channel = createUpkeepChannel({
    storage,
    voteRetentionMs: 0,
    onError: (error) => errors.push(error),
    clock: { now: () => nowMs, elapsed: () => nowMs, sleep: () => Promise.resolve() },
  });
  const { signal } = new AbortController();
  const lease: HeldLease = { token: 1, transact: storage.transact, signal, isOn: () => true };
  return {
    ...service,
    errors,
    async run(): Promise<void> {
      nowMs += HOUR_MS;
      if (await channel.isDue()) await channel.run(lease);
    },
    repair: () => void (isBroken = false),
    async votersOf(): Promise<readonly string[]> {
      return (await storage.list(VOTES, { limit: 9 })).map(({ userEmail }) => userEmail);
    },
    async attention(): Promise<readonly string[]> {
      return (await service.call<Stats>("GET", "stats")).attention.map(({ code }) => code);
    },
  };
}

describe("regular work that fails for one post", () => {
  it("goes on with the others, and is logged once and shown until it succeeds", async () => {
    const { run, repair, votersOf, errors, attention } = await createFailing();
    assertEquals(await attention(), []);
    await run();
    assertEquals(await votersOf(), ["bad@example.com"]);
    await run();
    assertEquals(errors.map(String), ["Error: Cannot remove the addresses of voters"]);
    assertEquals(await attention(), ["upkeep_failed"]);
    repair();
    await run();
    assertEquals([await votersOf(), await attention(), errors.length], [[], [], 1]);
  });
});
