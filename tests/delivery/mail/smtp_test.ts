import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { before, describe, it } from "@std/testing/bdd";
import type { SMTPServerOptions } from "smtp-server";
import { parseSmtpUrl } from "../../../delivery/mail/smtp/relay.ts";
import { MailerError } from "../../../delivery/mail/mailer.ts";
import { composeMessage } from "../../../delivery/mail/message.ts";
import { openSmtpMailer, type SmtpMailerOptions } from "../../../delivery/mail/smtp.ts";
import { type Certificate, makeCertificate } from "../../_support/certificate.ts";
import { testMail } from "../../_support/mails.ts";
import { forEachRow } from "../../_support/rows.ts";
import { type SmtpServer, startSmtpServer } from "../../_support/smtp_server.ts";

type Settings = SMTPServerOptions & SmtpMailerOptions & { readonly url?: string };

const NOW = new Date("2026-11-21T10:00:00Z");
const SENT = { state: "sent" } as const;
const PASSWORD = "pä:ss wörd\\";
const LOGIN = { url: "smtp://news%40example.com@localhost", password: PASSWORD };

describe("openSmtpMailer", () => {
  let certificate: Certificate;

  before(async () => void (certificate = await makeCertificate()));

  /** Calls a function with a mailer for a relay that has a certificate for localhost. */
  async function withRelay(
    settings: Settings,
    use: (mailer: ReturnType<typeof openSmtpMailer>, relay: SmtpServer) => Promise<void>,
  ): Promise<void> {
    const { url = "smtp://localhost", password, tls, ...options } = settings;
    const { key, cert, ca } = certificate;
    await using relay = await startSmtpServer({ key, cert, ...options });
    const [start, query = ""] = url.split("?");
    const mailer = openSmtpMailer(`${start}:${relay.port}?${query}`, {
      tls: tls ?? { ca },
      now: () => NOW,
      timeoutMs: 10_000,
      password,
    });
    await use(mailer, relay).finally(() => mailer.close());
  }

  it("sends what composeMessage writes, over TLS unless the URL says tls=off", async () => {
    const ways: readonly Settings[] = [
      {},
      { hidePIPELINING: true },
      { url: "smtps://localhost", secure: true },
      { url: "smtp://localhost?tls=off" },
    ];
    const mail = testMail({ text: `.\r\n..\r\n${"x".repeat(75)}.y\r\n.`, subject: "Dänk mode" });
    const people = { from: "news@example.com", to: "ann@example.com" };
    const sent = { ...people, message: composeMessage(mail, NOW), user: "" };
    await Promise.all(ways.map((settings) =>
      withRelay(settings, async (mailer, relay) => {
        assertEquals(await mailer.send(mail), SENT);
        const received = relay.received.map(({ atMs: _, ...mail }) => mail);
        assertEquals(received, [{ ...sent, isSecure: !settings.url?.endsWith("off") }]);
      })
    ));
  });

  it("tells the relay the addresses of the envelope, where it has others", () =>
    withRelay({}, async (mailer, relay) => {
      const envelope = { from: "bounces@example.com", to: "ann@example.com" };
      const mail = testMail({ envelope });
      assertEquals(await mailer.send(mail), SENT);
      const [{ from, to, message }] = relay.received;
      assertEquals({ from, to }, envelope);
      assertEquals(message, composeMessage(mail, NOW));
      const bad = testMail({ envelope: { ...envelope, from: "a@example.com>\r\nRCPT TO:<eve" } });
      await assertRejects(() => mailer.send(bad), TypeError);
    }));

  it("logs in by PLAIN or LOGIN, and tells nothing of a login that is refused", () =>
    Promise.all(["PLAIN", "LOGIN"].map(async (method) => {
      const login = { ...LOGIN, authMethods: [method] };
      await withRelay({
        ...login,
        onAuth: ({ username, password }, _session, done) =>
          done(null, password === PASSWORD ? { user: username } : {}),
      }, async (mailer, relay) => {
        assertEquals(await mailer.send(testMail()), SENT);
        assertEquals(relay.received.map(({ user }) => user), ["news@example.com"]);
      });
      const onAuth: Settings["onAuth"] = ({ username, password }, _session, done) =>
        done(new Error(`no ${username} ${password}`));
      await withRelay({ ...login, onAuth }, async (mailer) => {
        const error = await assertRejects(() => mailer.send(testMail()), MailerError);
        assertMatch(error.message, /^The mail relay refused the login: 535 /);
        assert(!error.message.includes(PASSWORD), error.message);
      });
    })));

  it("sends nothing to a relay that it can't trust or log in to", async () => {
    const rows: readonly (readonly [RegExp, Settings])[] = [
      [/no login by PLAIN or LOGIN/, { ...LOGIN, authMethods: ["CRAM-MD5"] }],
      [/UNABLE_TO_VERIFY|UnknownIssuer/, { tls: {} }],
      [/ALTNAME_INVALID|not valid for name/, { url: "smtp://127.0.0.1" }],
    ];
    await Promise.all(
      rows.map(([message, settings]) =>
        withRelay(settings, async (mailer, relay) => {
          const error = await assertRejects(() => mailer.send(testMail()), MailerError);
          assertMatch(error.message, message);
          assert(!error.message.includes(PASSWORD));
          assertEquals(relay.received, []);
        })
      ),
    );
  });

  it("refuses a mail that is larger than the relay takes, and keeps the connection", () =>
    withRelay({ size: 2_000 }, async (mailer, relay) => {
      const text = "The mail is larger than the relay takes";
      const outcome = await mailer.send(testMail({ text: "x".repeat(2_000) }));
      assertEquals(outcome, { state: "refused", code: "5.3.4", text });
      assertEquals(await mailer.send(testMail()), SENT);
      assertEquals(relay.connections, 1);
    }));
});

describe("the URL of a relay", () => {
  it("says where it is, whether TLS is there from the start, and how to log in", async () => {
    const login = { user: "ann@example.com", password: "s/e:c ret" };
    await forEachRow<readonly [string, ReturnType<typeof parseSmtpUrl>]>([
      ["smtp://mail.example.com", { host: "mail.example.com", port: 587, tls: "starttls" }],
      ["SMTPS://mail.example.com/", { host: "mail.example.com", port: 465, tls: "implicit" }],
      ["smtp://[::1]:25?tls=off", { host: "::1", port: 25, tls: "off" }],
      ["smtps://ann%40example.com:s%2Fe%3Ac%20ret@127.0.0.1:1465", {
        ...{ host: "127.0.0.1", port: 1465, tls: "implicit", login },
      }],
    ], ([url, target]) => assertEquals(parseSmtpUrl(url), target));
    // Outside the URL, nothing is percent-encoded.
    const other = parseSmtpUrl("smtp://ann@localhost", { password: "%41" });
    assertEquals(other.login, { user: "ann", password: "%41" });
  });

  it("is refused, with nothing of what may be secret, when it is wrong", async () => {
    const unreadable = `mail.example.com http://mail.example.com smtp:mail.example.com smtp://
      smtp://mail.example.com:0 smtp://mail.example.com/path smtp://mail.example.com#part
      smtp://mäil.example.com smtp://ann:%zzsecret@mail.example.com
      smtp://ann:1?secret@mail.example.com`.split(/\s+/);
    await forEachRow<readonly [url: string, message: string, password?: string]>([
      ...[...unreadable, "", "smtp://mail.example.com\r\n"]
        .map((url) => [url, "Cannot use url: write smtp://"] as const),
      ["smtp://mail.example.com?secret=1", 'no parameter "secret"'],
      ["smtp://mail.example.com?tls=off&tls=off", "the parameter tls out"],
      ["smtps://mail.example.com?tls=off", "smtps"],
      ["smtp://ann@mail.example.com", "Cannot use password: the user in the URL needs one"],
      ["smtp://mail.example.com", "a password needs a user", "secret"],
      ["smtp://ann:secret@mail.example.com", "Cannot use password: there is another", "secret"],
      ["smtp://ann:sec%00ret@mail.example.com", "NUL"],
    ], ([url, message, password]) => {
      const error = assertThrows(() => openSmtpMailer(url, { password }), TypeError, message);
      assert(!error.message.replace(/parameter "\w+"/, "").includes("secret"), error.message);
    });
  });
});
