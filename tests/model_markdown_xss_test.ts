import { assert } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import fc from "fast-check";
import { parseMarkdown, renderHtml } from "../model/markdown.ts";
import { assertFixedHtml } from "./_markdown.ts";
import { BREAKOUTS, REFUSED_LINKS } from "./_xss_payloads.ts";

const PIECES = [...BREAKOUTS, ...REFUSED_LINKS]
  .flatMap((payload) => payload.match(/\w+|[^\w]/gu) ?? []);

function toHtml(markdown: string): string {
  return renderHtml(parseMarkdown(markdown));
}

describe("Hostile Markdown", () => {
  it("becomes HTML with the fixed elements and attributes only", () => {
    for (const payload of [...BREAKOUTS, ...REFUSED_LINKS]) assertFixedHtml(toHtml(payload));
  });

  it("makes no link and no image with a URL of another scheme", () => {
    for (const payload of REFUSED_LINKS) {
      const html = toHtml(payload);
      assert(!/<(?:a|img)/.test(html), `${JSON.stringify(payload)} gives ${html}`);
    }
  });

  it("becomes HTML with the fixed elements and attributes only, however it is mixed", () => {
    const mixed = fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((all) =>
      all.join("")
    );
    fc.assert(
      fc.property(fc.oneof(mixed, fc.string({ unit: "binary" })), (markdown) => {
        const html = toHtml(markdown);
        assertFixedHtml(html);
        // deno-lint-ignore no-control-regex
        assert(html.isWellFormed() && !/[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]/.test(html));
      }),
      { numRuns: 2_000 },
    );
  });
});
