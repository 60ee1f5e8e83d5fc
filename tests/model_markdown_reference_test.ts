import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import fc from "fast-check";
import { parseMarkdown, renderHtml } from "../model/markdown.ts";
import { EXAMPLES, renderReference, withoutRefusedUrls } from "./_markdown.ts";

const HTML = "raw HTML";
const INDENTED = "indented code";
const SETEXT = "a setext heading";
const MARKERS = "lists with other markers than - and 1.";
const REFERENCES = "reference links";

/** The examples that lie outside of the subset, by section and by what they use. */
const OUTSIDE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "Tabs": { [INDENTED]: "1-3 5-8" },
  "Backslash escapes": { [INDENTED]: "18", [HTML]: "21", [REFERENCES]: "23" },
  "Entity and numeric character references": {
    "names beyond Latin-1 and typography": "25",
    [HTML]: "31",
    [REFERENCES]: "33",
    [INDENTED]: "36",
    [MARKERS]: "38",
  },
  "Thematic breaks": { [INDENTED]: "48", [SETEXT]: "59", [MARKERS]: "60" },
  "ATX headings": { [INDENTED]: "69" },
  "Setext headings": { [SETEXT]: "80-84 86 89-91 95-96 102-103", [INDENTED]: "85 100" },
  "Indented code blocks": { [INDENTED]: "107 110-112 114-118" },
  "Fenced code blocks": { [INDENTED]: "134", [SETEXT]: "141" },
  "HTML blocks": { [HTML]: "148-191" },
  "Link reference definitions": {
    [REFERENCES]: "192-196 198 200 202-208 210 214-218",
    [HTML]: "201",
    [INDENTED]: "211",
  },
  "Paragraphs": { [INDENTED]: "225" },
  "Block quotes": { [INDENTED]: "231 236 252" },
  "List items": {
    [INDENTED]: "253-254 257 264 270-274 278 286-290",
    [MARKERS]: "284 296-297",
    [SETEXT]: "300",
  },
  "Lists": {
    [MARKERS]: "301-302 315 320 325",
    [HTML]: "308-309",
    [INDENTED]: "313",
    [REFERENCES]: "317",
  },
  "Code spans": { [HTML]: "344" },
  "Emphasis and strong emphasis": { [HTML]: "475-477" },
  "Links": { [HTML]: "491 494 524", [REFERENCES]: "527-545 549-550 553-571" },
  "Images": { [REFERENCES]: "573 576-577 582-589 591-593" },
  "Autolinks": { "schemes other than http, https and mailto": "596 598-599 601" },
  "Raw HTML": { [HTML]: "613-617 623 625-631" },
  "Hard line breaks": { [HTML]: "642-643" },
};

const INLINE = [
  ..."a b * _ ` [ ] ( ) ! \\ & < > \" ' - # + . ~ é “ € 𝒳 %".split(" "),
  ..." |  |**|***|__|``|![|\\*|\\[|\\`|&amp;|&#65;|&copy;|&x;|1.|%20|*\u00a0*".split("|"),
  ...["](https://a.example/)", '](https://a.example/b "t")', "](https://a.example/ 't')"],
  ...["](<https://a.example/d e>)", "](mailto:a@b.example)", "](/c)", "](javascript:c)"],
  ...["<https://a.example/?a=b&c>", "<a@b.example>"],
];
const PREFIXES = [
  "- ",
  "> ",
  "1. ",
  "2. ",
  "10. ",
  " ",
  "  ",
  "   ",
  "    ",
  ">",
  "-   ",
  "-\t",
  "\t",
];
const LINES = [
  "",
  "```",
  "````",
  "~~~",
  "``` js x",
  "***",
  "---",
  "- - -",
  "## a ##",
  "-",
  "1.",
  ">",
];

const inlines = fc.array(fc.constantFrom(...INLINE), { maxLength: 14 }).map((all) => all.join(""));
const line = fc.tuple(
  fc.array(fc.constantFrom(...PREFIXES), { maxLength: 4 }).map((all) => all.join("")),
  fc.oneof(
    { weight: 5, arbitrary: inlines },
    { weight: 1, arbitrary: inlines.map((text) => `# ${text}`) },
    { weight: 2, arbitrary: fc.constantFrom(...LINES) },
  ),
  fc.constantFrom("", "", "", " ", "  ", "\\"),
).map((all) => all.join(""));
const generated = fc.array(fc.oneof(line, inlines), { minLength: 1, maxLength: 10 })
  .map((lines) => lines.join("\n"));

function toHtml(markdown: string): string {
  return renderHtml(parseMarkdown(markdown));
}

function readNumbers(ranges: string): number[] {
  return ranges.split(" ").flatMap((range) => {
    const [first, last = first] = range.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

describe("Markdown beside CommonMark", () => {
  const outside = new Set(Object.values(OUTSIDE).flatMap(Object.values).flatMap(readNumbers));

  for (const section of new Set(EXAMPLES.map((example) => example.section))) {
    it(`is rendered as the specification says under "${section}"`, () => {
      for (const { number, markdown, html } of EXAMPLES.filter((one) => one.section === section)) {
        const given = { number, markdown };
        const isSame = toHtml(markdown) === withoutRefusedUrls(html);
        if (outside.has(number)) assert(!isSame, `${number} is listed, but not outside`);
        else {assertEquals({ ...given, html: toHtml(markdown) }, {
            ...given,
            html: withoutRefusedUrls(html),
          });}
      }
    });
  }

  it("is rendered as by the reference where examples have absolute destinations", () => {
    const compared = EXAMPLES.filter(({ number }) => !outside.has(number)).filter((example) => {
      const markdown = example.markdown.replace(
        /\]\((<?)\/?(?=[\w#])(?!\w+:)/g,
        "]($1https://a.example/",
      );
      const html = renderReference(markdown);
      if (markdown === example.markdown || html === undefined) return false;
      assertEquals([markdown, toHtml(markdown)], [markdown, html]);
      return html.includes("https://a.example/");
    });
    assert(compared.length > 40, `only ${compared.length}`);
  });

  it("is rendered as by the reference whatever the document within the subset", () => {
    let count = 0;
    fc.assert(
      fc.property(generated, (markdown) => {
        const html = renderReference(markdown);
        if (html === undefined) return;
        count++;
        assertEquals(toHtml(markdown), html);
      }),
      { numRuns: 4_000 },
    );
    assert(count > 1_000, `only ${count} documents are within the subset`);
  });
});
