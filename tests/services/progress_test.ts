import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage } from "../../mod.ts";
import { createDelivery } from "../../model/deliveries/delivery.ts";
import { cancelDelivery, startDelivery } from "../../model/deliveries/delivery_steps.ts";
import { DELIVERIES } from "../../model/kinds.ts";
import { commitProgress } from "../../services/deliveries/progress.ts";
import { insertRecord, replaceRecord } from "../../services/records.ts";
import { START } from "../_support/service.ts";

describe("what became of mails", () => {
  it("counts once when it is stored again, also of a delivery that was cancelled", async () => {
    for (const isCancelled of [false, true]) {
      const storage = openMemoryStorage();
      const delivery = startDelivery(createDelivery("a", START), 2, { now: START });
      await insertRecord(storage, DELIVERIES, delivery);
      if (isCancelled) {
        const ref = { kind: DELIVERIES, key: "a" };
        await replaceRecord(storage, ref, (current) => cancelDelivery(current, START));
      }
      const results = ["1", "2"].map((place) => ({
        ...{ userEmail: `u${place}@example.com`, place, deferral: undefined },
        ...{ passed: 0, attempts: 0, outcome: { state: "sent" } as const, hadFailure: false },
      }));
      const progress = { delivery, results, now: START };
      for (let i = 0; i < 2; i++) await commitProgress(storage, storage.transact, progress);
      assertEquals((await storage.get(DELIVERIES, "a"))?.sent, 2);
    }
  });
});
