import { assert } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import process from "node:process";
import { prepareEntryMail } from "../../../delivery/mail/entry_mail.ts";
import { prepareWeeklyMail } from "../../../delivery/mail/weekly_mail.ts";
import { readBrand } from "../../../model/brand.ts";
import { createDelivery } from "../../../model/deliveries/delivery.ts";
import type { Entry } from "../../../model/entries/entry.ts";
import { parseMarkdown } from "../../../model/entries/markdown.ts";
import { forEachRow } from "../../_support/rows.ts";
import { START } from "../../_support/service.ts";

const MAX_BODY = 32_768;
// Where all is done in one turn, and each part is measured by itself, it is 7 or more.
const MAX_RATIO = 5;
const RUNS = 3;
const SETTINGS = {
  ...readBrand({}),
  publicUrl: "https://example.com",
  from: { name: "", address: "news@example.com" },
  footer: "",
};

function fill(text: string, head = ""): string {
  return head + text.repeat(Math.floor((MAX_BODY - head.length) / text.length));
}

/** What is of many parts when it is parsed, written or cut; the first takes longest to parse. */
const BODIES: readonly string[] = [
  ...["*a* ", "*_", "**a** `b` ", "[a](http://b.c) ", "[a](", "a\n\n", "*a*\n\n", "> a\n\n"],
  ...["- a\n", "- *a*\n", "- [ ] a\n", "- a\n\n* b\n\n", "a|b\n-|-\nc|d\n\n"],
].map((text) => fill(text)).concat(
  fill("|*a*|`b`|\n", "|a|b|\n|-|-|\n"),
  fill("|\n", `|${"a|".repeat(2_000)}\n|${"-|".repeat(2_000)}\n`),
);

function entryOf(body: string): Entry {
  return {
    ...{ entryId: "a", title: "A", body, labels: [], url: null, state: "published" },
    ...{ publishedAt: START, createdAt: START, updatedAt: START },
    ...{ createdBy: null, updatedBy: null, publishedBy: null },
  } as unknown as Entry;
}

function cpuMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
}

/** Returns the processor time of the longest turn of the event loop until something is done. */
async function measureTurns(work: () => Promise<unknown>): Promise<number> {
  let longestMs = 0;
  let isDone = false;
  const done = work().finally(() => isDone = true);
  while (!isDone) {
    const before = process.cpuUsage();
    await new Promise((resolve) => setTimeout(resolve, 0));
    longestMs = Math.max(longestMs, cpuMs(before));
  }
  await done;
  return longestMs;
}

/** The fastest of some runs, which a busy machine hardly changes. */
async function fastest(measure: () => number | Promise<number>): Promise<number> {
  let leastMs = Infinity;
  for (let run = 0; run < RUNS; run++) leastMs = Math.min(leastMs, await measure());
  return leastMs;
}

describe("a mail with entries of 32 KiB", () => {
  it("is prepared in turns that are hardly longer than to parse one, whatever is in it", async () => {
    const parsedMs = await fastest(() => {
      const before = process.cpuUsage();
      parseMarkdown(BODIES[0]);
      return cpuMs(before);
    });
    async function check(prepare: () => Promise<unknown>): Promise<void> {
      const ratio = await fastest(() => measureTurns(prepare)) / parsedMs;
      assert(ratio < MAX_RATIO, `${ratio.toFixed(1)} times as long`);
    }
    await forEachRow(BODIES, (body) => check(() => prepareEntryMail(entryOf(body), SETTINGS)));
    const week = Array.from({ length: 10 }, () => entryOf(BODIES[0]));
    await check(() => prepareWeeklyMail(createDelivery("a", START), week, SETTINGS));
  });
});
