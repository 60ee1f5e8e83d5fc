import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { Buffer } from "node:buffer";
import type { Row } from "../adapters/_postgres/values.ts";
import { createKeyCache } from "../adapters/_postgres/key_cache.ts";
import { createReadSame } from "../adapters/_postgres/same_records.ts";
import { sampleKey } from "./_contract/samples.ts";

const KEY = sampleKey("key");

describe("keys that were looked up a moment ago", () => {
  function createAt(startMs: number) {
    let nowMs = startMs;
    return { cache: createKeyCache(() => nowMs), pass: (ms: number) => void (nowMs += ms) };
  }

  it("are remembered for half a second from when the look-up began", () => {
    const { cache, pass } = createAt(1_000);
    const lookUp = cache.begin();
    pass(300);
    assertEquals(cache.get(KEY.hash), undefined);
    cache.add(KEY, lookUp);
    pass(199);
    assertEquals(cache.get(KEY.hash), KEY);
    pass(1);
    assertEquals(cache.get(KEY.hash), undefined);
  });

  it("are forgotten by a write, as soon as it begins", async () => {
    const { cache } = createAt(0);
    cache.add(KEY, cache.begin());
    const writing = Promise.withResolvers<string>();
    const written = cache.whileWriting(() => writing.promise);
    assertEquals(cache.get(KEY.hash), undefined);
    // One that begins or ends while something is written may not know of it.
    const during = cache.begin();
    cache.add(KEY, during);
    assertEquals(cache.get(KEY.hash), undefined);
    writing.resolve("written");
    assertEquals(await written, "written");
    cache.add(KEY, during);
    assertEquals(cache.get(KEY.hash), undefined);
    cache.add(KEY, cache.begin());
    assertEquals(cache.get(KEY.hash), KEY);
  });

  it("are not remembered from before a write, and again after one that failed", async () => {
    const { cache } = createAt(0);
    const before = cache.begin();
    await cache.whileWriting(() => Promise.reject(new Error("failed"))).catch(() => {});
    cache.add(KEY, before);
    assertEquals(cache.get(KEY.hash), undefined);
    cache.add(KEY, cache.begin());
    assertEquals(cache.get(KEY.hash), KEY);
  });

  it("are not remembered while any of several writes is under way", async () => {
    const { cache } = createAt(0);
    const [first, last] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const writes = [first, last].map(({ promise }) => cache.whileWriting(() => promise));
    first.resolve();
    await writes[0];
    cache.add(KEY, cache.begin());
    assertEquals(cache.get(KEY.hash), undefined);
    last.resolve();
    await writes[1];
  });

  it("are bounded in number", () => {
    const { cache } = createAt(0);
    const keys = Array.from({ length: 20_001 }, (_, i) => ({ ...KEY, hash: `${i}` }));
    const countKept = () => keys.filter(({ hash }) => cache.get(hash) !== undefined).length;
    for (const key of keys.slice(0, 9_000)) cache.add(key, cache.begin());
    assertEquals(countKept(), 9_000);
    for (const key of keys.slice(9_000)) cache.add(key, cache.begin());
    assert(countKept() > 0 && countKept() <= 10_000, `${countKept()} are kept`);
  });
});

describe("records made of rows", () => {
  const row = (...values: readonly (string | null)[]): Row =>
    values.map((value) => value === null ? null : Buffer.from(value));
  const create = () =>
    createReadSame((row) => ({ values: row.map((value) => value && value.toString("utf8")) }));

  it("are the same as before while no value of the row has changed", () => {
    const read = create();
    const first = read(row("ideas", "Ideas", null));
    assertEquals(first, { values: ["ideas", "Ideas", null] });
    assert(read(row("ideas", "Ideas", null)) === first);
    assert(read(row("other", "Ideas", null)) !== first);
    for (const other of [row("ideas", "More ideas", null), row("ideas", "Ideas", "")]) {
      assertEquals(read(other), {
        values: other.map((value) => value && value.toString("utf8")),
      });
    }
  });

  it("are bounded in number", () => {
    const read = create();
    const rows = Array.from({ length: 20_001 }, (_, i) => row(`${i}`));
    const some = rows.slice(0, 9_000);
    assertEquals(some.map(read).every((record, i) => read(some[i]) === record), true);
    const records = rows.map(read);
    const kept = rows.findLastIndex((row, i) => read(row) !== records[i]) + 1;
    assert(kept >= 10_000, `those from ${kept} on are kept`);
  });
});
