import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage, type Storage } from "../../mod.ts";
import { PROOF_MAILS } from "../../model/proof/pending.ts";
import { createUnsubscribeLink } from "../../services/subscriptions/unsubscribe_links.ts";
import { macrotask } from "../_contract/calls.ts";
import { START } from "../_support/service.ts";
import { assertOrdered, look, type Step, take } from "../_support/sign_up_races.ts";
import { ANN, startSignUps } from "../_support/sign_ups.ts";
import { STORAGES } from "../_support/storages.ts";
import { openCipher } from "../../services/privacy/sealed.ts";

const ROUNDS = Number(Deno.env.get("BOARDCAST_SIGN_UP_ROUNDS") ?? 24);
const FAST = { requests: 1_000_000, windowSeconds: 1 };
const DAY_MS = 24 * 3_600_000;
// The clock of the other server is late.
const LATE_MS = Date.parse(START) - 5_000;
const RACES: readonly (readonly Step[])[] = [
  ["confirm", "erase"],
  ["confirm", "opt out"],
  ["confirm", "leave"],
  ["confirm", "confirm", "erase"],
  ["confirm", "opt out", "erase"],
  ["confirm", "confirm", "leave", "opt out", "erase"],
];

for (const [name, withStorage] of STORAGES) {
  describe(`a sign-up on ${name}`, () => {
    it("comes to what some order comes to when confirmed and ended at the same time", () =>
      withStorage(async (storage, another) => {
        await using one = startSignUps({ storage, signUpRate: FAST });
        await using two = startSignUps({ storage: another, nowMs: () => LATE_MS });
        const cipher = await openCipher(storage, "unsubscribe");
        for (let round = 0; round < ROUNDS; round++) {
          const userEmail = `ann${round}@example.com`;
          const link = await one.signUp(userEmail);
          const unsubscribeLink = new URL(
            createUnsubscribeLink(cipher, "http://a", userEmail),
          );
          const race = RACES[round % RACES.length];
          const turn = Math.floor(round / RACES.length);
          const steps = race.map((_, i) => race[(i + turn) % race.length]);
          const answers = await Promise.all(steps.map(async (step, i) => {
            // Other steps wait for some turns, because an erasure begins with reads and would
            // always come last.
            for (let wait = i * (turn % 4); wait > 0; wait--) await macrotask();
            const service = (turn + i) % 2 === 0 ? one : two;
            return await take(step, {
              service,
              userEmail,
              link,
              unsubscribeLink: unsubscribeLink.pathname,
            });
          }));
          const answered = steps.map((step, i) => [step, answers[i]] as const);
          for (const service of [one, two]) {
            assertOrdered(answered, await look(service, { userEmail, link }), `round ${round}`);
          }
        }
      }));
  });
}

describe("a sign-up of today", () => {
  it("is not forgotten when another server forgets yesterday's", async () => {
    const storage = openMemoryStorage();
    await using yesterday = startSignUps({ storage });
    await yesterday.signUp();
    const listed = Promise.withResolvers<void>();
    const mailed = Promise.withResolvers<void>();
    const list: Storage["list"] = async (kind, query) => {
      const page = await storage.list(kind, query);
      if (kind.name === PROOF_MAILS.name && query.limit > 1) {
        listed.resolve();
        await mailed.promise;
      }
      return page;
    };
    const nowMs = () => Date.parse(START) + 8 * DAY_MS;
    await using other = startSignUps({ storage: { ...storage, list }, nowMs });
    await listed.promise;
    await using today = startSignUps({ storage, nowMs });
    await today.signUp();
    mailed.resolve();
    await other.worker.close();
    await today.post({ userEmail: ANN });
    await today.worker.close();
    assertEquals(today.mails.length, 1);
  });
});
