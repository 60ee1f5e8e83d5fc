import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { simpleParser } from "mailparser";
import type { Mail } from "../delivery/mailer.ts";
import { composeMessage, listHeaders } from "../delivery/message.ts";
import { parseMailbox } from "../delivery/mailbox.ts";
import { openSmtpMailer } from "../delivery/smtp.ts";
import { Refusal } from "../model/refusal.ts";
import { TEXTS } from "./_mail_texts.ts";
import { testMail } from "./_mails.ts";
import { forEachRow } from "./_rows.ts";

const NOW = new Date("2026-11-21T10:00:00Z");
const LIST = { id: "changelog.example.com", name: "Changelog" };
const INJECTIONS = ["a\r\nBcc: eve@example.com", "a\nb", "a\rb", "a\0b", "a\r\n\r\nb"];

describe("composeMessage", () => {
  it("writes the same text for the same mail", () => {
    const headers = listHeaders(LIST, "https://example.com/unsubscribe/abc");
    const name = "Ärger & Söhne";
    const mail = testMail({ from: { name, address: "news@example.com" }, headers });
    const expected = `From: =?UTF-8?B?w4RyZ2VyICYgU8O2aG5l?= <news@example.com>
To: ann@example.com
Subject: Dark mode
Date: Sat, 21 Nov 2026 10:00:00 +0000
Message-ID: <dark-mode.1@example.com>
List-Id: Changelog <changelog.example.com>
List-Unsubscribe: <https://example.com/unsubscribe/abc>
List-Unsubscribe-Post: List-Unsubscribe=One-Click
Auto-Submitted: auto-generated
MIME-Version: 1.0
Content-Type: multipart/alternative; boundary="=_boardcast"

--=_boardcast
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable

Press D.

--=_boardcast
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: quoted-printable

<p>Press D.</p>

--=_boardcast--
`;
    assertEquals(composeMessage(mail, NOW), expected.replaceAll("\n", "\r\n"));
  });

  it("is read back by mailparser as it was, whatever the texts", async () => {
    await forEachRow(TEXTS, async ([name, title, body]) => {
      const mail = testMail({
        from: { name, address: "news@example.com" },
        subject: title,
        text: body,
        html: `<p>${body}</p>`,
        headers: listHeaders({ ...LIST, name }, `https://example.com/${"u".repeat(400)}`),
      });
      const message = composeMessage(mail, NOW);
      const parsed = await simpleParser(message);
      assertEquals(parsed.from?.value, [{ address: "news@example.com", name }]);
      assertEquals([parsed.subject, parsed.date, parsed.messageId], [title, NOW, mail.messageId]);
      assertEquals([parsed.text, parsed.html], [body, mail.html]);
      assertWellFormed(message);
    });
  });

  it("lets no line break or NUL in anywhere", async () => {
    const mailer = openSmtpMailer("smtp://localhost:1");
    await forEachRow<(text: string) => Partial<Mail>>([
      (subject) => ({ subject }),
      (name) => ({ from: { name, address: "news@example.com" } }),
      (text) => ({ from: { name: "", address: `${text}@example.com` } }),
      (text) => ({ to: `${text}@example.com` }),
      (text) => ({ messageId: `<${text}@example.com>` }),
      (text) => ({ headers: { [text]: "a" } }),
      (text) => ({ headers: { "List-Id": text } }),
      (name) => ({ headers: listHeaders({ ...LIST, name }, "https://a") }),
      (url) => ({ headers: listHeaders(LIST, url) }),
    ], async (fieldsOf) => {
      for (const text of INJECTIONS) {
        await assertRejects(async () => await mailer.send(testMail(fieldsOf(text))), TypeError);
      }
    });
    await mailer.close();
  });

  it("lets nothing out of the parts by their text", async () => {
    for (const text of [...INJECTIONS, "\r\n--=_boardcast--\r\n", "\r\n.\r\nQUIT\r\n"]) {
      const message = composeMessage(testMail({ text, html: text }), NOW);
      const parsed = await simpleParser(message);
      const expected = text.replace(/\r\n|\r/g, "\n");
      assertEquals([parsed.text, parsed.html, parsed.bcc], [expected, expected, undefined]);
    }
  });

  it("refuses what no header can have", async () => {
    const link = (lineLength: number) => ({
      headers: { "List-Unsubscribe": "u".repeat(lineLength - "List-Unsubscribe: ".length) },
    });
    composeMessage(testMail(link(998)), NOW);
    await forEachRow<Partial<Mail>>([
      ...[{ subject: "" }, { messageId: "1@example.com" }, { messageId: "<1>" }, link(999)],
      ...[{ headers: { "List-Id": "ä" } }, { headers: { "A:": "a" } }],
    ], (fields) => assertThrows(() => composeMessage(testMail(fields), NOW), TypeError));
  });
});

describe("openSmtpMailer", () => {
  it("refuses addresses that are not in normal form, before it connects", async () => {
    const mailer = openSmtpMailer("smtp://localhost:1");
    const others = ["ann", "Ann@example.com", "ann@example.com>", "ann@bücher.example", ""];
    await forEachRow(others, async (to) => {
      const { message } = await assertRejects(() => mailer.send(testMail({ to })), TypeError);
      assert(!message.includes("@"), message);
    });
    await mailer.close();
  });
});

describe("a mailbox", () => {
  it("is an address, with a name before it or not", async () => {
    await forEachRow([
      ["ann@example.com", "", "ann@example.com"],
      [" <Ann@Example.com> ", "", "ann@example.com"],
      ["Ann Lee, Example<ann@bücher.example>", "Ann Lee, Example", "ann@xn--bcher-kva.example"],
      ['"Lee, \\"Ann\\"" <ann@example.com>', 'Lee, "Ann"', "ann@example.com"],
    ], ([text, name, address]) => assertEquals(parseMailbox(text), { name, address }));
    await forEachRow([
      ...["", "Ann Lee", "Ann Lee ann@example.com", "Ann <ann>", '"Ann" Lee <ann@example.com>']
        .map((text) => [text, "invalid_email"] as const),
      ["Ann <ann@example.com>, Bob <bob@example.com>", "invalid_email"],
      ["Ann <ann@example.com\r\nBcc: eve@example.com>", "invalid_email"],
      ["Ann\r\nBcc: eve@example.com <ann@example.com>", "unsupported_characters"],
      [`${"a".repeat(201)} <ann@example.com>`, "too_long"],
    ], ([text, code]) => {
      const refusal = parseMailbox(text);
      assertEquals(refusal instanceof Refusal ? refusal.code : refusal, code);
    });
  });
});

/** ASCII in lines that are short (RFC 5322, section 2.1.1; RFC 2045, section 6.7; RFC 2047, section 2). */
function assertWellFormed(message: string): void {
  assert(/^(?:[\t -~]*\r\n)*$/.test(message), message);
  for (const line of message.split("\r\n")) {
    assert(line.length <= (line.startsWith("List-Unsubscribe: ") ? 998 : 76), line);
    assert(!/^ +$| $/.test(line), line);
    assert(!/=[0-9A-F]?=$/.test(line), `${line} parts an escape`);
  }
}
