import { assert } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { simulateChoices } from "../../_support/choices/simulation.ts";
import { STORAGES } from "../../_support/storages.ts";

describe("people who choose, leave and are erased over four weeks, while processes end or stand still", () => {
  for (const [name, withStorage] of STORAGES) {
    it(`get what the model says, nobody twice but for what was in flight, on ${name}`, () =>
      withStorage(async (storage, another) => {
        const all = [storage, another];
        let opened = 0;
        const open = () => Promise.resolve(all[opened++ % 2]);
        const size = { seed: 20_261_121, people: 60, kills: 1, pauses: 1, processes: 2 };
        const { kills } = await simulateChoices(open, size);
        assert(kills >= 12, `${kills} kills`);
      }));
  }
});
