import { assertEquals } from "@std/assert";
import { it } from "@std/testing/bdd";
import { slug, toLabels } from "../../studio/drafts/words.js";

it("an address keeps the letters of a title that no mark was put on", () => {
  assertEquals(slug("Größere Übersicht für Łódź"), "grossere-ubersicht-fur-lodz");
  assertEquals(slug("Blå øyer i Đà Nẵng"), "bla-oyer-i-da-nang");
  assertEquals(slug("新しい"), undefined);
});

it("a label is made of what people type", () => {
  assertEquals(toLabels("New, Bug fix; größer, new"), ["new", "bug-fix-grosser"]);
});
