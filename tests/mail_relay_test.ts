import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { DEFERRALS } from "../model/kinds.ts";
import { addresses, startMailing } from "./_mailing.ts";
import { type Action, type Script, type Step, withRelay } from "./_scripted_relay.ts";

const PEOPLE = addresses(20);
const MINUTE_MS = 60_000;

/** Fails at a step as long as `isIll` says so. */
function scriptOf(step: Step, action: Action, isIll: () => boolean): Script {
  return (at) => at === step && isIll() ? action : undefined;
}

describe("a delivery through a relay", () => {
  it("that can't be used waits, and then mails everybody", async () => {
    const rows: readonly (readonly [string, Step, Action, RegExp])[] = [
      ["busy", "greeting", { say: "421 4.3.2 closing" }, /421/],
      ["closing at once", "greeting", "close", /./],
      ["without a greeting", "greeting", "hang", /./],
      ["busy later on", "RCPT", { say: "421 4.7.0 too many" }, /421/],
      ["that refuses the sender", "MAIL", { say: "550 5.7.1 who?" }, /sender/],
      ["that hangs at a recipient", "RCPT", "hang", /./],
      ["that closes in mid-message", ".", "close", /./],
      ["that hangs after a message", ".", "hang", /./],
      ["that is busy after a message", ".", { say: "421 4.3.0 closing" }, /421/],
    ];
    for (const [name, step, action, problem] of rows) {
      let isIll = true;
      const script = scriptOf(step, action, () => isIll);
      await withRelay(script, async (mailer, relay) => {
        await using mailing = await startMailing({ subscribers: PEOPLE, mailer });
        await mailing.publish("a");
        const ill = await mailing.delivery("a");
        assertEquals([ill.state, ill.sent, ill.failed, ill.deferred], ["running", 0, 0, 0], name);
        assert(problem.test(`${ill.problem}`) && !ill.problem?.includes("@"), `${ill.problem}`);
        assertEquals(await mailing.storage.list(DEFERRALS, { limit: 1 }), []);
        isIll = false;
        await mailing.clock.advance(5_000);
        const { state, sent, failed, deferred } = await mailing.delivery("a");
        assertEquals([state, sent, failed, deferred], ["done", 20, 0, 0], name);
        const mailed = relay.commands.flat().filter((line) => line.startsWith("RCPT"));
        // Ten were on their way before.
        assert(mailed.length <= 30, `${mailed.length}`);
      }, { timeoutMs: 150 });
    }
  });

  it("that refuses or defers recipients mails all others", async () => {
    const rows: readonly (readonly [string, Step, string, readonly [number, number, number]])[] = [
      ["refused", "RCPT", "550 5.1.1 unknown", [0, 20, 0]],
      ["refused at the end", ".", "554 5.6.0 spam", [0, 20, 0]],
      ["deferred", "RCPT", "450 4.2.0 later", [0, 0, 20]],
      ["deferred at the end", ".", "451 4.3.0 later", [0, 0, 20]],
    ];
    for (const [name, step, say, expected] of rows) {
      let isIll = true;
      await withRelay(scriptOf(step, { say }, () => isIll), async (mailer) => {
        await using mailing = await startMailing({ subscribers: PEOPLE, mailer });
        await mailing.publish("a");
        const { sent, failed, deferred } = await mailing.delivery("a");
        assertEquals([sent, failed, deferred], expected, name);
        isIll = false;
        await mailing.clock.advance(2 * MINUTE_MS);
        const after = await mailing.delivery("a");
        const [, refused] = expected;
        assertEquals(
          [after.state, after.sent, after.failed],
          ["done", 20 - refused, refused],
          name,
        );
      });
    }
  });
});
