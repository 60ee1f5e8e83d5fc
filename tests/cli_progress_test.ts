import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { widthOf } from "../commands/_table.ts";
import { createProgress, formatProgress } from "../commands/_transfer/progress.ts";

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

  it("stays within the terminal", () => {
    let written = "";
    const write = (text: string) => void (written += text);
    createProgress({ write, columns: 20, totalBytes: 1_000, now: () => 0 }).update(state);
    assertEquals(widthOf(written.replace("\r", "").replace("\x1b[K", "")), 19);
  });
});
