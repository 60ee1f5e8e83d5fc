import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import process from "node:process";
import { readReport } from "../../delivery/bounces/read_report.ts";
import { inlineStyles } from "../../delivery/mail/style.ts";
import { readReply } from "../../delivery/mail/smtp/replies.ts";
import { readBrand } from "../../model/brand.ts";
import { toAnonymousLine } from "../../model/deliveries/mail_outcome.ts";
import { parseLabels } from "../../model/entries/entry.ts";
import { convertClipboard } from "../../model/entries/html/clipboard.ts";
import {
  readJsonFile,
  readMarkdownFile,
  readXmlFile,
} from "../../model/entries/files/entry_file.ts";
import { matchShown } from "../../model/entries/shown_text.ts";
import { htmlToMarkdown } from "../../model/entries/html/html_to_markdown.ts";
import { excerptOf, parseMarkdown, renderHtml, renderText } from "../../model/entries/markdown.ts";
import {
  parseColumns,
  parseListFormat,
  parseListWords,
} from "../../model/subscriptions/list_options.ts";
import { createCsvReader } from "../../model/subscriptions/csv_list_reader.ts";
import { runSynchronously } from "../../model/turns.ts";
import { findSeparator, splitCsvRecord } from "../../model/values/csv.ts";
import { parseEmailAddress } from "../../model/values/email_address.ts";
import { foldText } from "../../model/values/folded_text.ts";
import { parseHttpUrl } from "../../model/values/http_url.ts";
import { createRecordSplitter } from "../../model/values/record_splitter.ts";
import { parseChoice, parseUserName } from "../../model/values/text.ts";
import { parseHttpDate, parseInstant, parseListTime } from "../../model/values/time.ts";
import { parseWebhookUrl } from "../../model/webhooks/webhook_url.ts";
import { parseFlatJson, parseForm } from "../../routes/_http/form.ts";
import { readMediaType } from "../../routes/_http/media_type.ts";

const LENGTHS = [16, 64].map((kib) => kib * 1024);
// For 4 times the text, linear work takes 4 times as long, and quadratic work 16 times.
const MAX_RATIO = 9;
// The compiler and the garbage collector dominate shorter times.
const MIN_MS = 3;
const RUNS = 5;

const WORDS = ["a", "1", "a.", "a@", "a ", "a=", "a,", "a\n", "release ", "text-decoration"];
const SPACES = [" ", "\n", " \n", "\t", "\r\n", "\r", "\u00a0", "\u2028"];
const SIGNS = [
  "-",
  ".",
  ",",
  ";",
  "=",
  "&",
  "&]",
  "%41",
  "+",
  "/",
  "\\",
  "\\a",
  "@",
  "#",
  "|",
  "0",
];
const QUOTES = [
  '"',
  '""',
  '"a"',
  "'",
  '\\"',
  '"\\',
  "`",
  "`a",
  "(",
  "[",
  "{",
  "<",
  "[](",
  "![](",
  "](",
];
const MARKS = [
  "*a",
  "**",
  "_a_",
  "~~",
  "> ",
  "- ",
  "1. ",
  "[a",
  "![a](",
  "a|",
  "|-",
  "&amp",
  "&#1",
  "<a ",
];
const TAGS = [
  "<b>",
  "</b>",
  "<p>",
  "<br>",
  "<li>",
  "<!--",
  "<!---->",
  "<?",
  "<a b=c",
  "<![CDATA[",
  "<pre>",
];
const ACCENTS = ["e\u0301", "\u0301", "\u0323\u0301"];
const UNITS = [...WORDS, ...SPACES, ...ACCENTS, ...SIGNS, ...QUOTES, ...MARKS, ...TAGS];

/** A parser, and the positions in its input at which repeated parts are most expensive. */
interface Parser {
  readonly parse: (text: string) => unknown;
  /** Texts around the repeated part; by default there is none. */
  readonly around?: readonly (readonly [before: string, after: string])[];
}

const ALONE = ["", ""] as const;
const utf8 = new TextEncoder();

const PARSERS: Readonly<Record<string, Parser>> = {
  "the words of a relay": { parse: toAnonymousLine },
  "a relay's reply": { parse: readReply, around: [ALONE, ["250-", "\r\n250 ok\r\n"]] },
  "a delivery report": {
    parse: (text) => readReport({ contentType: "message/rfc822", text }),
    around: [
      ["From: a\nContent-Type: ", "\n\na"],
      [
        "Content-Type: multipart/report; boundary=b\n\n--b\nContent-Type: message/delivery-status\n\n" +
        "Final-Recipient: rfc822; a@b.example\nAction: failed\nDiagnostic-Code: smtp; 550 ",
        "\n--b--",
      ],
    ],
  },
  "an event of a provider": {
    parse: (text) => readReport({ contentType: "application/json", text }),
    around: [[
      '{"Type":"bounce","Email":"a@b.example","Description":"',
      '","RecordType":"Bounce","Type":"HardBounce"}',
    ]],
  },
  "a form at the bounce address": {
    parse: (text) => readReport({ contentType: "application/x-www-form-urlencoded", text }),
  },
  "a form": { parse: parseForm },
  "JSON": { parse: parseFlatJson, around: [['{"a":"', '"}'], ['{"a":', "}"]] },
  "a media type": {
    parse: (text) =>
      readMediaType(
        new Request("http://a.example/", { headers: { "Content-Type": text } }),
        ["a/b"],
      ),
    around: [["a/b;", ""], ["a/b;c=", ""], ['a/b;c="', ""]],
  },
  "the columns of a sheet": {
    parse: parseColumns,
    around: [ALONE, ["userEmail=", ""], ["userEmail=a", "\nb"], ["userEmail=a,", "="]],
  },
  "the words of a list": { parse: parseListWords },
  "the format of a list": { parse: parseListFormat },
  "one of some words": { parse: (text) => parseChoice(text, ["subscribed", "unsubscribed"]) },
  "labels": { parse: (text) => parseLabels(text, 20) },
  "a header of CSV": {
    parse: (text) => createCsvReader().read({ line: 1, lastLine: 1, text }),
    around: [ALONE, ["email,", ",name"]],
  },
  "a record of CSV": { parse: splitCsvRecord, around: [ALONE, ['"', '"']] },
  "the separator of CSV": { parse: findSeparator },
  "records": {
    parse(text) {
      const splitter = createRecordSplitter({ quoting: true });
      const bytes = utf8.encode(text);
      for (let at = 0; at < bytes.length; at += 512) splitter.push(bytes.subarray(at, at + 512));
      return splitter.end();
    },
    around: [ALONE, ['a,b\n"', ""]],
  },
  "a search": { parse: foldText, around: [ALONE, ["", "\u0301"]] },
  "what readers see": {
    parse: (text) => matchShown({ title: "", bodies: [text] }, ["a", "b"], () => false),
    around: [ALONE, ["a*b ", ""]],
  },
  "an address": { parse: parseEmailAddress, around: [ALONE, ["a@", ".b"], ["", "@a.b"]] },
  "a name": { parse: parseUserName },
  "a URL": {
    parse: parseHttpUrl,
    around: [ALONE, ["https://", ""], ["https://a.b/", " "], ["https://a@", ""]],
  },
  "the URL of a webhook": {
    parse: (text) => parseWebhookUrl(text, []),
    around: [["https://", ""]],
  },
  "a time": {
    parse: (text) => [parseInstant(text), parseListTime(text), parseHttpDate(text)],
    around: [ALONE, ["2026-01-01T00:00:00.", "Z"], ["2026-01-01 00:00:00", ""]],
  },
  "a logo": {
    parse: (text) => readBrand({ logo: utf8.encode(text) }),
    around: [ALONE, ["<?xml ", ""], ["<!DOCTYPE ", ""]],
  },
  "Markdown": {
    parse(text) {
      const tree = parseMarkdown(text);
      return [excerptOf(tree), renderText(tree), inlineStyles(renderHtml(tree), STYLES)];
    },
    around: [ALONE, ["a ", "\n\nb"], ["| a |\n|---|\n|", "|"], ["[a](", ")"], ["```\n", "\n```"]],
  },
  "a changelog in Markdown": {
    parse: (text) => runSynchronously(readMarkdownFile(text, {})),
    around: [
      ALONE,
      ["## ", ""],
      ["## [1.0.0] - 2026-01-01\n\n", ""],
      ["## 1.0\n\n[", "](a)\n\n[b]: c"],
      ["## 1.0\n<p>", "</p>"],
    ],
  },
  "a feed in XML": {
    parse: (text) => runSynchronously(readXmlFile(text, {})),
    around: [
      ["<rss>", "</rss>"],
      [
        "<rss><item><wp:status>publish</wp:status><wp:post_type>post</wp:post_type>" +
        "<content:encoded><![CDATA[<b>a</b> [caption ",
        "]]></content:encoded></item></rss>",
      ],
      ["<rss><item><media:content url='", "'/><enclosure url='a'/></item></rss>"],
      ["<feed><entry><title>", "</title><content>a</content></entry></feed>"],
      ["<feed><entry><title>a</title><content type=html>", "</content></entry></feed>"],
    ],
  },
  "a feed in JSON": {
    parse: (text) => runSynchronously(readJsonFile(text, {})),
    around: [ALONE, ['{"items":[{"title":"a","content_html":"', '"}]}']],
  },
  "HTML": {
    parse: (text) => runSynchronously(htmlToMarkdown(text)),
    around: [ALONE, ["<p>", "</p>"], ["<pre>", "</pre>"], ["<a href='", "'>a</a>"]],
  },
  "a clipboard": {
    parse: (text) => runSynchronously(convertClipboard(text)),
    around: [ALONE, ["<p style='", "'>a</p>"], ["<p style='mso-list:", "'>a</p>"]],
  },
};

const STYLES = { color: "#000000" } as Parameters<typeof inlineStyles>[1];

/** Returns the processor time of the fastest of some runs, which a busy machine hardly changes. */
function measureMs(parse: (text: string) => unknown, text: string, runs = RUNS): number {
  let fastest = Infinity;
  for (let run = 0; run < runs && fastest > MIN_MS; run++) {
    const start = process.cpuUsage();
    try {
      parse(text);
    } catch {
      // A parser may refuse the text, which must be fast as well.
    }
    const { user, system } = process.cpuUsage(start);
    fastest = Math.min(fastest, (user + system) / 1_000);
  }
  return fastest;
}

/**
 * Returns a line about a text whose time grows faster than its length; `undefined` if there is
 * none.
 */
function findStall({ parse, around = [ALONE] }: Parser): string | undefined {
  for (const [before, after] of around) {
    for (const unit of UNITS) {
      const write = (length: number) =>
        before + unit.repeat(Math.ceil(length / unit.length)) + after;
      const isStall = (length: number, runs: number) => {
        const [short, long] = [length / 4, length]
          .map((length) => measureMs(parse, write(length), runs));
        return long > Math.max(short, MIN_MS) * MAX_RATIO;
      };
      // A second measurement distinguishes a stall from a pause of the machine.
      const stall = LENGTHS.find((length) => isStall(length, 1) && isStall(length, RUNS));
      if (stall !== undefined) return `${stall} characters: ${before}${unit}…${after}`;
    }
  }
}

describe("a parser", () => {
  for (const [name, parser] of Object.entries(PARSERS)) {
    it(`of ${name} takes time in proportion to its text when parts of that are repeated`, () => {
      const stall = findStall(parser);
      assert(stall === undefined, stall);
    });
  }
});

describe("the words of a relay", () => {
  it("keep everything but addresses when they are stored", () => {
    const said = "550 5.1.1 <ann@example.com>: unknown (mailto:bob@b.example) @x y@ a@b@ user";
    assertEquals(
      toAnonymousLine(said),
      "550 5.1.1 <…>: unknown (mailto:…) @x y@ … user",
    );
  });
});
