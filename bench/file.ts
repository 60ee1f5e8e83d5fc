/** What durable changes cost in file storage, and how it does with many subscribers. */
import { setTimeout as delay } from "node:timers/promises";
import { AUTHORIZATION, boardcast, sqlite } from "./_contenders.ts";
import { fill } from "./_fill.ts";
import { makeFolder } from "./_folder.ts";
import type { ServerProcess } from "./_process.ts";
import { alternate, createSamples } from "./_rounds.ts";
import { type StorageKind, STORAGES } from "./_storages.ts";
import type { Subject } from "./_subject.ts";
import { figure, table } from "./_table.ts";
import { measureServed, putSubscriptions } from "./_wrk.ts";

const SQLITE: StorageKind = {
  name: "sqlite",
  async create() {
    const folder = await makeFolder();
    return { ...folder, contender: sqlite(folder.path) };
  },
};
const KINDS = [...STORAGES.filter(({ name }) => name !== "postgres"), SQLITE];

/** File storage beside memory and SQLite, and with many subscribers. */
export const file: Subject = {
  name: "file",
  async run({ rounds, seconds, subscribers }) {
    const samples = createSamples();
    for (const kind of alternate(KINDS, rounds)) {
      await using storage = await kind.create();
      await using server = await storage.contender.start();
      samples.add(kind.name, await measureRate(server, seconds));
    }
    const many = await measureMany(subscribers, seconds);
    const count = figure(subscribers);
    return {
      text: table(["file storage", "result"], [
        ["durable PUT at 32, of the rate of memory", figure(samples.ratio("file", "memory"), 2)],
        [
          "durable PUT at 32, of a plain handler on SQLite",
          figure(samples.ratio("file", "sqlite"), 1),
        ],
        [`start with ${count} subscribers, ms`, figure(many.startMs)],
        [`memory with ${count} subscribers, MiB`, figure(many.memoryMib)],
        ["p99 ms of PUT at 8, at rest", figure(many.restMs, 1)],
        ["p99 ms of PUT at 8, while they are folded into a snapshot", figure(many.foldingMs, 1)],
      ]),
    };
  },
};

async function measureRate(server: ServerProcess, seconds: number): Promise<number> {
  const load = putSubscriptions();
  await measureServed(server, load, { connections: 32, seconds: 1 });
  return (await measureServed(server, load, { connections: 32, seconds })).perSecond;
}

async function measureMany(subscribers: number, seconds: number) {
  await using folder = await makeFolder();
  const contender = boardcast("file", { storage: `file:${folder.path}` });
  {
    await using server = await contender.start();
    await fill(server.port, 0, subscribers);
  }
  await using server = await contender.start();
  const memoryMib = await server.memoryMib();
  const load = putSubscriptions(subscribers, 20_000);
  // What is left of filling is folded at the start, and the disk is at work for some time longer.
  while (await isFolding(folder.path)) await delay(10);
  await measureServed(server, load, { connections: 8, seconds: 10 });
  const rest = await measureServed(server, load, { connections: 8, seconds });
  await eraseOne(server.port);
  while (!await isFolding(folder.path)) await delay(1);
  const folding = await measureServed(server, load, { connections: 8, seconds: 1 });
  return { startMs: server.startMs, memoryMib, restMs: rest.p99Ms, foldingMs: folding.p99Ms };
}

/** Erases a subscriber, which has the journal folded soon. */
async function eraseOne(port: number): Promise<void> {
  const url = `http://127.0.0.1:${port}/api/v1/changelogs/subscribers/user0@example.com`;
  const response = await fetch(url, { method: "DELETE", headers: AUTHORIZATION });
  if (response.status !== 204) throw new Error(`Cannot erase a subscriber: ${response.status}`);
}

async function isFolding(folder: string): Promise<boolean> {
  const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
  return names.some((name) => name.startsWith("snapshot.json."));
}
