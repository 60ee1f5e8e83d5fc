import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { readFile } from "node:fs/promises";
import { convertClipboard } from "../../model/entries/files/clipboard.ts";
import type { Converted } from "../../model/entries/files/html_to_markdown.ts";
import { forEachRow } from "../_support/rows.ts";

const SAMPLES = new URL("../fixtures/clipboard/", import.meta.url);

/** Converts, and tells how often that paused. */
function convert(
  html: string,
): Pick<Converted, "body" | "leftOut"> & { readonly pauses: number } {
  const work = convertClipboard(html);
  for (let pauses = 0;; pauses++) {
    const { done, value } = work.next();
    if (done) return { ...value, pauses };
  }
}

describe("the clipboard", () => {
  it("becomes Markdown, whichever program filled it", async () => {
    await forEachRow(
      ["google_docs", "word", "excel", "gmail", "github", "notion"],
      async (name) => {
        const read = (ending: string) => readFile(new URL(`${name}${ending}`, SAMPLES), "utf8");
        const { body, leftOut } = convert(await read(".html"));
        assertEquals(body, (await read(".md")).trimEnd());
        assertEquals([...leftOut], name === "word" ? ["img"] : []);
      },
    );
  });

  it("keeps the numbers of a list of Word's that follows one of dots", () => {
    const item = (list: number, mark: string) =>
      `<p style="mso-list:l${list} level1"><span style="mso-list:Ignore">${mark}</span>Item</p>`;
    const { body } = convert([item(0, "·"), item(1, "1."), item(1, "2.")].join(""));
    assertEquals(body, "- Item\n\n1. Item\n2. Item");
  });

  it("takes no address that no reader could open", () => {
    const { body, leftOut } = convert(
      '<p><a href="javascript:alert(1)">a</a> <a href="#b">b</a> <img src="data:image/png;base64,AA">',
    );
    assertEquals([body, [...leftOut]], ["a b", ["img"]]);
  });

  it("is converted in pieces and within bounds, however it is nested", () => {
    for (
      const part of ["<p>Some <b>words</b></p>", "<blockquote>", "<ul><li>", "<b>", "<td>", "<"]
    ) {
      const html = part.repeat(200_000 / part.length);
      const { body, pauses } = convert(`${html}x`);
      assert(pauses > 20 || part === "<", `${part}: ${pauses}`);
      assert(body.length < 1_000_000, `${part}: ${body.length}`);
    }
  });
});
