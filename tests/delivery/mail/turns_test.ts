import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Mailer } from "../../../delivery/mail/mailer.ts";
import { listHeaders } from "../../../delivery/mail/message.ts";
import { addresses, type Mailing, startMailing } from "../../_support/mailing.ts";
import { START } from "../../_support/service.ts";

const MINUTE_MS = 60_000;

describe("a mail", () => {
  it("is not sent when the process stood still beyond its lease before its turn", async () => {
    const nowMs = Date.parse(START);
    const stage: { mailing?: Mailing } = {};
    let stoodStillMs = 0;
    const wanted: boolean[] = [];
    const mailer: Mailer = {
      async send(_mail, isWanted) {
        if (wanted.length === 0) stoodStillMs = 10 * MINUTE_MS;
        const isSent = await isWanted!();
        wanted.push(isSent);
        return { state: isSent ? "sent" : "skipped" };
      },
      close: () => Promise.resolve(),
    };
    const elapsed = () => (stage.mailing?.clock.now() ?? nowMs) + stoodStillMs;
    await using started = await startMailing({
      subscribers: addresses(1),
      mailer,
      nowMs,
      elapsed,
    });
    stage.mailing = started;
    await started.publish("a");
    assertEquals(wanted.slice(0, 1), [false]);
    for (let turn = 0; turn < 30 && wanted.length < 2; turn++) {
      await started.clock.advance(MINUTE_MS);
    }
    assertEquals([wanted, await started.counts()], [[false, true], "done 1 0 0"]);
  });

  it("offers to unsubscribe with one POST only where the link is https", () => {
    const list = { id: "changelog.example.com", name: "Changelog" };
    const names = (url: string) => Object.keys(listHeaders(list, url));
    const common = ["List-Id", "List-Unsubscribe", "Auto-Submitted"];
    assertEquals(names("http://example.com/unsubscribe/a"), common);
    assertEquals(
      names("https://example.com/unsubscribe/a").sort(),
      [
        ...common,
        "List-Unsubscribe-Post",
      ].sort(),
    );
  });
});
