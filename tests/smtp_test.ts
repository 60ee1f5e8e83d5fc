import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { before, describe, it } from "@std/testing/bdd";
import type { SMTPServerOptions } from "smtp-server";
import { MailerError } from "../delivery/mailer.ts";
import { composeMessage } from "../delivery/message.ts";
import { openSmtpMailer, type SmtpMailerOptions } from "../delivery/smtp.ts";
import { type Certificate, makeCertificate } from "./_certificate.ts";
import { mailTo, testMail } from "./_mails.ts";
import { type SmtpServer, startSmtpServer } from "./_smtp_server.ts";

const NOW = new Date("2026-11-21T10:00:00Z");

describe("openSmtpMailer", () => {
  let certificate: Certificate;

  before(async () => void (certificate = await makeCertificate()));

  /** Sends something through a relay with a certificate for localhost. */
  async function withRelay(
    settings: SMTPServerOptions & SmtpMailerOptions & { readonly url?: string },
    use: (mailer: ReturnType<typeof openSmtpMailer>, relay: SmtpServer) => Promise<void>,
  ): Promise<void> {
    const { url = "smtp://localhost", password, tls, idleTimeoutMs, ...options } = settings;
    const { key, cert, ca } = certificate;
    await using relay = await startSmtpServer({ key, cert, ...options });
    const [start, query = ""] = url.split("?");
    const mailer = openSmtpMailer(`${start}:${relay.port}?${query}`, {
      tls: tls ?? { ca },
      now: () => NOW,
      timeoutMs: 10_000,
      password,
      idleTimeoutMs,
    });
    try {
      await use(mailer, relay);
    } finally {
      await mailer.close();
    }
  }

  const ways = {
    "STARTTLS": {},
    "STARTTLS without pipelining": { hidePIPELINING: true },
    "TLS from the start": { url: "smtps://localhost", secure: true },
  };
  for (const [way, settings] of Object.entries(ways)) {
    it(`sends what composeMessage writes over ${way}`, () =>
      withRelay(settings, async (mailer, relay) => {
        const text = `.\r\n..\r\n${"x".repeat(75)}.y\r\n.`;
        const mail = testMail({ text, subject: "Dänk mode" });
        assertEquals(await mailer.send(mail), { state: "sent" });
        assertEquals(relay.received, [{
          from: "news@example.com",
          to: "ann@example.com",
          message: composeMessage(mail, NOW),
          isSecure: true,
          user: "",
        }]);
      }));
  }

  it("sends in plain text when the URL says tls=off", () =>
    withRelay({ url: "smtp://localhost?tls=off" }, async (mailer, relay) => {
      assertEquals(await mailer.send(testMail()), { state: "sent" });
      assertEquals(relay.received.map(({ isSecure }) => isSecure), [false]);
    }));

  it("keeps a connection for each mail that is sent at a time, and no more", () =>
    withRelay({}, async (mailer, relay) => {
      const numbers = Array.from({ length: 100 }, (_, index) => index);
      const queue = numbers.values();
      await Promise.all(Array.from({ length: 10 }, async () => {
        for (const number of queue) {
          assertEquals(await mailer.send(mailTo(number)), { state: "sent" });
        }
      }));
      assertEquals(relay.connections, 10);
      assertEquals(
        relay.received.map(({ to }) => to).sort(),
        numbers.map((number) => mailTo(number).to).sort(),
      );
    }));

  for (const method of ["PLAIN", "LOGIN"]) {
    const login = { authMethods: [method], password: "pä:ss wörd\\" };

    it(`logs in by ${method}`, () =>
      withRelay({
        ...login,
        url: "smtp://news%40example.com@localhost",
        onAuth({ username, password }, _session, done) {
          const isRight = password === login.password;
          done(null, isRight ? { user: username } : {});
        },
      }, async (mailer, relay) => {
        assertEquals(await mailer.send(testMail()), { state: "sent" });
        assertEquals(relay.received.map(({ user }) => user), ["news@example.com"]);
      }));

    it(`rejects when the relay refuses the login by ${method}`, () =>
      withRelay({
        ...login,
        url: "smtp://news%40example.com@localhost",
        onAuth: ({ username, password }, _session, done) =>
          done(new Error(`no ${username} ${password}`)),
      }, async (mailer) => {
        const error = await assertRejects(() => mailer.send(testMail()), MailerError);
        assertEquals(error.message, "The mail relay refused the login: 535");
      }));
  }

  const refusals: Record<string, [RegExp, Parameters<typeof withRelay>[0]]> = {
    "offers no login that it knows": [
      /no login by PLAIN or LOGIN/,
      { url: "smtp://news:secret@localhost", authMethods: ["CRAM-MD5"] },
    ],
    "offers no TLS": [/offers no TLS/, { hideSTARTTLS: true }],
    "has a certificate that nobody trusted has signed": [/UNABLE_TO_VERIFY|UnknownIssuer/, {
      tls: {},
    }],
    "has a certificate for another name": [
      /ALTNAME_INVALID|not valid for name/,
      { url: "smtp://127.0.0.1" },
    ],
    "has a certificate for another name, with TLS from the start": [
      /ALTNAME_INVALID|not valid for name/,
      { url: "smtps://127.0.0.1", secure: true },
    ],
  };
  for (const [what, [message, settings]] of Object.entries(refusals)) {
    it(`rejects when the relay ${what}`, () =>
      withRelay(settings, async (mailer, relay) => {
        const error = await assertRejects(() => mailer.send(testMail()), MailerError);
        assertMatch(error.message, message);
        assert(!error.message.includes("secret"));
        assertEquals(relay.received, []);
      }));
  }

  it("refuses a mail that is larger than the relay takes, without a connection for each", () =>
    withRelay({ size: 2_000 }, async (mailer, relay) => {
      const tooLarge = testMail({ text: "x".repeat(2_000) });
      for (let count = 0; count < 2; count++) {
        const outcome = await mailer.send(tooLarge);
        assertEquals(outcome, {
          state: "refused",
          code: "5.3.4",
          text: "The mail is larger than the relay takes",
        });
      }
      assertEquals(await mailer.send(testMail()), { state: "sent" });
      assertEquals(relay.connections, 1);
    }));
});
