import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { readReport } from "../../../delivery/bounces/read_report.ts";
import type { BounceEvent } from "../../../model/bounces/bounce_event.ts";
import {
  OTHERS,
  PERMANENT,
  type Server,
  SERVERS,
  writeReport,
} from "../../_support/bounces/reports.ts";
import { forEachRow } from "../../_support/rows.ts";

function read(text: string, contentType = "message/rfc822"): readonly BounceEvent[] {
  const report = readReport({ contentType, text });
  if (typeof report === "string") throw new Error(report);
  return report.events;
}

describe("a delivery report", () => {
  it("is read as permanent if there is no such mailbox or domain, whatever server wrote it", async () => {
    assert(PERMANENT.length + OTHERS.length >= 60);
    await forEachRow(PERMANENT, ({ server, status, said }) => {
      const [{ address, type, at }, ...rest] = read(
        writeReport(server, { status, diagnostic: said }),
      );
      assertEquals([address, type, at], [
        "ann@example.com",
        "permanent",
        "2026-11-25T09:30:00.000Z",
      ]);
      assertEquals(rest, []);
    });
  });

  it("is never read as permanent if it is about anything else", async () => {
    await forEachRow(OTHERS, ({ server, status, said }) => {
      const [{ address, type }, ...rest] = read(writeReport(server, { status, diagnostic: said }));
      assertEquals([address, type, rest.length], ["ann@example.com", "temporary", 0]);
    });
  });

  it("is read in whatever encoding its words are", () =>
    forEachRow([
      ["iso-2022-jp", "7bit", "\x1b$B08@h$OB8:_$7$^$;$s\x1b(B"],
      ["ISO-2022-JP", "base64", "GyRCMDhAaCRPQjg6XyQ3JF4kOyRzGyhC"],
      ["windows-1251", "base64", "z+7r/Ofu4uDy5ev8IO3lIO3g6eTl7Q=="],
      [
        "koi8-r",
        "quoted-printable",
        "=F0=CF=CC=D8=DA=CF=D7=C1=D4=C5=CC=D8 =CE=C5 =CE=C1=CA=C4=C5=CE",
      ],
      ["iso-8859-1", "quoted-printable", "Empf=E4nger unbekannt"],
      ["utf-8", "quoted-printable", "Empf=C3=A4nger unbekannt"],
      ["x-nobody-knows", "quoted-printable", "Empf=C3=A4nger unbekannt"],
    ], ([charset, encoding, said]) => {
      const [event] = read(
        "From: MAILER-DAEMON@acme.example\nSubject: x\nContent-Type: multipart/report; boundary=b\n\n" +
          `--b\nContent-Type: text/plain; charset="${charset}"\nContent-Transfer-Encoding: ${encoding}\n\n` +
          `${said}\n--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; acme.example\n\n` +
          "Final-Recipient: rfc822; ann@example.com\nAction: failed\nStatus: 5.0.0\n--b--\n",
      );
      assertEquals([event.address, event.type], ["ann@example.com", "permanent"]);
    }));

  it("means nothing while the relay still tries, or where the mail was passed on", async () => {
    await forEachRow([
      ["delayed", "other"],
      ["delayed (will retry)", "other"],
      ["delivered", "delivered"],
      ["relayed", "other"],
      ["expanded", "other"],
      ["", "other"],
    ], ([action, expected]) => {
      const [event] = read(writeReport("postfix", { status: "5.1.1", action }));
      assertEquals(event.type, expected);
    });
  });

  it("names the mail, and the addresses of its recipient, the surest first", () => {
    const status = "5.1.1";
    const [event] = read(writeReport("gmail", { status, recipient: "ann@forwarded.example" }));
    assertEquals(event.address, "ann@forwarded.example");
    assertEquals(event.otherAddresses, ["ann@example.com"]);
    assertEquals(event.messageId, "<abc@acme.example>");
  });

  it("is read for each recipient by itself", () => {
    const report = writeReport("sendmail", {
      status: "5.1.1",
      diagnostic: "SMTP; 550 5.1.1 User unknown",
    });
    const second = "Last-Attempt-Date: x\n\nFinal-Recipient: RFC822; <bob@example.com>\n" +
      "Action: failed\nStatus: 5.2.2 (mailbox full)\n";
    const events = read(report.replace(/Last-Attempt-Date: .*\n/, second));
    assertEquals(events.map(({ address, type }) => `${address} ${type}`), [
      "ann@example.com permanent",
      "bob@example.com temporary",
    ]);
  });

  it("may be posted without the head of its mail", () => {
    const mail = writeReport("postfix", { status: "5.1.1" });
    const [, boundary] = /boundary="(.*)"/.exec(mail)!;
    const body = mail.slice(mail.indexOf("\n\n") + 2);
    const [event] = read(
      body,
      `multipart/report; report-type=delivery-status; boundary="${boundary}"`,
    );
    assertEquals([event.address, event.type], ["ann@example.com", "permanent"]);
  });

  it("breaks nothing, however it is damaged", () => {
    const mails = (Object.keys(SERVERS) as Server[]).map((server) =>
      writeReport(server, { status: "5.1.1", diagnostic: "smtp; 550 5.1.1 User unknown" })
    );
    for (const mail of mails) {
      for (let end = 0; end < mail.length; end += 37) {
        const cut = mail.slice(0, end) + mail.slice(end + 11);
        readReport({ contentType: "message/rfc822", text: cut });
      }
    }
  });

  it("means nothing while the relay still tries, in plain text either", async () => {
    await forEachRow([
      ["Warning: message 1abc delayed 24 hours", "The message has not yet been delivered."],
      ["Delivery status notification: warning", "This is only a temporary failure report."],
      ["Returned mail", "THIS IS A WARNING MESSAGE ONLY. 451 try again later"],
      ["Delivery incomplete", "We will retry for 47 more hours. 450 4.2.1 busy"],
    ], ([subject, words]) => {
      const mail = `From: MAILER-DAEMON@mx.acme.example\nSubject: ${subject}\n\n` +
        `A message to <ann@example.com>:\n${words}\n`;
      assertEquals(read(mail).map(({ type }) => type), ["other"]);
    });
  });

  it("of several people in plain text is read for each by itself", () => {
    const mail = writeReport("old_open_smtpd", {
      status: "",
      diagnostic: "552 5.2.2 Mailbox full\nbob@example.com: 550 5.1.1 User unknown",
    });
    assertEquals(read(mail).map(({ address, type }) => `${address} ${type}`), [
      "ann@example.com temporary",
      "bob@example.com permanent",
    ]);
  });

  it("finds the recipient where the address is encoded as xtext (RFC 3461)", () => {
    const report = writeReport("postfix", { status: "5.1.1" })
      .replaceAll(/;\s?ann@example\.com/g, "; ann+2Bnews+3Dx@example.com");
    const [{ address, otherAddresses }] = read(report);
    assertEquals(address, "ann+news=x@example.com");
    assertEquals(otherAddresses, ["ann+2Bnews+3Dx@example.com", "ann@example.com"]);
  });

  it("is found in a mail that passes it on", () => {
    const report = writeReport("sendmail", {
      status: "5.1.1",
      diagnostic: "SMTP; 550 User unknown",
    });
    const attached = "From: filter@acme.example\nContent-Type: multipart/mixed; boundary=o\n\n" +
      `--o\nContent-Type: message/rfc822\n\n${report}\n--o--\n`;
    const text = writeReport("work_mail", {
      status: "5.1.1",
      diagnostic: "smtp; 550 User unknown",
    });
    const quoted = "From: Eve <eve@acme.example>\n\nSee below:\n\n" +
      text.slice(text.indexOf("An error")).replaceAll("=\n", "").replace(/^/gm, "> ");
    for (const mail of [attached, quoted]) {
      const [{ address, type }] = read(mail);
      assertEquals([address, type], ["ann@example.com", "permanent"]);
    }
  });

  it("is not what a person writes, even about one", () => {
    const text = "From: Eve <eve@example.com>\nSubject: Re: bounce\n\n" +
      "ann@example.com: 550 5.1.1 User unknown\n";
    assertEquals(typeof readReport({ contentType: "message/rfc822", text }), "string");
  });
});

describe("a complaint", () => {
  const TOKEN = "a".repeat(60);
  const write = (type: string, fields = "", to = "ann@example.com") =>
    `Date: Wed, 25 Nov 2026 09:30:00 +0000
From: <abuse@provider.example>
Subject: FW: About a
Content-Type: multipart/report; report-type=feedback-report; boundary="f"

--f
Content-Type: text/plain

This is an email abuse report.

--f
Content-Type: message/feedback-report

Feedback-Type: ${type}
User-Agent: Feedback/1.0
Version: 1
${fields}
--f
Content-Type: message/rfc822

From: news@acme.example
To: ${to}
List-Unsubscribe: <https://example.com/unsubscribe/${TOKEN}>

--f--
`;

  it("is read (RFC 5965), unless its type says that it is none", async () => {
    await forEachRow([
      ["abuse", "complaint"],
      ["Fraud", "complaint"],
      ["other", "complaint"],
      ["opt-out", "unsubscribe"],
      ["not-spam", "other"],
      ["auth-failure", "other"],
    ], ([type, expected]) => {
      const [event] = read(write(type));
      const at = "2026-11-25T09:30:00.000Z";
      assertEquals([event.type, event.address, event.at], [expected, "ann@example.com", at]);
    });
  });

  it("is read as Outlook sends it, and as Yahoo names who complained", () => {
    const outlook = `From: staff@hotmail.com
Subject: complaint about message from 192.0.2.1
Date: Wed, 25 Nov 2026 09:30:00 +0000
Content-Type: multipart/mixed; boundary="o"

--o
Content-Type: message/rfc822
Content-Disposition: inline

X-HmXmrOriginalRecipient: ann@example.com
X-Reporter-IP: 192.0.2.1
To: someone
Message-ID: <abc@acme.example>

Hello
--o--
`;
    const yahoo = write("abuse", "", "undisclosed-recipients:;")
      .replace("From: news", "X-Apparently-To: ann@example.com via 192.0.2.1; x\nFrom: news");
    for (const mail of [outlook, yahoo]) {
      const [{ type, address }] = read(mail);
      assertEquals([type, address], ["complaint", "ann@example.com"]);
    }
  });

  it("of Amazon SES is read where SNS sends it as mail", () => {
    const event = JSON.stringify({
      notificationType: "Complaint",
      complaint: { complainedRecipients: [{ emailAddress: "ann@example.com" }] },
      mail: {},
    });
    const message = JSON.stringify(
      { Type: "Notification", TopicArn: "a", Message: event },
      null,
      1,
    );
    // Relays break long lines.
    for (const text of [event.replace("{}", "\n {}"), message.replace("ann", "a!\n nn")]) {
      const mail = `From: no-reply@sns.amazonaws.com\n\n${text}\n\n--\nStop\n`;
      assertEquals(read(mail).map(({ type, address }) => `${type} ${address}`), [
        "complaint ann@example.com",
      ]);
    }
  });

  it("names the person who complained rather than the recipient, and the link if both are hidden", () => {
    const named = read(write("abuse", "Original-Rcpt-To: <bob@example.com>\n"));
    assertEquals([named[0].address, named[0].otherAddresses], ["bob@example.com", [
      "ann@example.com",
    ]]);
    const [hidden] = read(write("abuse", "", "undisclosed-recipients:;"));
    assertEquals(hidden.address, "");
    assertEquals(hidden.evidence?.tokens, [TOKEN]);
  });
});

describe("an answer by a program", () => {
  it("is read, and means nothing", async () => {
    await forEachRow([
      "Auto-Submitted: auto-replied (vacation)",
      "Auto-Submitted: auto-replied",
      "X-Autoreply: yes",
      "Precedence: auto_reply",
      "X-Autorespond: About a",
      "Auto-Submitted: auto-generated",
      "X-Auto-Response-Suppress: All",
      "Content-Type: multipart/report; report-type=disposition-notification; boundary=b\n\n" +
      "--b\nContent-Type: message/disposition-notification\n\nDisposition: displayed\n--b--",
    ], (head) => {
      const events = read(
        `From: ann@example.com\n${head}\n\nI am away until Monday: 550 5.1.1 user unknown\n`,
      );
      assertEquals(events.map(({ type }) => type), ["other"]);
    });
  });
});
