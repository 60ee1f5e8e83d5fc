import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { foldText } from "../../model/values/folded_text.ts";
import { forEachRow } from "../_support/rows.ts";

describe("a folded text", () => {
  it("is the same for spellings that a search takes for the same", () =>
    forEachRow([
      ["Straße Œuvre Ægir Ørsted Łódź Đakovo", "strasse oeuvre aegir orsted lodz dakovo"],
      ["re\u0301sume\u0301", "résumé"],
      ["ＡＢＣ", "abc"],
      ["ﾓｰﾄﾞ", "モード"],
      ["İSTANBUL ısı", "istanbul isi"],
      ["ΟΔΟΣ", "οδοσ"],
      ["الداكِن", "الداكن"],
      ["שָׁלוֹם", "שלום"],
      ["ё", "е"],
    ], ([text, same]) => assertEquals(foldText(text), foldText(same))));

  it("keeps marks that make other letters in Japanese and Hindi", () =>
    forEachRow([["か", "が"], ["का", "की"]], ([one, other]) => {
      assertEquals(foldText(one) === foldText(other), false);
    }));
});
