import { assertEquals } from "@std/assert";
import type { ContractTests } from "../storage_contract.ts";
import { minute, sampleBoard, sampleChange, sampleKey } from "./samples.ts";

/** A call, and what it comes to: its answer, or the code of its error. */
type Step = readonly [call: () => Promise<unknown>, expected: unknown];

/** Checks that calls made without waiting take effect in the order in which they were made. */
export function testCallOrder({ test }: ContractTests): void {
  test("calls for a board take effect in their order when none is waited for", async ({ storage: { boards } }) => {
    const [a, b, c] = ["A", "B", "C"].map((name) => sampleBoard("ideas", { name }));
    await assertSteps([
      [() => boards.get("ideas"), undefined],
      [() => boards.replace(a, b), false],
      [() => boards.create(a), true],
      [() => boards.create(b), false],
      [() => boards.get("ideas"), a],
      [() => boards.replace(a, b), true],
      [() => boards.replace(a, c), false],
      [() => boards.replace(b, c), true],
      [() => boards.get("ideas"), c],
      [() => boards.delete(b), false],
      [() => boards.delete(c), true],
      [() => boards.replace(c, a), false],
      [() => boards.get("ideas"), undefined],
      [() => boards.create(b), true],
      [() => boards.get("ideas"), b],
    ]);
  });

  test("calls for an address take effect in their order when none is waited for", async ({ storage: { subscriptions } }) => {
    const stateOf = async (found: ReturnType<typeof subscriptions.get>) =>
      (await found)?.subscribed;
    const put = async (subscribe: boolean) => {
      const outcome = await subscriptions.put(sampleChange("ann@example.com", { subscribe }));
      return [outcome.previous?.subscribed, outcome.changed];
    };
    const erase = () => subscriptions.erase("ann@example.com");
    const get = () => stateOf(subscriptions.get("ann@example.com"));
    await assertSteps([
      [erase, false],
      [() => put(true), [undefined, true]],
      [get, true],
      [erase, true],
      [erase, false],
      [get, undefined],
      [() => put(false), [undefined, true]],
      [() => put(true), [false, true]],
      [get, true],
      [erase, true],
      [() => put(false), [undefined, true]],
      [get, false],
    ]);
  });

  test("calls for keys take effect in their order when none is waited for", async ({ storage: { apiKeys } }) => {
    const [old, successor, late] = ["old", "new", "late"].map((keyId) => sampleKey(keyId));
    const touched = { ...old, lastUsedAt: minute(2) };
    const rotation = { keyId: "old", at: minute(3), until: minute(30), successor };
    const rotated = { ...touched, expiresAt: minute(30) };
    const revoked = { ...rotated, revokedAt: minute(4) };
    await assertSteps([
      [() => apiKeys.findByHash(old.hash), undefined],
      [() => apiKeys.revoke("old", minute(1)), false],
      [() => apiKeys.create(old), undefined],
      [() => apiKeys.create(old), "conflict"],
      [() => apiKeys.findByHash(old.hash), old],
      [() => apiKeys.touch("old", minute(2)), undefined],
      [() => apiKeys.get("old"), touched],
      [() => apiKeys.rotate(rotation), true],
      [() => apiKeys.rotate(rotation), "conflict"],
      [() => apiKeys.create(sampleKey("other", { hash: successor.hash })), "conflict"],
      [() => apiKeys.findByHash(old.hash), rotated],
      [() => apiKeys.findByHash(successor.hash), successor],
      [() => apiKeys.revoke("old", minute(4)), true],
      [() => apiKeys.revoke("old", minute(5)), true],
      [() => apiKeys.rotate({ ...rotation, at: minute(5), successor: late }), false],
      [() => apiKeys.get("late"), undefined],
      [() => apiKeys.findByHash(old.hash), revoked],
      [() => apiKeys.get("old"), revoked],
    ]);
  });
}

/** Makes the calls without waiting between, and compares what they come to. */
async function assertSteps(steps: readonly Step[]): Promise<void> {
  const answers = await Promise.all(
    steps.map(([call]) => call().catch((error) => error.code ?? error)),
  );
  assertEquals(answers, steps.map(([, expected]) => expected));
}
