import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openFileStorage } from "../adapters/file.ts";
import { COUNTERS } from "./_contract/kinds.ts";
import { checkRound, runWriter, WORKERS } from "./_file/rounds.ts";
import { count } from "./_file/simulation.ts";
import { namesIn, withFolder } from "./_folder.ts";
import { canRun, run } from "./_process.ts";
import { SMALL_DISK_SKIP, withSmallDisk } from "./_small_disk.ts";
import { until } from "./_waiting.ts";

// The long run is `deno task torture`.
const ROUNDS = Number(Deno.env.get("BOARDCAST_TORTURE_ROUNDS") ?? 4);
const ENDED = ["lost", ...Array(WORKERS).fill("failed unavailable")];

describe("file storage in a process of its own", () => {
  it(`loses nothing acknowledged over ${ROUNDS} rounds of kill -9 under load`, async () => {
    await withFolder(async (directory) => {
      let found: readonly number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const killAfter = 1 + (round * 397) % 1_500;
        found = await checkRound(directory, await runWriter(directory, { killAfter }), found);
      }
      assert(found.every((count) => count > 0), `some worker never worked: ${found}`);
    });
  });

  it("can be copied while it serves, with all that was acknowledged before", {
    skip: Deno.build.os === "windows" ? "there is no cp" : false,
  }, async () => {
    await withFolder(async (root) => {
      const folder = `${root}/data`;
      const storage = await openFileStorage(folder, { journalBytes: 60_000 });
      let acknowledged = 0;
      let isOver = false;
      const working = (async () => {
        while (!isOver) acknowledged = Number(await count("a")(storage));
      })();
      await until(async () => (await namesIn(folder)).some((name) => /^snapshot.*n$/.test(name)));
      let copies = 0;
      for (let copy = 0; copies < 5; copy++) {
        assert(copy < 50, "copying failed time and again");
        const before = acknowledged;
        // The command of docs/file-storage.md.
        const command = `mkdir ${root}/${copy} &&
          cp ${folder}/journal-*.jsonl ${folder}/snapshot-*.json ${root}/${copy}/`;
        const isCopied = await run("sh", ["-c", command]).then(() => true, () => false);
        if (!isCopied) continue;
        copies++;
        const again = await openFileStorage(`${root}/${copy}`);
        const { value = 0 } = await again.get(COUNTERS, "a") ?? {};
        assert(value >= before, `${before} were acknowledged, and the copy has ${value}`);
        await again.close();
        await until(() => acknowledged > before + 300);
      }
      isOver = true;
      await working;
      await storage.close();
    });
  });

  it("makes the next start wait for no heartbeat after kill -9", async () => {
    await withFolder(async (directory) => {
      const adapter = JSON.stringify(import.meta.resolve("../adapters/file.ts"));
      const script = `
        import { openFileStorage } from ${adapter};
        await openFileStorage(${JSON.stringify(directory)}, { host: "box" });
        process.kill(process.pid, "SIGKILL");`;
      await run(Deno.execPath(), ["eval", "--no-check", script]).catch(() => {});
      const startMs = performance.now();
      const storage = await openFileStorage(directory, { host: "box" });
      const tookMs = performance.now() - startMs;
      assert(tookMs < 1_250, `it took ${tookMs} ms`);
      await storage.close();
    });
  });

  it("keeps no process alive that forgets to close it", async () => {
    await withFolder(async (directory) => {
      const storage = JSON.stringify(import.meta.resolve("../adapters/file.ts"));
      const steps = JSON.stringify(import.meta.resolve("./_file/simulation.ts"));
      const script = `
        import { openFileStorage } from ${storage};
        import { erasePerson, putPerson } from ${steps};
        const storage = await openFileStorage(${JSON.stringify(directory)});
        await putPerson("ann@x.io")(storage);
        await erasePerson("ann@x.io")(storage);`;
      const signal = AbortSignal.timeout(20_000);
      await run(Deno.execPath(), ["eval", "--no-check", script], { signal });
    });
  });

  it("loses nothing acknowledged when files may not grow any further", {
    skip: canRun("prlimit", ["--version"]) ? false : "prlimit of util-linux is not installed",
  }, async () => {
    for (const limit of [4_000, 20_001]) {
      await withFolder(async (directory) => {
        const round = await runWriter(directory, { prefix: ["prlimit", `--fsize=${limit}`] });
        await checkRound(directory, round);
        // Space again: it goes on.
        await checkRound(directory, await runWriter(directory, { killAfter: 100 }));
      });
    }
  });

  it("ends everything and loses nothing acknowledged when the disk is full", {
    skip: SMALL_DISK_SKIP,
  }, async () => {
    await withSmallDisk(async (directory, enlarge) => {
      const round = await runWriter(directory);
      assertEquals(round.lines, ENDED);
      await enlarge();
      const found = await checkRound(directory, round);
      await checkRound(directory, await runWriter(directory, { killAfter: 100 }), found);
    });
  });
});
