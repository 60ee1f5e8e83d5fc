import { assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { type ImportCounts, importRows } from "../commands/_transfer/import.ts";
import type { RowBatch } from "../commands/_transfer/row_batches.ts";
import { openMemoryStorage } from "../mod.ts";

function batchOf(userEmail: string): RowBatch {
  const row = { line: 2, userEmail, userName: null, subscribe: true };
  return { rows: [row], refused: [], bytesRead: 1 };
}

describe("importRows", () => {
  it("finishes and counts what is under way when reading ends with an error", async () => {
    async function* batches() {
      yield batchOf("ann@example.com");
      yield batchOf("bob@example.com");
      throw new Error("interrupted");
    }
    const { subscriptions } = openMemoryStorage();
    const seen: ImportCounts[] = [];
    const importing = importRows(batches(), {
      put: subscriptions.put,
      resubscribe: false,
      now: () => "2026-11-21T10:00:00.000Z",
      onStep: ({ counts }) => seen.push(counts),
    });
    await assertRejects(() => importing, Error, "interrupted");
    assertEquals(seen.map(({ added }) => added), [1, 2]);
  });
});
