// Tests the example of docs/storage-adapters.md with a Redis server: the contract, durability, and
// every command.

import { assertEquals } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import { Redis } from "ioredis";
import { fileURLToPath } from "node:url";
import { openRedisStorage } from "../../../docs/examples/redis_storage.ts";
import { BOARDS } from "../../../mod.ts";
import { put } from "../../_contract/calls.ts";
import { neededEnvironment } from "../../_support/environment.ts";
import { freePort } from "../../_support/port.ts";
import { run, SERVER, startProgram, type TestProcess } from "../../_support/process.ts";
import { sampleBoard } from "../../_support/samples.ts";
import { testStorage } from "../../storage_contract.ts";

const MODULE = fileURLToPath(new URL("../../../docs/examples/redis_storage.ts", import.meta.url));

describe("redis storage", () => {
  let folder: string;
  let port: number;
  let url: string;
  let server: TestProcess;

  async function start(): Promise<void> {
    const durable = ["--appendonly", "yes", "--appendfsync", "always"];
    const args = ["--bind", "127.0.0.1", "--port", `${port}`, "--dir", folder, ...durable];
    server = startProgram("redis-server", { args, cwd: folder, env: {} });
    await server.waitFor("stdout", /Ready to accept connections/);
  }
  before(async () => {
    folder = await Deno.makeTempDir({ prefix: "boardcast-redis-" });
    port = freePort();
    url = `redis://127.0.0.1:${port}`;
    await start();
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await Deno.remove(folder, { recursive: true });
  });

  async function empty(): Promise<void> {
    const redis = new Redis(url);
    await redis.flushall();
    redis.disconnect();
  }

  testStorage("redis", () => {
    const open = () => openRedisStorage(url);
    return { storage: open(), reopen: open, another: open, dispose: empty };
  });

  it("keeps what it acknowledged when the server is killed", async () => {
    const storage = openRedisStorage(url);
    const writing = Array.from(
      { length: 200 },
      (_, i) => put(storage, BOARDS, sampleBoard(`b${i}`)),
    );
    await Promise.race(writing);
    server.signal("SIGKILL");
    await server.status;
    const outcomes = await Promise.allSettled(writing);
    const acknowledged = outcomes.flatMap(({ status }, i) =>
      status === "fulfilled" ? [`b${i}`] : []
    );
    await storage.close();
    await start();
    const again = openRedisStorage(url);
    const stored = (await again.list(BOARDS, { limit: 1_000 })).map(({ boardId }) => boardId);
    assertEquals(acknowledged.filter((key) => !stored.includes(key)), []);
    await again.close();
    await empty();
  });

  it("has every command as a module, copy included", async () => {
    const env = { ...neededEnvironment(), REDIS_URL: url };
    const boardcast = (...args: string[]) =>
      run(Deno.execPath(), ["run", "--allow-all", "--quiet", SERVER, ...args], { env });
    const module = `module:${MODULE}`;
    const idea = ["boardId=ideas", "name=Ideas"];
    await boardcast("call", "createBoard", ...idea, "--storage", `file:${folder}/a`);
    await boardcast("copy", `file:${folder}/a`, module);
    await boardcast("call", "updateBoard", "boardId=ideas", "name=Plans", "--storage", module);
    await boardcast("copy", module, `file:${folder}/b`);
    const stored = `file:${folder}/b`;
    const { out } = await boardcast("call", "getBoard", "boardId=ideas", "--storage", stored);
    assertEquals(JSON.parse(out).name, "Plans");
  });
});
