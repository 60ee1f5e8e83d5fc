import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { readReport } from "../../../delivery/bounces/read_report.ts";
import type { BounceEvent } from "../../../model/bounces/bounce_event.ts";
import { OTHERS, PERMANENT } from "../../_support/bounces/report_rows.ts";
import { SERVERS } from "../../_support/bounces/reports.ts";
import { forEachRow } from "../../_support/rows.ts";

function read(text: string, contentType = "message/rfc822"): readonly BounceEvent[] {
  const report = readReport({ contentType, text });
  if (typeof report === "string") throw new Error(report);
  return report.events;
}

describe("a delivery report", () => {
  it("is read as permanent if there is no such mailbox or domain, whatever server wrote it", async () => {
    assert(PERMANENT.length + OTHERS.length >= 60);
    await forEachRow(PERMANENT, ([server, status, diagnostic]) => {
      const [{ address, type, at }, ...rest] = read(SERVERS[server]({ status, diagnostic }));
      assertEquals([address, type, at], [
        "ann@example.com",
        "permanent",
        "2026-11-25T09:30:00.000Z",
      ]);
      assertEquals(rest, []);
    });
  });

  it("is never read as permanent if it is about anything else", async () => {
    await forEachRow(OTHERS, ([server, status, diagnostic]) => {
      const [{ address, type }, ...rest] = read(SERVERS[server]({ status, diagnostic }));
      assertEquals([address, type, rest.length], ["ann@example.com", "temporary", 0]);
    });
  });

  it("is counted while the relay still tries, and means nothing where the mail was passed on", async () => {
    await forEachRow([
      ["delayed", "temporary"],
      ["delayed (will retry)", "temporary"],
      ["delivered", "delivered"],
      ["relayed", "other"],
      ["expanded", "other"],
      ["", "other"],
    ], ([action, expected]) => {
      const [event] = read(SERVERS.postfix({ status: "5.1.1", action }));
      assertEquals(event.type, expected);
    });
  });

  it("names the mail, and the addresses of its recipient, the surest first", () => {
    const status = "5.1.1";
    const [event] = read(SERVERS.gmail({ status, recipient: "ann@forwarded.example" }));
    assertEquals(event.address, "ann@forwarded.example");
    assertEquals(event.otherAddresses, ["ann@example.com"]);
    assertEquals(event.messageId, "<abc@acme.example>");
  });

  it("is read for each recipient by itself", () => {
    const report = SERVERS.sendmail({
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
    const mail = SERVERS.postfix({ status: "5.1.1" });
    const [, boundary] = /boundary="(.*)"/.exec(mail)!;
    const body = mail.slice(mail.indexOf("\n\n") + 2);
    const [event] = read(
      body,
      `multipart/report; report-type=delivery-status; boundary="${boundary}"`,
    );
    assertEquals([event.address, event.type], ["ann@example.com", "permanent"]);
  });

  it("breaks nothing, however it is damaged", () => {
    const mails = Object.values(SERVERS).map((write) =>
      write({ status: "5.1.1", diagnostic: "smtp; 550 5.1.1 User unknown" })
    );
    for (const mail of mails) {
      for (let end = 0; end < mail.length; end += 37) {
        const cut = mail.slice(0, end) + mail.slice(end + 11);
        readReport({ contentType: "message/rfc822", text: cut });
      }
    }
  });

  it("takes no longer than a moment, however it is made", async () => {
    const size = 1_000_000;
    const nested = (depth: number) =>
      Array.from(
        { length: depth },
        (_, level) => `Content-Type: multipart/report; boundary=${level}\n\n--${level}\n`,
      ).join("");
    const status = "Content-Type: multipart/report; boundary=b\n\n--b\n" +
      "Content-Type: message/delivery-status\n\n";
    await forEachRow([
      nested(20_000),
      "Content-Type: multipart/mixed; boundary=b\n\n" + "--b\n".repeat(size / 4),
      `${status}${"Final-Recipient: rfc822; a@b.example\n\n".repeat(size / 40)}`,
      `${status}Final-Recipient: rfc822; a@b.example\nAction: failed\nDiagnostic-Code: ${
        "user ".repeat(size / 5)
      }`,
      `X-Failed-Recipients: ${"a@b.example, ".repeat(size / 14)}\n\n${"a@b.example\n".repeat(9)}`,
      `Hi. This is the`.padEnd(size, " <"),
      `X: ${"=?".repeat(size / 2)}`,
      "a:\n ".repeat(size / 4),
      "\n".repeat(size),
      `Date: ${"(".repeat(size)}`,
      `To: ${"<".repeat(size)}`,
      `Content-Type: ${"; boundary".repeat(size / 10)}`,
      `Content-Type: text/plain\nContent-Transfer-Encoding: quoted-printable\n\n${
        "=".repeat(size)
      }`,
    ], (text) => {
      const startMs = performance.now();
      readReport({ contentType: "message/rfc822", text });
      const ms = performance.now() - startMs;
      assert(ms < 5_000, `${Math.round(ms)} ms`);
    });
  });
});

describe("a complaint", () => {
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
List-Unsubscribe: <https://example.com/unsubscribe/abc>

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

  it("names who complained before whom the mail was to, and the link where both are hidden", () => {
    const named = read(write("abuse", "Original-Rcpt-To: <bob@example.com>\n"));
    assertEquals([named[0].address, named[0].otherAddresses], ["bob@example.com", [
      "ann@example.com",
    ]]);
    const [hidden] = read(write("abuse", "", "undisclosed-recipients:;"));
    assertEquals(hidden.address, "");
    assertEquals(hidden.listUnsubscribe, "<https://example.com/unsubscribe/abc>");
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
