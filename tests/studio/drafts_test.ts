import { exampleOf } from "../../model/declare.ts";
import { ENTRY } from "../../model/entries/entry.ts";
import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import {
  copyDraft,
  loseResponse,
  markSent,
  takeFault,
  takeResponse,
} from "../../studio/drafts/responses.js";
import {
  isKeptDraft,
  keptOf,
  nameDraft,
  newDraft,
  openDraft,
  reconnect,
  restoreDraft,
  typeAddress,
  typeWords,
} from "../../studio/drafts/draft.js";
import { addressOf, nextRequest } from "../../studio/drafts/requests.js";
import type { Found } from "../../studio/drafts/draft.js";
import { toJson, toPostIds, type Words } from "../../studio/drafts/words.js";
import { type Luck, textsOf, World } from "./_world.ts";

const SEQUENCES = 2_000;
const STEPS = 40;
const LUCK: readonly Luck[] = ["answered", "answered", "answered", "answer lost", "request lost"];

/** Creates a source of numbers that are the same for the same seed. */
function createRandom(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 >>> 0;
  return (below) => {
    state = (Math.imul(state ^ state >>> 15, 0x2c1b3c6d) + 0x297a2d39) >>> 0;
    return ((state ^ state >>> 13) >>> 0) % below;
  };
}

function step(world: World, random: (below: number) => number): void {
  const tab = random(world.tabs.length || 1);
  if (world.tabs.length === 0) return world.openNew();
  switch (random(14)) {
    case 0:
    case 1:
    case 2:
      return world.type(
        tab,
        (["title", "body", "body", "url", "labels", "posts"] as const)[random(6)],
      );
    case 3:
    case 4:
    case 5:
      return void world.send(tab, LUCK[random(LUCK.length)]);
    case 6:
      return world.save(tab);
    case 7:
      return world.reconnect(tab);
    case 8:
      return world.meddle();
    case 9:
      return world.close(tab);
    case 10: {
      const all = [...world.entries.keys()];
      return all.length > 0 && random(2) === 0
        ? world.openStored(all[random(all.length)])
        : world.openNew();
    }
    case 11:
      return world.look(tab);
    case 12:
      return random(2) === 0 ? world.name(tab) : world.typeAddress(tab);
    default:
      return void world.decide(tab);
  }
}

/** Opens all kept drafts and completes all started work, with a server that answers. */
function finish(world: World): void {
  for (let round = 0; round < 40; round++) {
    for (const { id, base } of world.kept.values()) {
      if (world.tabs.some((tab) => tab.id === id)) continue;
      if (base) world.openStored(base.entry.entryId);
      else world.openNew();
    }
    let isQuiet = true;
    for (let tab = 0; tab < world.tabs.length; tab++) {
      world.reconnect(tab);
      // A draft without a title or a text is not stored.
      for (const field of ["title", "body"] as const) {
        if (!world.tabs[tab].words[field] && world.kept.has(world.tabs[tab].id)) {
          world.type(tab, field);
        }
      }
      for (let sent = 0; world.send(tab, "answered"); sent++) {
        isQuiet = false;
        assert(sent < 50, "it never ends");
      }
      while (world.decide(tab)) isQuiet = false;
    }
    if (isQuiet) return;
  }
}

describe("drafts", () => {
  it("lose no word, double none and make none public unasked, whatever happens", () => {
    for (let seed = 1; seed <= SEQUENCES; seed++) {
      const random = createRandom(seed);
      const world = new World(random);
      for (let number = 0; number < STEPS; number++) step(world, random);
      finish(world);
      const texts = new Set(textsOf(world).split(/\s+/));
      const lost = [...world.words].filter((word) => !texts.has(word));
      assertEquals([lost, world.faults], [[], []], `sequence ${seed}`);
    }
  });

  const ID = "draft-0123456789ab";
  const WORDS = { title: "Dark mode", body: "Text", labels: "", url: "", posts: "" };

  function found(entryId: string, words: Partial<Words> = {}): Found {
    const { title, body, posts } = { ...WORDS, ...words };
    const entry = {
      ...exampleOf(ENTRY.fields),
      entryId,
      title,
      body,
      labels: [],
      url: null,
      posts: toPostIds(posts),
      state: "draft" as const,
      publishedAt: null,
      createdAt: "1",
      updatedAt: "1",
    };
    return { entry, etag: '"1"' };
  }

  it("are created under their own identity, and looked up there after a lost answer", () => {
    let draft = typeWords(newDraft(ID), WORDS);
    const create = nextRequest(draft)!;
    assertEquals(create, { kind: "create", entryId: ID, words: WORDS });
    draft = reconnect(loseResponse(markSent(draft, create)));
    draft = typeWords(draft, { ...WORDS, body: "Text, and more" });
    const look = { kind: "look", entryId: ID } as const;
    assertEquals(nextRequest(draft), look);
    const missing = takeFault(markSent(draft, look), { status: 404, code: "", errors: [] });
    assertEquals(nextRequest(missing)?.kind, "create");
    draft = takeResponse(markSent(draft, look), found(ID));
    assertEquals(nextRequest(draft), {
      ...{ kind: "change", entryId: ID, etag: '"1"', words: { body: "Text, and more" } },
      to: undefined,
    });
  });

  it("take a 409 of their own identity for their own entry, sent twice by the browser", () => {
    let draft = typeWords(newDraft(ID), WORDS);
    draft = markSent(draft, nextRequest(draft)!);
    draft = takeFault(draft, { status: 409, code: "entry_exists", errors: [] });
    assertEquals(nextRequest(draft)?.kind, "look");
    draft = takeResponse(markSent(draft, nextRequest(draft)!), found(ID));
    assertEquals([nextRequest(draft), draft.theirs], [undefined, undefined]);
  });

  it("have the address of their title once they are named, or a numbered one where it is taken", () => {
    let draft = typeWords(newDraft(ID), WORDS);
    draft = takeResponse(markSent(draft, nextRequest(draft)!), found(ID));
    assertEquals([nextRequest(draft), addressOf(draft)], [undefined, "dark-mode"]);
    draft = nameDraft(draft);
    draft = markSent(draft, nextRequest(draft)!);
    draft = takeFault(draft, { status: 409, code: "entry_exists", errors: [] });
    assertEquals(nextRequest(draft), {
      ...{ kind: "change", entryId: ID, etag: '"1"', words: {}, to: "dark-mode-2" },
    });
    draft = takeResponse(markSent(draft, nextRequest(draft)!), found("dark-mode-2"));
    assertEquals([nextRequest(draft), addressOf(draft)], [undefined, "dark-mode-2"]);
  });

  it("have a numbered address where their title is a word of the API, and keep one that stays", () => {
    const fault = {
      status: 422,
      code: "validation_failed",
      errors: [{ field: "entryId", code: "invalid_value", detail: "" }],
    };
    let draft = typeWords(newDraft(ID), { ...WORDS, title: "Export" });
    draft = takeResponse(markSent(draft, nextRequest(draft)!), found(ID));
    draft = nameDraft(draft);
    draft = takeFault(markSent(draft, nextRequest(draft)!), fault);
    const next = nextRequest(draft)!;
    assertEquals("to" in next && next.to, "export-2");
    draft = takeFault(markSent(draft, next), fault);
    assertEquals([nextRequest(draft), draft.naming], [undefined, undefined]);
  });

  it("keep a typed address until it is stored, and say where it is taken", () => {
    let draft = typeWords(newDraft(ID), WORDS);
    draft = takeResponse(markSent(draft, nextRequest(draft)!), found(ID));
    draft = typeAddress(draft, "night");
    draft = restoreDraft(keptOf(draft)!);
    draft = takeResponse(markSent(draft, nextRequest(draft)!), found(ID));
    draft = markSent(draft, nextRequest(draft)!);
    const taken = takeFault(draft, { status: 409, code: "entry_exists", errors: [] });
    assertEquals([taken.refused.entryId?.value, nextRequest(taken)], ["night", undefined]);
    draft = takeResponse(draft, found("night"));
    assertEquals([draft.address, addressOf(draft), keptOf(draft)], [undefined, "night", undefined]);
  });

  it("ship ideas of their own: a copy has none while its original exists, and all once it is gone", () => {
    const draft = openDraft(ID, found(ID, { posts: "dark night" }));
    assertEquals(draft.words.posts, "dark night");
    const next = nextRequest(typeWords(draft, { ...draft.words, posts: "dark" }))!;
    assertEquals("words" in next && toJson(next.words), { posts: ["dark"] });
    assertEquals(copyDraft(draft, "draft-copy").words.posts, "");
    assertEquals(copyDraft({ ...draft, isGone: true }, "draft-copy").words.posts, "dark night");
  });

  it("are left alone where the browser keeps a damaged one", () => {
    const kept = keptOf(typeWords(newDraft(ID), WORDS));
    assertEquals(isKeptDraft(JSON.parse(JSON.stringify(kept))), true);
    for (const damaged of [null, 1, {}, { ...kept, words: {} }, { ...kept, base: { entry: {} } }]) {
      assertEquals(isKeptDraft(damaged), false);
    }
  });
});
