import { assert, assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { Buffer } from "node:buffer";
import { copyRange, eachLine, readLines, writeFully } from "../adapters/_file/io.ts";
import { createSimulatedDisk } from "./_file/simulated_disk.ts";

// Longer than what is read at a time, by more than its double.
const LONG = 700_000;

describe("a file of lines", () => {
  const text = [10, LONG, 0, 5, 300_000, 1].map((length) => "x".repeat(length)).join("\n");
  for (const [ending, content] of [["with", `${text}\n`], ["without", text]]) {
    it(`is read as chunks of whole lines, ${ending} a newline at its end`, async () => {
      const disk = createSimulatedDisk({}, new Map([["/file", Buffer.from(content)]]));
      let read = "";
      for await (const { bytes, offset } of readLines(await disk.open("/file", "read"))) {
        assertEquals(offset, read.length);
        assertEquals(read === "" || read.endsWith("\n"), true, `a line is cut at ${offset}`);
        read += bytes;
      }
      assert(read === content);
    });
  }

  it("is told line by line, but for what has no newline", () => {
    const bytes = Buffer.from("one\n\nthree\nrest");
    const lines: string[] = [];
    eachLine(bytes, (start, end) => void lines.push(bytes.toString("utf8", start, end)));
    assertEquals(lines, ["one", "", "three"]);
  });
});

describe("a part of a file", () => {
  const content = Buffer.from(Array.from({ length: 3_000_000 }, (_, i) => i % 251));

  it("is copied to where it is to go, byte for byte", async () => {
    const disk = createSimulatedDisk({}, new Map([["/from", content]]));
    const target = await disk.open("/to", "create");
    await copyRange(await disk.open("/from", "read"), target, { start: 7, end: 2_500_000, to: 3 });
    const copy = Buffer.from(disk.files.get("/to")!);
    assert(copy.equals(Buffer.concat([Buffer.alloc(3), content.subarray(7, 2_500_000)])));
  });

  it("is refused when the file ends before it", async () => {
    const disk = createSimulatedDisk({}, new Map([["/from", Buffer.from("short")]]));
    const source = await disk.open("/from", "read");
    const target = await disk.open("/to", "create");
    await assertRejects(() => copyRange(source, target, { start: 0, end: 6, to: 0 }), Error, "end");
  });

  it("is refused when the disk takes no bytes of it", async () => {
    const disk = createSimulatedDisk({ writeMaxBytes: 0 });
    const file = await disk.open("/to", "create");
    await assertRejects(() => writeFully(file, content, 0), Error, "no bytes");
  });
});
