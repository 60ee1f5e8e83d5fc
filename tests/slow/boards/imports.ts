// Imports of other products' exports: at real size, again, and through kills of the server. The
// board then has the posts and votes of the files, as one undisturbed import stores them in memory.

import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createHash } from "node:crypto";
import { openMemoryStorage, type Storage } from "../../../mod.ts";
import { BOARDS } from "../../../model/kinds.ts";
import { exportPosts } from "../../../services/posts/files/export.ts";
import { createService, OPERATOR_KEY } from "../../_support/service.ts";
import {
  type DeliveryProcess,
  type Place,
  type PlaceKind,
  startProcess,
  withPlace,
} from "../delivery/_scene.ts";
import { type ExportFile, type ExportSize, exportsOf, forgetSome } from "./_exports.ts";

/** `BOARDCAST_IDEAS=10000` is the size of a large board. */
const IDEAS = Number(Deno.env.get("BOARDCAST_IDEAS") ?? 1_000);
const SIZE: ExportSize = { ideas: IDEAS, votesPerIdea: 20, people: 5 * IDEAS };
const KILLED_SIZE: ExportSize = { ideas: 300, votesPerIdea: 20, people: 1_500 };
const KILLS = 20;
const MAX_DATABASE_MEMORY_MB = 700;
const BOARD = { boardId: "ideas", name: "Ideas" };
const PATH = "/api/v1/boards/ideas/posts/import";

type Counts = Readonly<Record<string, number>>;

/** Returns the counts of a report that are not 0; fails for a refused row. */
function countsOf(report: string): Counts {
  const lines = report.trimEnd().split("\n");
  assertEquals(lines.length, 1, report.slice(0, 500));
  const counts = Object.entries<number>(JSON.parse(lines[0])).filter(([, count]) => count > 0);
  return Object.fromEntries(counts);
}

/** Sends a file, and calls back with the share of it that was read before each piece. */
async function send(
  process: DeliveryProcess,
  { type, query = "", read }: ExportFile,
  onShare: (share: number) => unknown = () => {},
): Promise<Counts | undefined> {
  const chunks = [...read()];
  function* pieces() {
    for (const [at, chunk] of chunks.entries()) {
      onShare((at + 1) / chunks.length);
      yield chunk;
    }
  }
  const headers = { authorization: `Bearer ${OPERATOR_KEY}`, "content-type": type };
  const body = ReadableStream.from(pieces());
  try {
    const url = `${await process.origin}${PATH}${query}`;
    const response = await fetch(url, { method: "POST", headers, body });
    const text = await response.text();
    assert(response.ok, text);
    return countsOf(text);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Returns a digest of what a board exports. */
async function digestOf(storage: Storage): Promise<string> {
  const hash = createHash("sha256");
  const board = await storage.get(BOARDS, BOARD.boardId);
  const options = { isPublicOnly: false, now: new Date().toISOString() };
  for await (const text of exportPosts(storage, board!, options)) {
    hash.update(text);
  }
  return hash.digest("hex");
}

/** Returns the digest after one import in memory. */
async function expectedDigest(files: readonly ExportFile[]): Promise<string> {
  const storage = openMemoryStorage();
  const service = createService({ storage, clock: Date.now });
  await service.call("POST", "boards", BOARD);
  for (const { type, query = "", read } of files) {
    const sent = { headers: { "content-type": type }, body: ReadableStream.from(read()) };
    countsOf(await (await service.send("POST", `${PATH}${query}`, sent)).text());
  }
  return await digestOf(storage);
}

async function readDigest(place: Place): Promise<string> {
  const storage = await place.open();
  try {
    return await digestOf(storage);
  } finally {
    await storage.close();
  }
}

/** Returns the most memory that a process has used, in megabytes. */
async function peakMemory({ pid }: DeliveryProcess): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1_024);
}

async function importTwice(place: Place, name: string, kind: PlaceKind): Promise<void> {
  const files = exportsOf(SIZE)[name];
  const process = startProcess(place, {});
  await process.send("POST", "boards", BOARD);
  const seconds: string[] = [];
  for (const isAgain of [false, true]) {
    const startMs = performance.now();
    for (const { posts, votes, ...file } of files) {
      const counts = await send(process, { posts, votes, ...file });
      const { added = 0, votesAdded = 0, unchanged = 0, ...others } = counts!;
      assertEquals(others, {});
      assertEquals([added, votesAdded], isAgain ? [0, 0] : [posts, votes]);
      assert(!isAgain || unchanged >= Math.max(posts, votes), `${unchanged} unchanged`);
    }
    seconds.push(`${((performance.now() - startMs) / 1_000).toFixed(1)} s`);
  }
  const memory = await peakMemory(process);
  assertEquals(await process.kill("SIGTERM"), 0);
  assertEquals(await readDigest(place), await expectedDigest(files));
  console.log(`${name}: ${seconds.join(", again ")}; at most ${memory} MB`);
  assert(kind === "file" || memory < MAX_DATABASE_MEMORY_MB, `${memory} MB`);
}

/** Imports files while the server is killed ever later, then once to the end. */
async function importThroughKills(place: Place, files: readonly ExportFile[]): Promise<void> {
  const first = startProcess(place, {});
  await first.send("POST", "boards", BOARD);
  assertEquals(await first.kill("SIGTERM"), 0);
  let cutOff = 0;
  for (const file of files) {
    for (let kill = 1; kill <= KILLS; kill++) {
      const process = startProcess(place, {});
      const reached = Promise.withResolvers<void>();
      const sending = send(process, file, (share) => {
        if (share >= Math.min(1, 1.2 * kill / KILLS)) reached.resolve();
      });
      await reached.promise;
      // The rest of the file is in buffers, and takes a moment.
      await new Promise((resolve) => setTimeout(resolve, 40 * kill * Math.random()));
      await process.kill();
      cutOff += Number(await sending === undefined);
    }
    const process = startProcess(place, {});
    assert(await send(process, file) !== undefined);
    const again = await send(process, file);
    assertEquals(Object.keys(again!), ["unchanged"]);
    assertEquals(await process.kill("SIGTERM"), 0);
  }
  console.log(`${cutOff} of ${KILLS * files.length} kills cut an import off`);
  assert(cutOff > KILLS / 2, `${cutOff} kills cut it off`);
  assertEquals(await readDigest(place), await expectedDigest(files));
}

const all = exportsOf(SIZE);

describe(`an export of ${SIZE.ideas} ideas with ${SIZE.ideas * SIZE.votesPerIdea} votes`, () => {
  for (const kind of ["file", "postgres"] as const) {
    for (const name of Object.keys(all)) {
      it(`is imported exactly, and again without a change: ${name} on ${kind}`, () =>
        withPlace(kind, (place) => importTwice(place, name, kind)));
    }
  }
});

describe(`an import through ${KILLS} kills of the server`, () => {
  for (const kind of ["file", "kv", "postgres"] as const) {
    it(`leaves exactly the posts and votes of a full export, on ${kind}`, () =>
      withPlace(
        kind,
        (place) => importThroughKills(place, exportsOf(KILLED_SIZE)["UserVoice's full export"]),
      ));

    it(`leaves exactly what our own export has, forgotten votes included, on ${kind}`, async () => {
      const file = await forgetSome(KILLED_SIZE);
      await withPlace(kind, (place) => importThroughKills(place, [file]));
    });
  }
});
