import { describe, it } from "@std/testing/bdd";
import { createUnsubscribeLink, openLinkCipher } from "../services/unsubscribe_links.ts";
import { START } from "./_service.ts";
import { assertOrdered, look, type Step, take } from "./_sign_up_races.ts";
import { startSignUps } from "./_sign_ups.ts";
import { STORAGES } from "./_storages.ts";

const ROUNDS = Number(Deno.env.get("BOARDCAST_SIGN_UP_ROUNDS") ?? 24);
const FAST = { requests: 1_000_000, windowSeconds: 1 };
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
        const cipher = await openLinkCipher(storage);
        for (let round = 0; round < ROUNDS; round++) {
          const userEmail = `ann${round}@example.com`;
          const link = await one.signUp(userEmail);
          const unsubscribeLink = new URL(
            await createUnsubscribeLink(cipher, "http://a", userEmail),
          );
          const race = RACES[round % RACES.length];
          const turn = Math.floor(round / RACES.length);
          const steps = race.map((_, i) => race[(i + turn) % race.length]);
          const answers = await Promise.all(steps.map((step, i) => {
            const service = (turn + i) % 2 === 0 ? one : two;
            return take(step, {
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
