import { assert } from "@std/assert";

const DEADLINE_MS = 10_000;

/** Lets everything happen that waits for nothing but its turn of the microtask queue. */
export async function turns(): Promise<void> {
  for (let i = 0; i < 500; i++) await Promise.resolve();
}

/** Resolves once a condition holds that needs turns of the microtask queue alone. */
export async function untilTurned(condition: () => boolean, most = 10_000): Promise<void> {
  for (let turn = 0; !condition(); turn++) {
    assert(turn < most, "what was awaited never happened");
    await Promise.resolve();
  }
}

/** Resolves once a condition holds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!await condition()) {
    assert(performance.now() < deadline, "what was awaited never happened");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
