import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { excerptOf, parseMarkdown } from "../../model/entries/markdown.ts";
import { forEachRow } from "../_support/rows.ts";

describe("an excerpt", () => {
  it("keeps headings and items apart from other words, and has no words of pictures", () =>
    forEachRow([
      ["# New\n\nPress **D**.\n\nAt night.", "New · Press D. At night."],
      ["- Faster\n- Smaller\n\nEnd", "Faster · Smaller · End"],
      ["## Really?\n\nYes", "Really? Yes"],
      ["![A menu](https://example.com/a.png)\n\nText", "Text"],
      ["One\n\nTwo", "One Two"],
    ], ([markdown, excerpt]) => assertEquals(excerptOf(parseMarkdown(markdown)), excerpt)));
});
