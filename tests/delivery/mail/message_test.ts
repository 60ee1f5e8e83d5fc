import { assert, assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { simpleParser } from "mailparser";
import type { Mail } from "../../../delivery/mail/mailer.ts";
import { composeMessage, listHeaders } from "../../../delivery/mail/message.ts";
import { parseMailbox } from "../../../model/values/mailbox.ts";
import { openSmtpMailer } from "../../../delivery/mail/smtp.ts";
import { Refusal } from "../../../model/values/refusal.ts";
import { testMail } from "../../_support/mails.ts";
import { forEachRow } from "../../_support/rows.ts";

const NOW = new Date("2026-11-21T10:00:00Z");
const LIST = { id: "changelog.example.com", name: "Changelog" };
// Texts that are hard to encode in a mail: the name of a list, a title, a body.
const TEXTS: readonly (readonly [name: string, title: string, body: string])[] = [
  ["Example", "Dark mode", "Press D.\n\nThen press it again.\n"],
  ['Lee, "Ann" (Example) \\ <a@b.c>;', 'Dark: "mode", <b>=?</b> \\', "1 = 1 =3D =\n="],
  ["=?UTF-8?Q?Eve?=", "=?UTF-8?B?RXZl?= was here", "=?UTF-8?B?RXZl?= =C3=A9"],
  ["Жанна Дʼарк 株式会社", "Tmavý režim · الوضع الداكن · 🌒👩‍👩‍👧‍👦", "Žluťoučký kůň\n暗色模式\n🌒\n"],
  ["n".repeat(200), "t".repeat(200), `${"b".repeat(75)} ${"b".repeat(77)}\n${"c".repeat(5_000)}`],
  ["Many Words ".repeat(18).trim(), "Many Words ".repeat(18).trim(), "Words ".repeat(900).trim()],
  [
    "ñ".repeat(200),
    "🌒".repeat(200),
    `${"ä".repeat(500)}\na${"ä".repeat(500)}\nab${"🌒".repeat(99)}`,
  ],
  ["Nom नमस्ते दुनिया กำลังทดสอบ", "नमस्ते दुनिया ".repeat(12).trim(), "한국어 각"],
  ["Two  Spaces", "Two  and   three", "ends with spaces  \n\ttab\t\n \n\n  starts with some"],
  [".Example.", "From: eve@example.com", "From eve\n--=_boardcast--\n>From\n.\n..\n.a"],
];
const INJECTIONS = ["a\r\nBcc: eve@example.com", "a\nb", "a\rb", "a\0b", "a\r\n\r\nb"];

describe("composeMessage", () => {
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
      assertEquals(parsed.headers.get("content-type"), {
        value: "multipart/alternative",
        params: { boundary: "=_boardcast" },
      });
      assertWellFormed(message);
    });
    for (const text of [...INJECTIONS, "\r\n--=_boardcast--\r\n", "\r\n.\r\nQUIT\r\n"]) {
      const parsed = await simpleParser(composeMessage(testMail({ text, html: text }), NOW));
      const expected = text.replace(/\r\n|\r/g, "\n");
      assertEquals([parsed.text, parsed.html, parsed.bcc], [expected, expected, undefined]);
    }
  });

  it("parts no title within what readers see as one character, in any script", () => {
    const titles = ["नमस्ते दुनिया ", "กำลังทดสอบ", "👩‍👩‍👧‍👦🏳️‍🌈", "e\u0301a\u0308\u0323", "각각"].map((
      text,
    ) => text.repeat(9));
    for (const subject of titles) {
      const message = composeMessage(testMail({ subject }), NOW);
      const words = [...message.matchAll(/=\?UTF-8\?B\?([^?]+)\?=/g)].map(([, word]) =>
        new TextDecoder().decode(Uint8Array.from(atob(word), (byte) => byte.charCodeAt(0)))
      );
      assertEquals(words.join(""), subject);
      const segments = [...new Intl.Segmenter().segment(subject)].length;
      const parts = words.flatMap((word) => [...new Intl.Segmenter().segment(word)]).length;
      assertEquals(parts, segments);
      assertWellFormed(message);
    }
  });

  it("lets no line break or NUL in anywhere, and no address that is not in normal form", async () => {
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
    for (const to of ["ann", "Ann@example.com", "ann@example.com>", "ann@bücher.example", ""]) {
      const { message } = await assertRejects(() => mailer.send(testMail({ to })), TypeError);
      assert(!message.includes("@"), message);
    }
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
      ['Acme "The Best" <ann@example.com>', 'Acme "The Best"', "ann@example.com"],
    ], ([text, name, address]) => assertEquals(parseMailbox(text), { name, address }));
    await forEachRow([
      ...["", "Ann Lee", "Ann Lee ann@example.com", "Ann <ann>"]
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

/**
 * Checks that a message is ASCII in short lines (RFC 5322, section 2.1.1; RFC 2045, section 6.7;
 * RFC 2047, section 2).
 */
function assertWellFormed(message: string): void {
  assert(/^(?:[\t -~]*\r\n)*$/.test(message), message);
  for (const line of message.split("\r\n")) {
    assert(line.length <= (line.startsWith("List-Unsubscribe: ") ? 998 : 76), line);
    assert(!/^ +$| $/.test(line), line);
    assert(!/=[0-9A-F]?=$/.test(line), `${line} parts an escape`);
  }
}
