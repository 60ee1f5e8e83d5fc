import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createTables, type RecordChange } from "../adapters/_tables.ts";
import { openMemoryStorage } from "../adapters/memory.ts";
import { sampleBoard, sampleKey } from "./_contract/samples.ts";
import type { ApiKey } from "../model/api_key.ts";
import { testStorage } from "./storage_contract.ts";

testStorage("memory", () => ({ storage: openMemoryStorage() }), {
  skip: { reopen: "ends with its instance", another: "is not shared between instances" },
});

describe("tables", () => {
  it("tell of a change by a record that the caller does not hold", () => {
    const told: RecordChange[] = [];
    const tables = createTables((change) => told.push(change));
    const [board, key] = [{ ...sampleBoard("ideas") }, { ...sampleKey("key"), scopes: ["*"] }];
    tables.boards.create(board);
    tables.apiKeys.create(key as ApiKey);
    const expected = structuredClone(told);
    board.name = "Changed by the caller";
    key.name = "Changed by the caller";
    key.scopes.length = 0;
    assertEquals(told, expected);
  });

  it("do not find a key by the hash of one that was taken back under its identifier", () => {
    const tables = createTables();
    const [first, second] = [sampleKey("key"), { ...sampleKey("key"), hash: "another" }];
    tables.assign({ table: "apiKeys", key: "key", next: undefined });
    tables.assign({ table: "apiKeys", key: "key", next: first });
    assertEquals(tables.apiKeys.findByHash(first.hash), first);
    tables.assign({ table: "apiKeys", key: "key", next: undefined });
    tables.assign({ table: "apiKeys", key: "key", next: second });
    assertEquals(tables.apiKeys.findByHash(first.hash), undefined);
    assertEquals(tables.apiKeys.findByHash("another"), second);
  });
});
