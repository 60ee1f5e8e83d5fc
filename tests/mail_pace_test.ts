import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createPace } from "../delivery/pace.ts";
import { createTestClock } from "./_mailing.ts";
import { turns } from "./_waiting.ts";

const { signal } = new AbortController();

describe("a pace", () => {
  it("spreads callers evenly, after an interval in which nobody goes on", async () => {
    const clock = createTestClock(0);
    const pace = createPace(10, clock);
    const times: number[] = [];
    const note = () => times.push(clock.now());
    for (let i = 0; i < 5; i++) pace(signal).then(note);
    for (let i = 0; i < 50; i++) await clock.tick(10);
    // A pause is not made up for, but for the lag of a timer.
    await clock.tick(5_010);
    for (let i = 0; i < 3; i++) pace(signal).then(note);
    await turns();
    for (let i = 0; i < 50; i++) await clock.tick(10);
    assertEquals(times, [100, 200, 300, 400, 500, 5510, 5590, 5690]);
  });

  it("goes on at once where there is no rate, or its signal is aborted", async () => {
    const clock = createTestClock(0);
    let count = 0;
    const stopping = new AbortController();
    createPace(false, clock)(signal).then(() => count++);
    createPace(1, clock)(stopping.signal).then(() => count++);
    await turns();
    assertEquals(count, 1);
    stopping.abort();
    await turns();
    assertEquals(count, 2);
  });

  it("goes on where the clock was set back", async () => {
    const clock = createTestClock(0);
    const pace = createPace(10, clock);
    let isOn = false;
    await clock.tick(-3_600_000);
    pace(signal).then(() => isOn = true);
    await clock.tick(1_000);
    assertEquals(isOn, true);
  });
});
