import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { StorageError } from "../adapters/storage.ts";
import { widthOf } from "../commands/_table.ts";
import { createProgress, formatProgress } from "../commands/_transfer/progress.ts";
import { createCommandLine } from "./_cli.ts";
import { HEADER, importText } from "./_subscribers.ts";
import { turns } from "./_waiting.ts";

describe("progress", () => {
  const state = { bytesRead: 500, rows: 2_000 };

  it("shows part, rows, rate and time left", () => {
    const line = formatProgress(state, { elapsedMs: 1_000, totalBytes: 2_000 });
    assertEquals(line, " 25% █████··············· 2,000 rows  2,000/s  0:03 left");
  });

  it("shows rows and rate where the size isn't known", () => {
    assertEquals(formatProgress(state, { elapsedMs: 1_000 }), "2,000 rows  2,000/s");
  });

  it("draws nothing where there is no terminal", () => {
    const written: string[] = [];
    const progress = createProgress({ write: (text) => written.push(text), now: () => 0 });
    progress.update(state);
    progress.clear();
    assertEquals(written, []);
  });

  it("redraws at most ten times a second, and after it was cleared", () => {
    const written: string[] = [];
    let nowMs = 0;
    const write = (text: string) => written.push(text);
    const progress = createProgress({ write, columns: 80, now: () => nowMs });
    for (; nowMs < 200; nowMs += 10) progress.update(state);
    assertEquals(written.length, 2);
    progress.clear();
    progress.update(state);
    assertEquals(written.length, 4);
  });

  it("is redrawn at once after it was cleared, which writes nothing where nothing is drawn", () => {
    const written: string[] = [];
    const write = (text: string) => written.push(text);
    const progress = createProgress({ write, columns: 80, now: () => 0 });
    progress.update(state);
    progress.clear();
    progress.clear();
    assertEquals(written.length, 2);
    progress.update(state);
    assertEquals(written.length, 3);
  });

  for (
    const [bytesRead, elapsedMs, left] of [
      [0, 1_000, ""],
      [1, 1_000, "  33:19 left"],
      [1, 3_600_000, "  1999:00:00 left"],
      [1_000, 3_661_000, "  1:01:01 left"],
      [1_000, 60_000, "  1:00 left"],
      [2_000, 60_000, "  0:00 left"],
    ] as const
  ) {
    it(`says "${left}" when ${bytesRead} of 2,000 bytes took ${elapsedMs} ms`, () => {
      const line = formatProgress({ bytesRead, rows: 1 }, { elapsedMs, totalBytes: 2_000 });
      assertEquals(/\/s(.*)$/.exec(line)?.[1], left);
    });
  }

  it("has no rate before any time has gone by", () => {
    assertEquals(formatProgress(state, { elapsedMs: 0 }), "2,000 rows  0/s");
  });

  it("is full when more was read than there seemed to be", () => {
    const line = formatProgress({ bytesRead: 3_000, rows: 1 }, { elapsedMs: 1, totalBytes: 2_000 });
    assertEquals(line.slice(0, 26), `100% ${"█".repeat(20)} `);
  });

  it("shows the rate since it began, whenever that was", () => {
    let written = "";
    let nowMs = 5_000;
    const write = (text: string) => void (written += text);
    const progress = createProgress({ write, columns: 80, now: () => nowMs });
    nowMs += 1_000;
    progress.update(state);
    assertEquals(written, "\r2,000 rows  2,000/s\x1b[K");
  });

  it("stays within the terminal", () => {
    let written = "";
    const write = (text: string) => void (written += text);
    createProgress({ write, columns: 20, totalBytes: 1_000, now: () => 0 }).update(state);
    assertEquals(widthOf(written.replace("\r", "").replace("\x1b[K", "")), 19);
  });
});

describe("an import", () => {
  const many = HEADER + "ann@x.org,,true\n".repeat(600);

  it("removes its progress before it tells of rows, and at the end", async () => {
    const { err } = await importText(createCommandLine({ errColumns: 80 }), `${many}bad,,true\n`);
    assertStringIncludes(err, "\r\x1b[Kline 602: userEmail");
    assertMatch(err.split("\r\x1b[K").at(-1)!, /^[^\r]*people\.csv: 1 added/);
  });

  it("prints rows of a dry run while nothing is asked of storage", async () => {
    let underWay = 0;
    const seen: number[] = [];
    const command = createCommandLine({ out: () => void seen.push(underWay) });
    const { subscriptions } = command.storage;
    const { get } = subscriptions;
    subscriptions.get = async (userEmail) => {
      underWay++;
      await turns();
      underWay--;
      return await get(userEmail);
    };
    await importText(command, many, "--dry-run");
    assertEquals([seen.length > 1, Math.max(...seen)], [true, 0]);
  });

  it("is not to be run again where that would fail again", async () => {
    const command = createCommandLine();
    const failure = new StorageError("incompatible", "The record is refused");
    command.storage.subscriptions.put = () => Promise.reject(failure);
    const { status, err } = await importText(command, many);
    assertEquals([status, err], [1, "boardcast: The record is refused\n"]);
  });
});
