import { assert, assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openFileStorage } from "../../adapters/file.ts";
import { StorageError } from "../../adapters/storage.ts";
import { COUNTERS } from "../_contract/kinds.ts";
import { count } from "../_support/file/simulation.ts";
import { namesIn, withFolder } from "../_support/folder.ts";
import { canRun, run } from "../_support/process.ts";
import { until } from "../_support/waiting.ts";

// The number of rounds; BOARDCAST_TORTURE_ROUNDS=200 makes a long run.
const ROUNDS = Number(Deno.env.get("BOARDCAST_TORTURE_ROUNDS") ?? 3);
const WRITER = new URL("../_support/file/writer.ts", import.meta.url);
/** The number of changes that the writer has in flight. */
const WORKERS = 8;
const IS_ROOT = Deno.build.os !== "windows" && Deno.uid() === 0;
const CAN_MOUNT = IS_ROOT && await withFolder((folder) => {
  const canMount = canRun("mount", ["-t", "tmpfs", "-o", "size=8k", "tmpfs", folder]);
  if (canMount) canRun("umount", [folder]);
  return Promise.resolve(canMount);
});

/** Runs a process that opens a folder, and then kills itself. */
async function openAndDie(directory: string): Promise<void> {
  const adapter = import.meta.resolve("../../adapters/file.ts");
  const script = `const { openFileStorage } = await import(${JSON.stringify(adapter)});
    await openFileStorage(${JSON.stringify(directory)}, { host: "box" });
    process.kill(process.pid, "SIGKILL");`;
  await run(Deno.execPath(), ["eval", "--no-check", script]).catch(() => {});
}

describe("file storage in a process of its own", () => {
  it(`loses nothing acknowledged over ${ROUNDS} rounds of kill -9 under load`, () =>
    withFolder(async (directory) => {
      let found: readonly number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const killAfterBytes = 1 + (round * 2_777) % 10_000;
        found = await checkRound(directory, await runWriter(directory, killAfterBytes), found);
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

  it("lets the next start open the folder after kill -9", () =>
    withFolder(async (directory) => {
      await openAndDie(directory);
      const names = ["high-water-mark.json", "journal-0.jsonl", "lock"];
      assertEquals(await namesIn(directory), names);
      await (await openFileStorage(directory, { host: "box" })).close();
    }));

  it("does not begin anew when its first journal is removed after kill -9", () =>
    withFolder(async (directory) => {
      await openAndDie(directory);
      await Deno.remove(`${directory}/journal-0.jsonl`);
      const open = () => openFileStorage(directory, { host: "box" });
      // The second round stands for the next restart of a service.
      for (let i = 0; i < 2; i++) {
        await assertRejects(open, StorageError, "snapshots and journals of its folder are missing");
      }
    }));

  it("ends everything when the disk is full, and goes on when there is space again", {
    skip: CAN_MOUNT ? false : "this user may not mount a small disk, or not here",
  }, () =>
    withFolder(async (directory) => {
      // The disk is smaller than a journal before its compaction.
      await run("mount", ["-t", "tmpfs", "-o", "size=20k", "tmpfs", directory]);
      try {
        const lines = await runWriter(directory);
        const last = lines.slice(-WORKERS - 1);
        assertEquals(last, ["lost", ...Array(WORKERS).fill("failed unavailable")]);
        await run("mount", ["-o", "remount,size=4m", directory]);
        const found = await checkRound(directory, lines);
        await checkRound(directory, await runWriter(directory, 700), found);
      } finally {
        await run("umount", [directory]);
      }
    }));
});

/**
 * Runs the writer on a folder with permissions for that folder alone, and kills it once it has
 * printed a number of bytes. Returns its lines: the numbers of the acknowledged changes.
 */
async function runWriter(directory: string, killAfterBytes = Infinity): Promise<string[]> {
  const permissions = [`--allow-read=${directory}`, `--allow-write=${directory}`, "--allow-net"];
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--no-check", ...permissions, WRITER.href, directory],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  let text = "";
  for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
    const isNow = text.length < killAfterBytes && text.length + part.length >= killAfterBytes;
    text += part;
    if (isNow) child.kill("SIGKILL");
  }
  await child.status;
  // The kill may have cut the last line short.
  return text.split("\n").slice(0, -1);
}

/**
 * Opens a folder and checks that each worker's counter has the last acknowledged number or the next
 * one.
 */
async function checkRound(
  directory: string,
  lines: readonly string[],
  before: readonly number[] = [],
): Promise<readonly number[]> {
  const storage = await openFileStorage(directory, { host: "test" });
  const found: number[] = [];
  for (let worker = 0; worker < WORKERS; worker++) {
    const { value = 0 } = await storage.get(COUNTERS, `worker${worker}`) ?? {};
    const printed = lines.findLast((line) => line.startsWith(`${worker} `))?.split(" ")[1];
    const last = Number(printed ?? before[worker] ?? 0);
    const isKept = value === last || value === last + 1;
    assert(isKept, `worker ${worker} had ${last} acknowledged and has ${value}`);
    found.push(value);
  }
  await storage.close();
  return found;
}
