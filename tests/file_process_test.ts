import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openFileStorage } from "../adapters/file.ts";
import { COUNTERS } from "./_contract/kinds.ts";
import { checkRound, runWriter, WORKERS } from "./_file/rounds.ts";
import { count } from "./_file/simulation.ts";
import { namesIn, withFolder } from "./_folder.ts";
import { canRun, run } from "./_process.ts";
import { until } from "./_waiting.ts";

// The long run is `deno task torture`.
const ROUNDS = Number(Deno.env.get("BOARDCAST_TORTURE_ROUNDS") ?? 3);
const OWNER = 65_534;
const IS_ROOT = Deno.build.os !== "windows" && Deno.uid() === 0;
const CAN_MOUNT = IS_ROOT && await withFolder((folder) => {
  const canMount = canRun("mount", ["-t", "tmpfs", "-o", "size=8k", "tmpfs", folder]);
  if (canMount) canRun("umount", [folder]);
  return Promise.resolve(canMount);
});

describe("file storage in a process of its own", () => {
  it(`loses nothing acknowledged over ${ROUNDS} rounds of kill -9 under load`, () =>
    withFolder(async (directory) => {
      let found: readonly number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const killAfter = 1 + (round * 397) % 1_500;
        found = await checkRound(directory, await runWriter(directory, { killAfter }), found);
      }
      assert(found.every((count) => count > 0), `some worker never worked: ${found}`);
    }));

  it("can be copied while it serves, with all that was acknowledged before", {
    skip: Deno.build.os === "windows" ? "there is no cp" : false,
  }, () =>
    withFolder(async (root) => {
      const folder = `${root}/data`;
      const storage = await openFileStorage(folder, { journalBytes: 20_000 });
      let acknowledged = 0;
      let isOver = false;
      const working = (async () => {
        while (!isOver) acknowledged = Number(await count("a")(storage));
      })();
      await until(async () => (await namesIn(folder)).some((name) => /^snapshot.*n$/.test(name)));
      let copies = 0;
      for (let copy = 0; copies < 3; copy++) {
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
      }
      isOver = true;
      await working;
      await storage.close();
    }));

  it("makes the next start wait for no heartbeat after kill -9", () =>
    withFolder(async (directory) => {
      const killed = "process.kill(process.pid, 'SIGKILL');";
      await runScript(directory, killed).catch(() => {});
      const startMs = performance.now();
      const storage = await openFileStorage(directory, { host: "box" });
      const tookMs = performance.now() - startMs;
      assert(tookMs < 1_250, `it took ${tookMs} ms`);
      await storage.close();
    }));

  it("keeps no process alive that forgets to close it", () =>
    withFolder(async (directory) => {
      const steps = JSON.stringify(import.meta.resolve("./_file/simulation.ts"));
      await runScript(
        directory,
        `const { erasePerson, putPerson } = await import(${steps});
        await putPerson("ann@x.io")(storage);
        await erasePerson("ann@x.io")(storage);`,
      );
    }));

  it("ends everything when the disk is full, and goes on when there is space again", {
    skip: CAN_MOUNT ? false : "this user may not mount a small disk, or not here",
  }, () =>
    withFolder(async (directory) => {
      // Too small for as much as the journal takes before it is compacted.
      await run("mount", ["-t", "tmpfs", "-o", "size=20k", "tmpfs", directory]);
      try {
        const round = await runWriter(directory);
        assertEquals(round.lines, ["lost", ...Array(WORKERS).fill("failed unavailable")]);
        await run("mount", ["-o", "remount,size=4m", directory]);
        const found = await checkRound(directory, round);
        await checkRound(directory, await runWriter(directory, { killAfter: 100 }), found);
      } finally {
        await run("umount", [directory]);
      }
    }));

  it("gives what root creates to the owner of the folder", {
    skip: IS_ROOT ? false : "this user can't make a folder of another user",
  }, () =>
    withFolder(async (folder) => {
      await Deno.chown(folder, OWNER, OWNER);
      // Long enough to compact the journal.
      await runWriter(folder, { killAfter: 1_000 });
      // What was cut off before it had its name has no owner yet, and is removed by the next start.
      const names = (await namesIn(folder)).filter((name) => !name.endsWith(".tmp"));
      assert(names.some((name) => name.startsWith("snapshot-")), `${names}`);
      for (const name of names) {
        const { uid, gid } = await Deno.stat(`${folder}/${name}`);
        assertEquals([uid, gid], [OWNER, OWNER], name);
      }
    }));
});

/** Runs a script in a process that has opened `storage`. */
async function runScript(directory: string, script: string): Promise<void> {
  const adapter = JSON.stringify(import.meta.resolve("../adapters/file.ts"));
  const open = `import { openFileStorage } from ${adapter};
    const storage = await openFileStorage(${JSON.stringify(directory)}, { host: "box" });`;
  const signal = AbortSignal.timeout(20_000);
  await run(Deno.execPath(), ["eval", "--no-check", `${open}\n${script}`], { signal });
}
