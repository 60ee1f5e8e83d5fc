import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openFileStorage } from "../../../adapters/file.ts";
import { openMemoryStorage, type Storage } from "../../../mod.ts";
import { withFolder } from "../../_support/folder.ts";
import { createBoardService, POSTS_PATH } from "../../_support/boards.ts";
import { createService, type TestService } from "../../_support/service.ts";
import { readAll, STORAGES } from "../../_support/storages.ts";

const ANN = "ann@example.com";
const TAGGED = "ann+news@example.com";
const BOB = "bob@example.com";
const NDJSON = { "content-type": "application/x-ndjson" };
const TRACE = /ann(?:@|\+|%40)/i;

/** Fills a board with what a voter can leave: votes, ideas and requests, merged ones included. */
async function fill(storage: Storage): Promise<TestService> {
  const service = await createBoardService({ storage });
  const { add, vote, call } = service;
  await add("dark", { userEmail: BOB });
  await add("night", { userEmail: ANN, userName: "Ann", notify: true });
  await add("alone", { userEmail: TAGGED });
  await add("print");
  await vote("dark", TAGGED, { notify: true, why: `Write to ${ANN}` });
  await vote("print", ANN);
  await vote("print", BOB);
  await vote("night", BOB, { notify: true });
  await call("POST", `${POSTS_PATH}/night/merge`, { into: "dark" });
  await call("PUT", `${POSTS_PATH}/print/domains/example.com`, { aside: true });
  await call("PUT", "changelogs/subscribe", { userEmail: ANN, subscribe: true });
  return service;
}

async function exported({ send }: TestService): Promise<string> {
  return await (await send("GET", `${POSTS_PATH}/export`)).text();
}

async function imported({ send }: TestService, body: string): Promise<Record<string, number>> {
  const response = await send("POST", `${POSTS_PATH}/import`, { headers: NDJSON, body });
  const lines = (await response.text()).trimEnd().split("\n");
  assertEquals([response.status, lines.length], [200, 1], lines[0]);
  return JSON.parse(lines[0]);
}

async function erase({ send }: TestService, userEmail: string): Promise<number> {
  const response = await send("DELETE", `changelogs/subscribers/${userEmail}`);
  await response.body?.cancel();
  return response.status;
}

/** Reads all files of a folder as text. */
async function readFiles(folder: string): Promise<string> {
  const texts: string[] = [];
  for await (const { name, isFile } of Deno.readDir(folder)) {
    if (isFile) texts.push(new TextDecoder().decode(await Deno.readFile(`${folder}/${name}`)));
  }
  return texts.join("\n");
}

describe("a merge that an export has", () => {
  it("is undone after a move, with the voters that each idea had", async () => {
    const service = await createBoardService();
    for (const postId of ["a", "b", "c"]) await service.add(postId);
    const voters = { a: ["1", "2", "3"], b: ["2", "4"], c: ["1", "5"] };
    for (const [postId, names] of Object.entries(voters)) {
      for (const name of names) await service.vote(postId, `v${name}@example.com`);
    }
    // The idea that comes first in the file leads to the last one.
    await service.call("POST", `${POSTS_PATH}/a/merge`, { into: "b" });
    await service.call("POST", `${POSTS_PATH}/b/merge`, { into: "c" });
    const text = await exported(service);
    const other = await createBoardService();
    for (let round = 0; round < 2; round++) {
      await imported(other, text);
      assertEquals(await exported(other), text);
    }
    await other.vote("c", "v2@example.com", { vote: false });
    const left = await exported(other);
    await imported(other, text);
    assertEquals(await exported(other), left);
    for (const postId of ["b", "a"]) await other.call("POST", `${POSTS_PATH}/${postId}/unmerge`);
    const votes = async (postId: string) =>
      (await other.call<{ votes: number }>("GET", `${POSTS_PATH}/${postId}`)).votes;
    assertEquals(await Promise.all(["a", "b", "c"].map(votes)), [2, 1, 2]);
  });
});

describe("an erased voter", () => {
  for (const [name, withStorage] of STORAGES) {
    it(`leaves no trace, and does not come back with an export from before, on ${name}`, () =>
      withStorage(async (storage) => {
        const service = await fill(storage);
        const before = await exported(service);
        assert(TRACE.test(before));
        assertEquals(await erase(service, ANN), 204);
        const after = await exported(service);
        assert(!TRACE.test(await readAll(storage)) && !TRACE.test(after));
        const counts = await imported(service, before);
        assertEquals([counts.added, counts.votesAdded], [0, 0]);
        assertEquals(await exported(service), after);
        assert(!TRACE.test(await readAll(storage)));

        const other = await createBoardService({ storage: openMemoryStorage() });
        await imported(other, after);
        assertEquals(await exported(other), after);
        await imported(other, after);
        assertEquals(await exported(other), after);
      }));
  }

  it("is in no file of a folder any more, after an import from before, either", () =>
    withFolder(async (folder) => {
      const storage = await openFileStorage(folder);
      const service = await fill(storage);
      const before = await exported(service);
      assertEquals(await erase(service, ANN), 204);
      await imported(service, before);
      await storage.close();
      assert(!TRACE.test(await readFiles(folder)));
      const again = await openFileStorage(folder);
      assertEquals(await erase(createService({ storage: again }), ANN), 404);
      await again.close();
    }));
});
