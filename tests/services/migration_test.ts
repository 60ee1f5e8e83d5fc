import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openFileStorage } from "../../adapters/file.ts";
import { openMemoryStorage } from "../../adapters/memory.ts";
import type { AnyKind, Item, Kind, Storage } from "../../adapters/storage.ts";
import { KINDS_VERSION, LAYOUT, SETTINGS } from "../../model/kinds.ts";
import { type Layout, moveRecord, type Step } from "../../model/steps.ts";
import { moveAll } from "../../services/migration.ts";
import { put } from "../_contract/calls.ts";
import { withFolder } from "../_support/folder.ts";
import { withKvStorage } from "../_support/kv.ts";

const TO = KINDS_VERSION + 1;
const OLD_NOTES: Kind<Item> = {
  name: "notes",
  key: "noteId",
  fields: { noteId: "text", text: "text", by: "text" },
  indexes: { byText: { by: "text" } },
};
const NOTES: Kind<Item> = {
  name: "notes",
  key: "noteId",
  fields: { noteId: "text", words: "integer", colour: "text" },
  defaults: { colour: "grey" },
  indexes: { byColour: { by: "colour" } },
};
const AUTHORS: Kind<Item> = { name: "authors", key: "author", fields: { author: "text" } };

/** Counts the words of notes, moves their authors to a kind of their own, drops empty notes. */
const STEP: Step = {
  to: TO,
  kind: NOTES as AnyKind,
  move: ({ noteId, text, by }) =>
    text === "empty" ? [] : [
      { kind: NOTES as AnyKind, record: { noteId, words: String(text).split("-").length } },
      { kind: AUTHORS as AnyKind, record: { author: by } },
    ],
};
const LAYOUT_AFTER: Layout = {
  ...LAYOUT,
  version: TO,
  kinds: [...LAYOUT.kinds, NOTES as AnyKind, AUTHORS as AnyKind],
  steps: [STEP],
};
const OPTIONS = { layout: LAYOUT_AFTER, pause: () => Promise.resolve() };
const COUNT = 150;

async function fill(storage: Storage): Promise<void> {
  await put(storage, SETTINGS, { settingId: "version", value: `${KINDS_VERSION}` });
  for (let at = 0; at < COUNT; at++) {
    const text = at === 7 ? "empty" : "one-two";
    await put(storage, OLD_NOTES, { noteId: `n${at}`, text, by: `a${at % 3}` });
  }
}

async function assertMoved(storage: Storage): Promise<void> {
  const notes = await storage.list(NOTES, { index: "byColour", limit: 1_000 });
  assertEquals(notes.length, COUNT - 1);
  assertEquals(notes[0], { noteId: "n0", words: 2, colour: "grey" });
  assertEquals((await storage.list(AUTHORS, { limit: 10 })).map(({ author }) => author), [
    "a0",
    "a1",
    "a2",
  ]);
  const settings = await storage.list(SETTINGS, { limit: 10 });
  assertEquals(settings, [{ settingId: "version", value: `${TO}` }]);
}

/** Returns a storage that fails at a transaction. */
function failingAt(storage: Storage, number: number): Storage {
  let left = number;
  return {
    ...storage,
    transact: (refs, decide) =>
      --left === 0 ? Promise.reject(new Error("the power fails")) : storage.transact(refs, decide),
  };
}

describe("a step", () => {
  it("gives records the fields of their kind, and no others", () => {
    const record = { noteId: "n", text: "a-b-c", by: "ann" };
    assertEquals(moveRecord([STEP], { kind: NOTES as AnyKind, record }).map((it) => it.record), [
      { noteId: "n", words: 3, colour: "grey" },
      { author: "ann" },
    ]);
  });

  it("is refused when it changes a key, or makes records that a step moves", () => {
    const record = { noteId: "n", text: "a", by: "ann" };
    for (const made of [{ kind: NOTES, record: { noteId: "m" } }, { kind: AUTHORS, record }]) {
      const steps: Step[] = [
        { ...STEP, move: () => [made as never] },
        { ...STEP, kind: AUTHORS as AnyKind },
      ];
      assertThrows(
        () => moveRecord(steps, { kind: NOTES as AnyKind, record }),
        TypeError,
        "A step of notes makes",
      );
    }
  });
});

describe("a migration", () => {
  it("moves the records in a folder, which another start reads", () =>
    withFolder(async (folder) => {
      const storage = await openFileStorage(folder);
      await fill(storage);
      await moveAll(storage, KINDS_VERSION, OPTIONS);
      await storage.close();
      const again = await openFileStorage(folder);
      await assertMoved(again);
      await again.close();
    }));

  it("moves the records in Deno KV, and their indexes", () =>
    withKvStorage(async (storage) => {
      await fill(storage);
      await moveAll(storage, KINDS_VERSION, OPTIONS);
      await assertMoved(storage);
    }));

  it("goes on where it was interrupted, at whatever step", async () => {
    for (let at = 1; at <= 8; at++) {
      const storage = openMemoryStorage();
      await fill(storage);
      await moveAll(failingAt(storage, at), KINDS_VERSION, OPTIONS).catch(() => {});
      const version = Number((await storage.get(SETTINGS, "version"))?.value);
      await moveAll(storage, version, OPTIONS);
      await assertMoved(storage);
    }
  });

  it("is shared by processes that start at once", () =>
    withKvStorage(async (storage) => {
      await fill(storage);
      await Promise.all([1, 2, 3].map(() => moveAll(storage, KINDS_VERSION, OPTIONS)));
      await assertMoved(storage);
    }));

  it("raises the version before it moves a record, and gives other processes time to stop", () =>
    withKvStorage(async (storage) => {
      await fill(storage);
      const pauses: number[] = [];
      async function pause(ms: number): Promise<void> {
        pauses.push(ms);
        assertEquals((await storage.get(SETTINGS, "version"))?.value, `${TO}`);
        assertEquals((await storage.list(AUTHORS, { limit: 1 })).length, 0);
      }
      await moveAll(storage, KINDS_VERSION, { layout: LAYOUT_AFTER, pause });
      assertEquals(pauses.length, 1);
      assert(pauses[0] > 5_500, "less than the 500 ms until a check and the 5 s of a call");
    }));

  it("changes nothing when a step fails at the first record", async () => {
    const storage = openMemoryStorage();
    await fill(storage);
    function move(): never {
      throw new Error("can't be moved");
    }
    const layout = { ...LAYOUT_AFTER, steps: [{ ...STEP, move }] };
    await assertRejects(() => moveAll(storage, KINDS_VERSION, { ...OPTIONS, layout }));
    const notes = await storage.list(OLD_NOTES, { index: "byText", limit: 1_000 });
    assertEquals(notes.length, COUNT);
    assertEquals((await storage.get(SETTINGS, "version"))?.value, `${KINDS_VERSION}`);
  });
});
