import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Storage } from "../../mod.ts";
import { NDJSON_TYPE } from "../../routes/_http/reply.ts";
import { importCounts, SUBSCRIBERS } from "../_support/import.ts";
import { startMailing } from "../_support/mailing.ts";
import { createService } from "../_support/service.ts";
import { readAll, STORAGES } from "../_support/storages.ts";

const ANN = "ann@example.com";
const BOB = "bob@example.com";
const NDJSON = { type: NDJSON_TYPE };

async function createWithAnn(storage: Storage) {
  const service = createService({ storage });
  const subscribe = async (userEmail: string) => {
    await service.call("PUT", "changelogs/subscribe", { userEmail, subscribe: true });
  };
  await subscribe(ANN);
  await subscribe(BOB);
  const headers = { Accept: NDJSON_TYPE };
  const list = await (await service.send("GET", SUBSCRIBERS, { headers })).text();
  await service.send("DELETE", `${SUBSCRIBERS}/${ANN}`);
  const status = async () => (await service.send("GET", `${SUBSCRIBERS}/${ANN}`)).status;
  return { service, subscribe, list, status };
}

for (const [name, withStorage] of STORAGES) {
  describe(`somebody who was erased from ${name}`, () => {
    it("does not come back with a list from before", () =>
      withStorage(async (storage) => {
        const { service, list, status } = await createWithAnn(storage);
        const dry = await importCounts(service, list, { ...NDJSON, query: "?dryRun" });
        assertEquals([dry.keptUnsubscribed, dry.unchanged], [1, 1]);
        const counts = await importCounts(service, list, NDJSON);
        assertEquals(counts, { unchanged: 1, keptUnsubscribed: 1 });
        assertEquals((await readAll(storage)).includes(ANN), false);
        const optOut = `{"userEmail":"${ANN}","subscribed":false}\n`;
        assertEquals(await importCounts(service, optOut, NDJSON), { keptUnsubscribed: 1 });
        assertEquals(await status(), 404);
      }));

    it("comes back where a list says to subscribe again, and by the API", () =>
      withStorage(async (storage) => {
        const { service, subscribe, list, status } = await createWithAnn(storage);
        await subscribe(ANN);
        assertEquals(await importCounts(service, list, NDJSON), { unchanged: 2 });
        await service.send("DELETE", `${SUBSCRIBERS}/${ANN}`);
        const again = { ...NDJSON, query: "?resubscribe" };
        assertEquals(await importCounts(service, list, again), { added: 1, unchanged: 1 });
        assertEquals(await status(), 200);
      }));

    it("does not come back with a list that is being imported meanwhile", () =>
      withStorage(async (storage) => {
        const service = createService({ storage });
        for (let i = 0; i < 20; i++) {
          const userEmail = `ann${i}@example.com`;
          await service.call("PUT", "changelogs/subscribe", { userEmail, subscribe: true });
          const list = `{"userEmail":"${userEmail}","subscribed":true}\n`;
          await Promise.all([
            importCounts(service, list, NDJSON),
            service.send("DELETE", `${SUBSCRIBERS}/${userEmail}`),
            importCounts(service, list, NDJSON),
          ]);
          assertEquals((await service.send("GET", `${SUBSCRIBERS}/${userEmail}`)).status, 404);
        }
      }));
  });
}

describe("somebody who was erased", () => {
  it("gets nothing when everybody on a restored list is mailed", async () => {
    await using mailing = await startMailing();
    const { service } = mailing;
    await mailing.subscribe(ANN);
    await mailing.subscribe(BOB);
    const headers = { Accept: NDJSON_TYPE };
    const list = await (await service.send("GET", SUBSCRIBERS, { headers })).text();
    await mailing.subscriber("DELETE", ANN);
    await mailing.subscriber("DELETE", BOB);
    await mailing.subscribe(BOB);
    await importCounts(service, list, NDJSON);
    await mailing.publish("a");
    assertEquals(mailing.recipients, [BOB]);
  });
});
