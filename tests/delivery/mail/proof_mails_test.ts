import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openSmtpMailer } from "../../../delivery/mail/smtp.ts";
import { PROOF_MAILS, type ProofMail } from "../../../model/proof/pending.ts";
import { addMs } from "../../../model/values/time.ts";
import { forEachRow } from "../../_support/rows.ts";
import { type Action, startScriptedRelay } from "../../_support/scripted_relay.ts";
import { START } from "../../_support/service.ts";
import { type SignUpService, startSignUps } from "../../_support/sign_ups.ts";
import { until } from "../../_support/waiting.ts";

const HOUR_MS = 3_600_000;

function listMails({ storage }: SignUpService): Promise<readonly ProofMail[]> {
  return storage.list(PROOF_MAILS, { limit: 9 });
}

describe("the mail of a form", () => {
  it("goes at once over another connection when the one that was kept ends", () =>
    forEachRow<Action>([{ say: "421 too many mails in this connection" }, "close"], async (end) => {
      let mails = 0;
      await using relay = await startScriptedRelay((step) =>
        step === "MAIL" && ++mails === 2 ? end : undefined
      );
      const mailer = openSmtpMailer(relay.url);
      await using service = startSignUps({ mailer });
      for (const [index, userEmail] of ["ann@example.com", "bob@example.com"].entries()) {
        await service.post({ userEmail });
        await relay.reached(index + 1);
        // Only then is the connection free for the next mail.
        await until(async () => (await listMails(service)).every(({ state }) => state === "sent"));
      }
      assertEquals(relay.ledger, ["ann@example.com", "bob@example.com"]);
      await service.worker.close();
      await mailer.close();
    }));

  it("waits while the relay refuses everybody, which the log tells, and is sent later", () =>
    forEachRow([
      "554 5.7.1 Relay access denied",
      "550 5.7.1 Client host blocked",
      "550 no",
      "421 later",
    ], async (say) => {
      let isFaulty = true;
      await using relay = await startScriptedRelay((step) =>
        isFaulty && step === "RCPT" ? { say } : undefined
      );
      const mailer = openSmtpMailer(relay.url);
      await using service = startSignUps({ mailer });
      for (const userEmail of ["ann@a.example", "bob@b.example", "eve@c.example"]) {
        await service.post({ userEmail });
      }
      // A mail in flight is claimed for longer than the first pause.
      const pausedUntil = addMs(START, 30_000);
      await until(async () =>
        (await listMails(service)).filter(({ dueAt }) => dueAt === pausedUntil).length === 3
      );
      if (!say.startsWith("421")) {
        await until(() => service.events.some(({ error }) => `${error}`.includes(say.slice(4))));
      }
      isFaulty = false;
      service.advance(HOUR_MS);
      service.worker.wake();
      await relay.reached(3);
      await until(async () => (await listMails(service)).every(({ state }) => state === "sent"));
      await service.worker.close();
      await mailer.close();
    }));
});
