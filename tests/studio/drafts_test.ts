import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { loseAnswer, markSent, takeAnswer, takeFault } from "../../studio/drafts/answers.js";
import { newDraft, reconnect, settle, typeWords } from "../../studio/drafts/draft.js";
import { addressOf, nextRequest } from "../../studio/drafts/requests.js";
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
      return world.type(tab, (["title", "body", "body", "url", "labels"] as const)[random(5)]);
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
      return world.settle(tab);
    default:
      return void world.decide(tab);
  }
}

/** Opens all that was kept and ends what was begun, with a server that answers. */
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
      // Words that miss a title or a text are not stored.
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

  it("are found where a colleague has moved them before the first answer came, and stay there", () => {
    const words = { title: "Dark mode", body: "Text", labels: "", url: "" };
    let draft = settle(typeWords(newDraft("id"), words));
    draft = reconnect(loseAnswer(markSent(draft, nextRequest(draft)!, 1)));
    const search = nextRequest(draft)!;
    assertEquals(search.kind, "search");
    const missing = takeFault(markSent(draft, search, 2), { status: 404, code: "", errors: [] });
    assertEquals(nextRequest(missing), draft.creating);
    const entry = {
      ...{ entryId: "night", title: "Dark mode", body: "Text", labels: [], url: null },
      ...{ state: "draft", publishedAt: null, createdAt: "1", updatedAt: "1" },
    };
    draft = takeAnswer(markSent(draft, search, 2), { entry, etag: '"1"' });
    assertEquals([nextRequest(draft), addressOf(draft)], [undefined, "night"]);
  });
});
