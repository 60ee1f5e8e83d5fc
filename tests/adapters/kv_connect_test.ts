// Deno KV on a server, reached through Deno's own client as on Deno Deploy. The client repeats a
// commit if its response is lost.

import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openStorage } from "../../commands/storage/storage.ts";
import { type ContractTest, runTest } from "../_contract/context.ts";
import { COUNTERS } from "../_contract/kinds.ts";
import { SUBSCRIPTIONS } from "../../model/kinds.ts";
import { put } from "../_contract/calls.ts";
import { testRaces } from "../_contract/races.ts";
import { testRecords } from "../_contract/records.ts";
import { testTransactions } from "../_contract/transactions.ts";
import { assertFailed, createCommandLine } from "../_support/cli.ts";
import { withFolder } from "../_support/folder.ts";
import { openKvFile } from "../_support/kv.ts";
import { startKvConnect } from "../_support/kv_connect.ts";
import { sampleSubscription } from "../_support/samples.ts";
import { CLOSED_PORT } from "../_support/port.ts";

// These tests depend on the network; kv_test.ts runs the rest of the contract.
describe("storage contract: kv elsewhere", () => {
  const test: ContractTest = (name, run) => {
    it(name, async () => {
      const server = startKvConnect();
      const another = () => openKvFile(server.url);
      const dispose = async () => await server[Symbol.asyncDispose]();
      await runTest({ storage: await another(), another, dispose }, run, 30_000);
    });
  };
  const groups = [testRecords, testTransactions, testRaces];
  for (const group of groups) group({ test, testReopened: () => {}, testShared: test });
});

describe("kv storage elsewhere", () => {
  const { run, succeed, json } = createCommandLine({ openStorage });

  it("makes each change once though responses are lost", async () => {
    await using server = startKvConnect((commit) => commit % 3 === 0);
    const storage = await openKvFile(server.url);
    const refs = { counter: { kind: COUNTERS, key: "a" } };
    const answers = [];
    for (let i = 0; i < 6; i++) {
      answers.push(
        await storage.transact(refs, ({ counter }) => {
          const value = (counter?.value ?? 0) + 1;
          return { answer: value, put: { counter: { counterId: "a", value } } };
        }),
      );
    }
    assertEquals(answers, [1, 2, 3, 4, 5, 6]);
    assertEquals(server.commits(), 7, "the six, and that of the indexes");
    for (const subscribed of [true, false, true]) {
      await put(storage, SUBSCRIPTIONS, { ...sampleSubscription("ann@example.com"), subscribed });
    }
    assertEquals(await storage.count!(SUBSCRIPTIONS, "subscribed"), 1);
    assertEquals(await storage.count!(SUBSCRIPTIONS, "unsubscribed"), 0);
    await storage.close();
  });

  it("is copied from a folder, and back", () =>
    withFolder(async (folder) => {
      await using server = startKvConnect();
      const url = `kv:${server.url}`;
      await succeed(`call createBoard boardId=ideas name=Ideas --storage file:${folder}/old`);
      await succeed(`copy file:${folder}/old ${url}`);
      await succeed(`copy ${url} file:${folder}/new`);
      const [{ name }] = await json(`call getBoard boardId=ideas --storage file:${folder}/new`);
      assertEquals(name, "Ideas");
    }));

  it("fails when it can't be reached", async () => {
    const url = `kv:http://127.0.0.1:${CLOSED_PORT}/`;
    assertFailed(
      await run(`call listBoards --storage ${url}`),
      1,
      "cannot open the Deno KV database",
    );
  });
});
