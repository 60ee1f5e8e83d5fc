import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { type Mailer, MailerError, type SendOutcome } from "../../../delivery/mail/mailer.ts";
import { openSmtpMailer } from "../../../delivery/mail/smtp.ts";
import { testMail } from "../../_support/mails.ts";
import { CLOSED_PORT } from "../../_support/port.ts";
import { forEachRow } from "../../_support/rows.ts";
import {
  type Action,
  type Script,
  startScriptedRelay,
  type Step,
  STEPS,
  withRelay,
} from "../../_support/scripted_relay.ts";

const SENT: SendOutcome = { state: "sent" };
const TLS_OFFERED = { say: "250-relay\r\n250-STARTTLS\r\n250 AUTH PLAIN" };

/** Each step that may fail, with pipelining and without. */
const PLACES = STEPS.flatMap((step) => [[step, true], [step, false]] as const);

/** Returns a script that acts once, when a step is first reached. */
function scriptOf(step: Step, action: Action, isPipelined = true): Script {
  let isOver = false;
  return (at) => {
    if (at === step && !isOver) {
      isOver = true;
      return action;
    }
    if (at === "EHLO" && !isPipelined) return { say: "250 relay" };
  };
}

/** Checks that the outcome of a mail is unknown if it was sent whole and the reply is lost. */
async function assertUnanswered(mailer: Mailer): Promise<void> {
  const outcome = await mailer.send(testMail());
  assertEquals(Object.values(outcome).join(" "), UNANSWERED);
}

const UNANSWERED = "unknown 4.4.2 The relay did not confirm that it took the mail";

describe("openSmtpMailer", () => {
  it("asks whether a mail is wanted once a connection stands, and sends nothing if it is not", () =>
    withRelay(() => undefined, async (mailer, relay) => {
      for (let mails = 0; mails < 2; mails++) {
        const outcome = await mailer.send(testMail(), () => {
          assert(
            relay.commands[0].some((command) => command.startsWith("EHLO")),
            relay.commands.join(),
          );
          return Promise.resolve(false);
        });
        assertEquals(outcome, { state: "skipped" });
      }
      assertEquals(await mailer.send(testMail(), () => Promise.resolve(true)), SENT);
      assertEquals(relay.commands.length, 1);
      assertEquals(relay.commands[0].filter((command) => command.startsWith("MAIL")).length, 1);
    }));

  it("names the host that it is told to the relay, else the domain of the sender", () =>
    forEachRow([
      [{}, "EHLO acme.example"],
      [{ hello: "updates.example.com" }, "EHLO updates.example.com"],
    ], ([options, expected]) =>
      withRelay(() => undefined, async (mailer, relay) => {
        const from = { name: "", address: "news@acme.example" };
        assertEquals(await mailer.send(testMail({ from })), SENT);
        assertEquals(relay.commands[0][0], expected);
      }, options)));

  it("takes no address for the name of its host", () =>
    forEachRow(["127.0.0.1", "[127.0.0.1]", "::1", "a b", "a\r\nQUIT", ""], (hello) => {
      assertThrows(
        () => openSmtpMailer("smtp://localhost", { hello }),
        TypeError,
        "Cannot use hello",
      );
    }));

  it("rejects when the relay fails as a whole at any step, and sends the next mail", async () => {
    const faults: readonly (readonly [Action, RegExp])[] = [
      [{ say: "421 4.3.2 no ann@example.com" }, /: 421 4\.3\.2 no …$/],
      ["close", /closed|ECONNRESET|EPIPE/],
      [{ say: "HTTP/1.1 400 Bad Request" }, /not SMTP/],
    ];
    const rows = PLACES.flatMap((place) => faults.map((fault) => [...place, ...fault] as const));
    await forEachRow(
      rows,
      ([step, isPipelined, action, message]) =>
        withRelay(scriptOf(step, action, isPipelined), async (mailer, relay) => {
          const isRefusal = `${message}`.includes("421");
          const isOfMail = ["RCPT", "DATA", "."].includes(step);
          if (step === "." && !isRefusal) await assertUnanswered(mailer);
          else if (isOfMail && isRefusal) {
            const outcome = await mailer.send(testMail());
            assertEquals(Object.values(outcome).join(" "), "deferred 4.3.2 no …");
          } else {
            const error = await assertRejects(() => mailer.send(testMail()), MailerError);
            assertMatch(error.message, message);
          }
          assertEquals(await mailer.send(testMail()), SENT);
          assertEquals(relay.commands.length, 2);
        }),
    );
    const mailer = openSmtpMailer(`smtp://127.0.0.1:${CLOSED_PORT}?tls=off`);
    await assertRejects(() => mailer.send(testMail()), MailerError, "ECONNREFUSED");
    await mailer.close();
  });

  it("rejects and hangs up when the relay keeps silent at any step", () =>
    Promise.all([
      ...PLACES.map(([step, isPipelined]) =>
        [step, scriptOf(step, "hang", isPipelined), false] as const
      ),
      ["EHLO", scriptOf("EHLO", TLS_OFFERED), true] as const,
    ].map(([step, script, isSecure]) =>
      withRelay(script, async (mailer, relay) => {
        if (step === ".") await assertUnanswered(mailer);
        else {
          await assertRejects(() => mailer.send(testMail()), MailerError, "did not answer in time");
        }
        await relay.closed(1);
      }, { timeoutMs: 400, isSecure })
    )));

  it("tells what a refusal is about: the recipient, the mail, or the relay as a whole", async () => {
    const rows: readonly (readonly [Step, string, string | RegExp])[] = [
      ["RCPT", "550 5.1.1 <ann@example.com>: unknown", "refused 5.1.1 <…>: unknown"],
      ["RCPT", "550-No such\r\n550 person", "refused 550 No such person"],
      ["RCPT", "450 4.2.0 Come\tback\x1b[1m", "deferred 4.2.0 Come back [1m"],
      ["RCPT", "530 5.7.0 Log in first", "refused 5.7.0 Log in first"],
      ["DATA", "554 5.5.1 No", "refused 5.5.1 No"],
      ["DATA", "451 4.3.0 Later", "deferred 4.3.0 Later"],
      [".", "550-5.7.1 Spam\r\n550 5.7.1 it is", "refused 5.7.1 Spam it is"],
      [".", "452 4.3.1 Disk full", "deferred 4.3.1 Disk full"],
      ["MAIL", "552 5.3.4 Too large", "refused 5.3.4 Too large"],
      ["MAIL", "550 5.7.1 <a@b.cd> may not", /refused the sender: 550 5\.7\.1 <…> may not$/],
      ["MAIL", "451 4.7.1 Too many", /refused the sender: 451 4\.7\.1 Too many$/],
      ["greeting", "554 no", /takes no connections: 554 no$/],
    ];
    const both = rows.flatMap((row) => [[...row, true], [...row, false]] as const);
    await forEachRow(
      both,
      ([step, say, expected, isPipelined]) =>
        withRelay(scriptOf(step, { say }, isPipelined), async (mailer, relay) => {
          if (typeof expected === "string") {
            const outcome = await mailer.send(testMail());
            assertEquals(Object.values(outcome).join(" "), expected);
            if (step === "MAIL") return;
            // The next mail goes through the same connection.
            assertEquals(await mailer.send(testMail()), SENT);
            const [commands, ...others] = relay.commands;
            assertEquals([commands.includes("RSET"), others], [step !== ".", []]);
            return;
          }
          const error = await assertRejects(() => mailer.send(testMail()), MailerError);
          assertMatch(error.message, expected);
          await relay.closed(1);
        }),
    );
  });

  it("takes a new connection when the one that was kept is of no use any more", async () => {
    for (const fault of [{ say: "421 4.7.0 That was enough" }, "close", "hang"] as const) {
      let mails = 0;
      const script: Script = (step) => step === "MAIL" && ++mails === 2 ? fault : undefined;
      await withRelay(script, async (mailer, relay) => {
        for (let i = 0; i < 2; i++) assertEquals(await mailer.send(testMail()), SENT);
        assertEquals(relay.commands.length, 2);
      }, { timeoutMs: 200 });
    }
  });

  it("takes a new connection when the one that was kept refuses more recipients", async () => {
    let recipients = 0;
    const fault = { say: "421 Too many mails in this connection" };
    const script: Script = (step) => step === "RCPT" && ++recipients === 2 ? fault : undefined;
    await withRelay(script, async (mailer, relay) => {
      for (let i = 0; i < 2; i++) assertEquals(await mailer.send(testMail()), SENT);
      assertEquals(relay.commands.length, 2);
    });
  });

  it("sends no message twice when a connection that was kept is lost behind it", async () => {
    let mails = 0;
    const script: Script = (step) => step === "." && ++mails === 2 ? "close" : undefined;
    await withRelay(script, async (mailer, relay) => {
      assertEquals(await mailer.send(testMail()), SENT);
      await assertUnanswered(mailer);
      assertEquals(relay.commands.length, 1);
    });
  });

  it("sends no login unless TLS was started, and takes nothing said before as said over it", async () => {
    await forEachRow([
      ["EHLO", "250 relay", "offers no TLS"],
      ["STARTTLS", "454 4.7.0 no", "does not start TLS: 454"],
      ["STARTTLS", "220 go\r\n250-relay\r\n250 AUTH PLAIN", "spoke before TLS was started"],
    ], ([step, say, message]) =>
      withRelay((at) => {
        if (at === step) return { say };
        if (at === "EHLO") return TLS_OFFERED;
      }, async (mailer, relay) => {
        await assertRejects(() => mailer.send(testMail()), MailerError, message);
        await relay.closed(1);
        assert(!relay.commands.join().includes("AUTH"), relay.commands.join());
      }, { isSecure: true }));
  });

  it("tells why a login is refused, without the password that the relay repeats", () =>
    forEachRow([
      ["535 5.7.8 No: secret c2VjcmV0", "The mail relay refused the login: 535 5.7.8 No: … …"],
      [
        "535 Maximum credits exceeded",
        "The mail relay refused the login: 535 Maximum credits exceeded",
      ],
    ], async ([say, message]) => {
      await using relay = await startScriptedRelay(
        (step) => step === "EHLO" ? { say: "250-relay\r\n250 AUTH PLAIN" } : undefined,
        { AUTH: () => say },
      );
      const mailer = openSmtpMailer(relay.url.replace("//", "//ann:secret@"));
      const error = await assertRejects(() => mailer.send(testMail()), MailerError);
      assertEquals(error.message, message);
      await mailer.close();
    }));

  it("advises smtps where a relay does not greet", () =>
    withRelay((step) => step === "greeting" ? "hang" : undefined, async (mailer) => {
      await assertRejects(() => mailer.send(testMail()), MailerError, "try smtps://");
    }, { timeoutMs: 100 }));

  it("closes a connection that was not used for a while, and opens another", () =>
    withRelay(() => undefined, async (mailer, relay) => {
      assertEquals(await mailer.send(testMail()), SENT);
      await relay.closed(1);
      assertEquals(relay.commands[0].at(-1), "QUIT");
      assertEquals(await mailer.send(testMail()), SENT);
      assertEquals(relay.commands.length, 2);
    }, { idleTimeoutMs: 20 }));

  it("says goodbye when it is closed, gives up what is under way, and takes no more", async () => {
    await forEachRow(STEPS, async (step) => {
      const reached = Promise.withResolvers<void>();
      await withRelay((at, connection) => {
        if (at !== step || connection === 0) return;
        reached.resolve();
        return "hang";
      }, async (mailer, relay) => {
        const sent = mailer.send(testMail());
        const sending = step === "."
          ? assertUnanswered(mailer)
          : assertRejects(() => mailer.send(testMail()), MailerError, "The mailer is closed");
        await Promise.all([sent, reached.promise]);
        await mailer.close();
        await sending;
        await relay.closed(2);
        assertEquals(relay.commands[0].at(-1), "QUIT");
        await assertRejects(() => mailer.send(testMail()), MailerError, "The mailer is closed");
      });
    });
  });
});
