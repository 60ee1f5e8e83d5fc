import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { addresses, startMailing } from "./_mailing.ts";

describe("a delivery", () => {
  it("mails every subscriber once, in order", async () => {
    const subscribers = addresses(250);
    await using mailing = await startMailing({ subscribers });
    await mailing.subscribe("not@example.com", false);
    await mailing.publish("a");
    assertEquals([...mailing.recipients].sort(), subscribers);
    const { state, sent, failed, deferred, problem } = await mailing.delivery("a");
    assertEquals([state, sent, failed, deferred, problem], ["done", 250, 0, 0, null]);
  });
});
