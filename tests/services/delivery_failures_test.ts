import { deliveryPath } from "../_support/deliveries.ts";
import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { failureIdOf, type ShownDeliveryFailure } from "../../model/deliveries/delivery_failure.ts";
import { DELIVERY_FAILURES } from "../../model/kinds.ts";
import { insertRecord } from "../../services/records.ts";
import {
  addresses,
  DEFERRED,
  DISABLED,
  type Mailing,
  REFUSED,
  SENT,
  startMailing,
} from "../_support/mailing.ts";
import { assertProblem, createService, START } from "../_support/service.ts";

const PATH = `${deliveryPath("a")}/failures`;
const HOUR_MS = 3_600_000;

/** The page that a caller gets. */
interface Page {
  readonly data: readonly ShownDeliveryFailure[];
  readonly nextCursor: string | null;
}

const failures = ({ service }: Mailing, query = "") => service.call<Page>("GET", PATH + query);

function refuse(count: number, code = REFUSED) {
  const refused = addresses(count);
  return ({ to }: { readonly to: string }) => refused.includes(to) ? code : SENT;
}

describe("the failures of a delivery", () => {
  it("are the people who were not reached, by address, with the time and the reply of the relay", async () => {
    const subscribers = ["ben@example.com", "ann@example.com", "cem@example.com"];
    const relay = ({ to }: { readonly to: string }) => to.startsWith("cem") ? SENT : REFUSED;
    await using mailing = await startMailing({ subscribers, relay });
    await mailing.publish("a");
    const reason = { code: "5.1.1", text: "550 5.1.1 unknown", failedAt: START };
    assertEquals(await failures(mailing), {
      data: [
        { userEmail: "ann@example.com", ...reason },
        { userEmail: "ben@example.com", ...reason },
      ],
      nextCursor: null,
    });
  });

  it("have those who were tried again in vain, once it is given up", async () => {
    await using mailing = await startMailing({ subscribers: addresses(1), relay: () => DEFERRED });
    await mailing.publish("a");
    assertEquals((await failures(mailing)).data, []);
    for (let hours = 0; hours < 48; hours++) await mailing.clock.advance(HOUR_MS);
    assertEquals((await failures(mailing)).data.map(({ code }) => code), ["4.2.0"]);
  });

  it("come in pages, and are those of one entry alone", async () => {
    // Ten refusals in a row would count as the relay's own fault, and this many unknown mailboxes
    // would open the breaker.
    const subscribers = addresses(140);
    const refused = subscribers.filter((_, index) => index % 2 === 0);
    const relay = ({ to }: { readonly to: string }) => refused.includes(to) ? DISABLED : SENT;
    await using mailing = await startMailing({ subscribers, relay });
    for (const entryId of ["A", "a", "b"]) await mailing.publish(entryId);
    const first = await failures(mailing, "?limit=50");
    const second = await failures(mailing, `?limit=50&cursor=${first.nextCursor}`);
    const found = [...first.data, ...second.data].map(({ userEmail }) => userEmail);
    assertEquals([found, second.nextCursor], [refused, null]);
  });

  it("are forgotten with the person, and with the entry", async () => {
    const relay = refuse(3);
    await using mailing = await startMailing({ subscribers: addresses(3), relay });
    await mailing.publish("a");
    await mailing.subscriber("DELETE", addresses(3)[1]);
    assertEquals((await failures(mailing)).data.length, 2);
    assertEquals(await mailing.stores(addresses(3)[1]), false);
    await mailing.service.send("DELETE", "/api/v1/changelogs/entries/a");
    assertEquals(await mailing.storage.list(DELIVERY_FAILURES, { limit: 1 }), []);
  });

  it("go with the next delivery when a crash left them of an entry that is gone", async () => {
    await using mailing = await startMailing({ subscribers: addresses(1), relay: refuse(1) });
    await mailing.publish("a");
    for (const userEmail of ["ann@example.com", "~~~@example.com"]) {
      const failureId = failureIdOf("gone", userEmail);
      const failure = {
        failureId,
        entryId: "gone",
        userEmail,
        code: "5.1.1",
        text: "",
        failedAt: START,
        isReported: false,
      };
      await insertRecord(mailing.storage, DELIVERY_FAILURES, failure);
    }
    await mailing.publish("b");
    const left = await mailing.storage.list(DELIVERY_FAILURES, { limit: 9 });
    assertEquals([...new Set(left.map(({ entryId }) => entryId))], ["a", "b"]);
  });

  it("need entries:read and subscriptions:read, and a delivery", async () => {
    const { send, createKey } = createService();
    for (const scope of ["entries:read", "subscriptions:read"] as const) {
      const key = await createKey([scope]);
      await assertProblem(await send("GET", PATH, { key }), 403, "insufficient_scope");
    }
    const key = await createKey(["entries:read", "subscriptions:read"]);
    await assertProblem(await send("GET", PATH, { key }), 404, "delivery_not_found");
  });
});
