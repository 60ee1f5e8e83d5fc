import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createResolvers, type ResolvedAddress, type Resolvers } from "../../delivery/resolver.ts";
import { turns } from "../_support/waiting.ts";

const ADDRESSES = [{ address: "192.0.2.1", family: 4 }];

/** Resolvers whose look-ups end when the test says so. */
interface Scene extends Resolvers {
  /** The names that are being looked up, in the order of their starts. */
  readonly asked: () => readonly string[];
  /** Ends a look-up with success or failure. */
  end(name: string, isFound: boolean): Promise<void>;
  /** Lets half a second pass without ending a look-up. */
  waitLong(): Promise<void>;
}

function createScene(): Scene {
  const open = new Map<string, PromiseWithResolvers<readonly ResolvedAddress[]>>();
  const scheduled = new Set<() => void>();
  const names = createResolvers((name) => {
    const answer = Promise.withResolvers<readonly ResolvedAddress[]>();
    open.set(name, answer);
    return answer.promise;
  }, (call, delayMs) => {
    assertEquals(delayMs, 500);
    scheduled.add(call);
    return () => void scheduled.delete(call);
  });
  return {
    ...names,
    asked: () => [...open.keys()],
    async end(name, isFound) {
      const answer = open.get(name)!;
      open.delete(name);
      if (isFound) answer.resolve(ADDRESSES);
      else answer.reject(new Error(`${name} timed out`));
      await turns();
    },
    async waitLong() {
      const calls = [...scheduled];
      scheduled.clear();
      for (const call of calls) call();
      await turns();
    },
  };
}

/** Starts to look up names, and ignores failures. */
async function begin(resolve: Resolvers["resolve"], names: readonly string[]): Promise<void> {
  for (const name of names) resolve(name).catch(() => {});
  await turns();
}

const dead = Array.from({ length: 19 }, (_, number) => `dead${number}.test`);

describe("the names of webhooks and relays", () => {
  it("take at most eight threads, one for each name, so that files are still written", async () => {
    const scene = createScene();
    await begin(scene.resolve, [...dead, ...dead]);
    assertEquals(scene.asked(), dead.slice(0, 7));
    await begin(scene.resolveRelay, ["relay.test", "other.test"]);
    assertEquals(scene.asked(), [...dead.slice(0, 7), "relay.test"]);
    await scene.end("dead0.test", false);
    assertEquals(scene.asked(), [...dead.slice(1, 7), "relay.test", "other.test"]);
    for (let left = 20; left > 0; left--) {
      assertEquals(scene.asked().length <= 8, true);
      await scene.end(scene.asked()[0], false);
    }
    assertEquals(scene.asked(), []);
  });

  it("pass 17 silent ones within a second when they are looked up for the first time", async () => {
    const scene = createScene();
    await begin(scene.resolve, [...dead.slice(0, 17), "good.test"]);
    await scene.waitLong();
    assertEquals(scene.asked().length, 14);
    await scene.waitLong();
    assertEquals(scene.asked(), [...dead.slice(0, 17), "good.test"]);
  });

  it("take at most 24 threads while none of them answers", async () => {
    const scene = createScene();
    const names = Array.from({ length: 60 }, (_, number) => `silent${number}.test`);
    await begin(scene.resolve, names);
    for (let half = 0; half < 6; half++) await scene.waitLong();
    assertEquals(scene.asked().length, 16 + 7);
    await begin(scene.resolveRelay, ["relay.test"]);
    assertEquals(scene.asked().length, 24);
    while (scene.asked().length > 0) {
      assertEquals(scene.asked().length <= 24, true);
      await scene.end(scene.asked()[0], true);
    }
  });

  it("give back their place once, though half a second passes after their answer", async () => {
    const scene = createScene();
    await begin(scene.resolve, dead.slice(0, 7));
    for (const name of dead.slice(0, 7)) await scene.end(name, true);
    await scene.waitLong();
    await begin(scene.resolve, dead.map((name) => `other-${name}`));
    assertEquals(scene.asked().length, 7);
  });

  it("wait for none that failed before, however many of those there are", async () => {
    const scene = createScene();
    await begin(scene.resolve, ["good.test"]);
    await scene.end("good.test", true);
    await begin(scene.resolve, dead);
    while (scene.asked().length > 0) await scene.end(scene.asked()[0], false);
    await begin(scene.resolve, dead);
    assertEquals(scene.asked(), dead.slice(0, 4));
    await begin(scene.resolve, ["good.test", "new.test"]);
    assertEquals(scene.asked(), [...dead.slice(0, 4), "good.test", "new.test"]);
  });
});
