import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openFileStorage } from "../../../adapters/file.ts";
import { openMemoryStorage, type Storage } from "../../../mod.ts";
import { DELIVERIES } from "../../../model/kinds.ts";
import { withFolder } from "../../_support/folder.ts";
import { addresses, createGate, DEFERRED, duringDelivery } from "../../_support/mailing.ts";
import { REFUSED, SENT, startMailing } from "../../_support/mailing.ts";
import { forEachRow } from "../../_support/rows.ts";
import { until } from "../../_support/waiting.ts";

const PEOPLE = addresses(40);

describe("erasure during a delivery", () => {
  it("leaves nothing of the person, also in files, and the delivery where it is", async () => {
    await forEachRow([
      ["the cursor", 9, SENT],
      ["deferred", 9, DEFERRED],
      ["refused", 8, REFUSED],
      ["under way, then sent", 10, SENT],
      ["under way, then deferred", 10, DEFERRED],
      ["under way, then refused", 10, REFUSED],
    ], ([, index, reply]) =>
      withFolder(async (folder) => {
        const storage = await openFileStorage(folder);
        const person = PEOPLE[index];
        const gate = createGate(10, (to) => to >= PEOPLE[10]);
        const mailing = await startMailing({
          storage,
          subscribers: PEOPLE,
          async relay(mail) {
            await gate.relay(mail);
            return mail.to === person ? reply : SENT;
          },
        });
        await duringDelivery(mailing, gate, async () => {
          mailing.clock.tick(1_000);
          await until(async () => (await storage.get(DELIVERIES, "a"))?.cursor === "000009");
          await mailing.subscriber("DELETE", person);
          assertEquals(await mailing.stores(person), false);
          assertEquals((await mailing.delivery("a")).deferred, 0);
        });
        const others = PEOPLE.filter((to) => to !== person);
        assertEquals(mailing.recipients.filter((to) => to !== person), others);
        assertEquals((await mailing.delivery("a")).state, "done");
        await mailing.worker.close();
        await storage.close();
        for await (const { name } of Deno.readDir(folder)) {
          const text = await Deno.readTextFile(`${folder}/${name}`);
          assertEquals(text.includes(person), false, name);
        }
      }));
  });

  it("leaves nothing where the delivery is stored in the midst of it", async () => {
    const memory = openMemoryStorage();
    let between: (() => Promise<void>) | undefined;
    const storage: Storage = {
      ...memory,
      async transact(refs, decide) {
        const run = between;
        between = undefined;
        await run?.();
        return await memory.transact(refs, decide);
      },
    };
    const [person, ...others] = addresses(10).toReversed();
    const gate = createGate(10);
    await using mailing = await startMailing({
      storage,
      subscribers: [person, ...others],
      async relay(mail) {
        await gate.relay(mail);
        return mail.to > "u5" ? DEFERRED : SENT;
      },
    });
    const published = mailing.publish("a");
    await gate.reached;
    // This happens after the erasure has looked for traces and before it removes them.
    between = () => {
      gate.release();
      return published;
    };
    await mailing.subscriber("DELETE", person);
    assertEquals([await mailing.stores(person), await mailing.counts()], [false, "running 5 0 4"]);
  });
});
