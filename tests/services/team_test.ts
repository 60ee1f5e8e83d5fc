import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Storage } from "../../mod.ts";
import { createService, outcomeOf, type TestService } from "../_support/service.ts";
import { STORAGES } from "../_support/storages.ts";
import { signIn } from "../_support/team.ts";
import { until } from "../_support/waiting.ts";

interface Invited {
  readonly memberId: string;
  readonly invitation: { readonly url: string };
}

const ANN = { userEmail: "ann@example.com", userName: "Ann", role: "editor" };

/** Two processes on one storage, and a member. */
async function start(one: Storage, two: Storage): Promise<[TestService, TestService, Invited]> {
  const services = [one, two].map((storage) => createService({ storage, studio: true }));
  return [services[0], services[1], await services[0].call<Invited>("POST", "team", ANN)];
}

for (const [name, withStorage] of STORAGES) {
  describe(`the team, on ${name}`, () => {
    it("has a session in every process, until it ends in one of them, within a second", () =>
      withStorage(async (first, second) => {
        const [one, two, { memberId, invitation }] = await start(first, second);
        const browser = await signIn(one, invitation.url);
        const headers = {
          cookie: [...browser.cookies].map((pair) => pair.join("=")).join("; "),
          "boardcast-studio": "1",
        };
        const outcome = async () =>
          await outcomeOf(await two.send("GET", "boards", { key: null, headers }));
        assertEquals(await outcome(), "200");
        const started = performance.now();
        await one.send("POST", `team/${memberId}/sign-out`);
        await until(async () => await outcome() === "401 invalid_token");
        assertEquals(performance.now() - started < 1_500, true);
      }));

    it("lets one of two presses on an invitation in", () =>
      withStorage(async (first, second) => {
        const [one, two, { invitation }] = await start(first, second);
        const press = async ({ send }: TestService) => {
          const headers = { "sec-fetch-site": "same-origin" };
          return (await send("POST", invitation.url, { key: null, headers })).status;
        };
        const statuses = await Promise.all([press(one), press(two), press(one), press(two)]);
        assertEquals(statuses.sort(), [303, 410, 410, 410]);
      }));

    it("has one member for an address, however many are added at once", () =>
      withStorage(async (first, second) => {
        const [one, two] = await start(first, second);
        const json = { ...ANN, userEmail: "ben@example.com" };
        const add = async ({ send }: TestService) => (await send("POST", "team", { json })).status;
        const statuses = await Promise.all([add(one), add(two), add(one), add(two)]);
        assertEquals(statuses.sort(), [201, 409, 409, 409]);
      }));
  });
}
