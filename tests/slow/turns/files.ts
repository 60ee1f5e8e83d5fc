import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { type HostileFile, hostileFiles } from "../../_support/hostile_files.ts";
import { send, type Server, start, watch } from "./_measure.ts";

const MIB = 1_048_576;
const LIMIT_MS = 100;
const RUNS = 3;
// On a busy machine, a thread that works waits longer for a processor than an idle one.
const BUSY_FACTOR = 3;

/**
 * Returns how much longer other requests wait while the server imports a file than while it is
 * idle.
 */
async function measure(
  { name, type, text }: HostileFile,
  { busy, idle }: { readonly busy: Server; readonly idle: Server },
): Promise<number> {
  const stops = [watch(busy), watch(idle)];
  const status = await send(busy, {
    method: "POST",
    path: "/api/v1/changelogs/entries/import?dryRun",
    headers: { "content-type": type },
    body: text,
  });
  assert(status < 500, `${name}: ${status}`);
  const [busyMs, idleMs] = await Promise.all(stops.map((stop) => stop()));
  return busyMs - BUSY_FACTOR * idleMs;
}

describe("an import of entries", () => {
  it("keeps nobody waiting, whatever its megabyte is full of", async () => {
    using idle = await start({ folder: undefined, people: 0 });
    using busy = await start({ folder: undefined, people: 0 });
    const slow: string[] = [];
    for (const file of hostileFiles(MIB)) {
      const waits: number[] = [];
      // A busy machine does not disturb the same import again and again.
      do waits.push(Math.round(await measure(file, { busy, idle }))); while (
        Math.min(...waits) > LIMIT_MS && waits.length < RUNS
      );
      if (Math.min(...waits) > LIMIT_MS) slow.push(`${file.name}: ${waits} ms`);
    }
    assertEquals(slow, []);
  });
});
