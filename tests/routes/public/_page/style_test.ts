import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { gzipSync } from "node:zlib";
import { readRules, usedStyle } from "../../../../routes/public/_page/used_style.ts";
import { BOARD, startForms } from "../../../_support/board_forms.ts";
import { forEachRow } from "../../../_support/rows.ts";

const BODY = "At night the white hurts, and all of us work in shifts. A setting would do, number ";
const MAX_BYTES = 6 * 1024;

describe("the style of a page", () => {
  it("has the rules whose names the page has", () =>
    forEachRow([
      ["p{a}h1{b}", "p{a}"],
      ["*{a}:root{b}html{c}body{d}", "*{a}:root{b}html{c}body{d}"],
      [".in{a}.out{b}p.in{c}.in .out{d}.out, p{e}", ".in{a}p.in{c}.out, p{e}"],
      [
        ":is(h1, .in):hover{a}:is(h1, .out) p{b}p:not(.out){c}",
        ":is(h1, .in):hover{a}p:not(.out){c}",
      ],
      ["div:has(> p){a}div:has(.out){b}", "div:has(> p){a}"],
      ['[dir="rtl"] p{a}[dir="ltr"] p{b}p[lang]{c}', '[dir="ltr"] p{b}'],
      ["[open] > p{a}[open] > h1{b}", "[open] > p{a}"],
      ["@media print{p{a}h1{b}}@media (x){h1{c}}", "@media print{p{a}}"],
      [".out :is(ul, p):is(:dir(ltr):has(> p:dir(rtl)), :dir(rtl)){a}", ""],
      ["p::before{a}p:dir(rtl){b}", "p::before{a}p:dir(rtl){b}"],
    ], ([style, used]) => {
      const html = '<html dir="ltr"><body><div class="first in"><p>Words of .out</p></div>';
      assertEquals(usedStyle(readRules(style), html), used);
    }));

  it("leaves a page with 20 ideas, and that of an idea, at most 6 KB compressed", async () => {
    await using service = await startForms();
    const posts = `boards/${BOARD}/posts`;
    for (let n = 0; n < 21; n++) {
      const title = `Number ${n}: dark mode at night`;
      await service.call("POST", posts, { postId: `p${n}`, title, body: BODY + n });
    }
    const change = { status: "planned", answer: "In *June*." };
    await service.call("PATCH", `${posts}/p1`, change);
    const board = `/boards/${BOARD}`;
    for (const path of [board, `${board}/p1`, "/roadmap", "/boards", "/changelog", "/me"]) {
      const { text } = await service.read(path);
      const bytes = gzipSync(text).length;
      assert(bytes <= MAX_BYTES, `${path}: ${bytes}`);
    }
  });
});
