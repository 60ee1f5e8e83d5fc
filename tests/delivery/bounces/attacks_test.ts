import { assert } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import process from "node:process";
import { readReport } from "../../../delivery/bounces/read_report.ts";
import { forEachRow } from "../../_support/rows.ts";

const MIB = 1024 * 1024;
// An ordinary mail of this size takes a few milliseconds. A hundred times as long would be an
// attack.
const MAX_RATIO = 40;
const RUNS = 5;

/** Returns the processor time of the fastest of some runs, which a busy machine hardly changes. */
function measure(text: string, contentType = "message/rfc822"): number {
  const runs = Array.from({ length: RUNS }, () => {
    const before = process.cpuUsage();
    readReport({ contentType, text });
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.min(...runs);
}

function fill(text: string): string {
  return text.repeat(Math.ceil(MIB / text.length)).slice(0, MIB);
}

function many(count: number, write: (number: number) => string): string {
  return Array.from({ length: count }, (_, number) => write(number)).join("");
}

const PEOPLE = many(100, (number) => `a${number}@x.example,`);
const GROUP = "Action: failed\nStatus: 5.0.0\n\n";
const MIXED = (boundary: string | number) =>
  `Content-Type: multipart/mixed; boundary=${boundary}\n\n`;
const STATUS = `${MIXED("b")}--b\nContent-Type: message/delivery-status\n\n`;
const ENCODED = (encoding: string) => `Content-Transfer-Encoding: ${encoding}\n\n`;

/** Mails of a megabyte. Each is as expensive as possible for some part of a reader. */
const ATTACKS: Readonly<Record<string, string>> = {
  "one address many times": `Subject: x\n\nHi. This is the qmail\n${fill("<a@x.example>:\n")}`,
  "many addresses": `Subject: x\n\nHi. This is the qmail\n${
    many(67_000, (n) => `<a${n}@x.example>:\n`)
  }`,
  "many recipients, many lines": `X-Failed-Recipients: ${PEOPLE}\n\n${fill("x\n")}`,
  "recipients named, and many lines": `X-Failed-Recipients: ${PEOPLE}\n\n${
    PEOPLE.replaceAll(",", "\n")
  }${fill("x\n")}`,
  "many groups, many lines": `${MIXED("b")}--b\n\n${fill("x\n")}\n--b\n` +
    "Content-Type: message/delivery-status\n\n" +
    many(100, (number) => `Final-Recipient: rfc822; a${number}@x.example\n${GROUP}`),
  "groups": STATUS + fill("Final-Recipient: rfc822; a@b.example\n\n"),
  "groups of nothing": STATUS + fill("X: y\n\n"),
  "long groups": STATUS +
    many(100, () => `Final-Recipient: rfc822; ${"a".repeat(MIB / 100)}@b.example\n${GROUP}`),
  "header fields": `${many(150_000, (number) => `h${number}: x\n`)}\nx`,
  "one header field": `a:${fill("\n ")}\n\nx`,
  "mails in mails": many(
    20_000,
    (depth) =>
      `Content-Type: multipart/report; boundary=${depth}\n\n--${depth}\n` +
      "Content-Type: message/rfc822\n\n",
  ),
  "parts in parts": many(20_000, (depth) => `${MIXED(depth)}--${depth}\n`),
  "boundaries": MIXED("b") + fill("--b\n"),
  "boundaries in parts": `${MIXED("b")}--b\n${MIXED("c")}--c\n${MIXED("d")}${fill("--d\n")}`,
  "nearly boundaries": MIXED("a".repeat(70)) + fill(`\n--${"a".repeat(69)}b`),
  "a diagnostic": `${STATUS}Final-Recipient: a@b.example\nAction: failed\nDiagnostic-Code: ${
    fill("user ")
  }`,
  "a code": `${STATUS}Final-Recipient: a@b.example\nAction: failed\nStatus: ${fill("5.1.1.")}`,
  "xtext": `${STATUS}Original-Recipient: rfc822;${fill("+41")}@b.example\nAction: failed\n`,
  "quoted-printable": ENCODED("quoted-printable") + fill("=41"),
  "soft line ends": ENCODED("quoted-printable") + fill(`=${" ".repeat(500)}`),
  "base64": ENCODED("base64") + fill("YWFh"),
  "brackets": `Date: ${fill("(")}\nTo: ${fill("<")}`,
  "at signs": `From: MAILER-DAEMON@x.example\n\n${fill("a@")}`,
  "letters": `From: MAILER-DAEMON@x.example\n\n${fill("a")}`,
  "blanks": `From: MAILER-DAEMON@x.example\n\na@b.example${fill(" ")}x`,
  "tags": `From: MAILER-DAEMON@x.example\nContent-Type: text/html\n\n${fill("<")}`,
  "blank lines": fill("\n"),
};

describe("a report of a megabyte", () => {
  it("takes hardly more than any mail, whatever is in it", async () => {
    const ordinary = measure(`Subject: x\n\n${fill("Some words of somebody.\n")}`);
    await forEachRow(Object.entries(ATTACKS), ([, text]) => {
      const ratio = measure(text) / ordinary;
      assert(ratio < MAX_RATIO, `${Math.round(ratio)} times an ordinary mail`);
    });
  });

  it("takes hardly more than any mail when it is a form with half a million fields", () => {
    const ordinary = measure(`Subject: x\n\n${fill("Some words of somebody.\n")}`);
    const ratio = measure(fill("&]"), "application/x-www-form-urlencoded") / ordinary;
    assert(ratio < MAX_RATIO, `${Math.round(ratio)} times an ordinary mail`);
  });
});
