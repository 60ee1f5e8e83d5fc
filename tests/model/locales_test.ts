import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { datesOf, directionOf, LANGUAGES } from "../../model/locales/language.ts";
import { type Texts, textsOf } from "../../model/locales/locales.ts";
import { forEachRow } from "../_support/rows.ts";

/** Texts that are the same word in English and in some other languages. */
const SHARED: readonly (keyof Texts)[] = ["ideas", "labels", "open", "pages", "roadmap", "test"];
const ARGUMENTS = ["«one»", "«two»"];

function write(text: Texts[keyof Texts]): string {
  return typeof text === "string" ? text : (text as (...all: string[]) => string)(...ARGUMENTS);
}

describe("the texts of a language", () => {
  const english = Object.entries(textsOf("en")) as [keyof Texts, Texts[keyof Texts]][];

  it("are its own, whole and without stray spaces", () =>
    forEachRow(LANGUAGES, (language) => {
      const texts = textsOf(language);
      assertEquals(Object.keys(texts), Object.keys(textsOf("en")));
      for (const [name, original] of english) {
        const text = write(texts[name]);
        assertEquals([text.trim(), / {2}|undefined|\$\{/.test(text)], [text, false], name);
        assert(text !== "", name);
        const isOwn = language === "en" || SHARED.includes(name) || text !== write(original);
        assert(isOwn, `${name} is in English`);
      }
    }));

  it("say what they are about", () =>
    forEachRow(LANGUAGES, (language) => {
      for (const [name, original] of english) {
        if (typeof original === "string") continue;
        const text = write(textsOf(language)[name]);
        for (const argument of ARGUMENTS.slice(0, original.length)) {
          assert(text.includes(argument), `${name} lacks ${argument}`);
        }
      }
    }));

  it("keep what people wrote apart from the direction of a sentence from right to left", () =>
    forEachRow(["ar", "he"] as const, (language) => {
      assertEquals(directionOf(language), "rtl");
      const { confirmRequest } = textsOf(language);
      const text = confirmRequest("Acme", "ann@example.com");
      assert(text.includes("\u2068Acme\u2069") && text.includes("\u2068ann@example.com\u2069"));
    }));
});

it("dates are written as each language writes them", () =>
  forEachRow(
    [
      ["en", "3 November 2026 – 25 November 2026", "November 2026"],
      ["de", "3. November 2026 – 25. November 2026", "November 2026"],
      ["fr", "3 novembre 2026 – 25 novembre 2026", "novembre 2026"],
      ["es", "3 de noviembre de 2026 – 25 de noviembre de 2026", "noviembre de 2026"],
      ["pt", "3 de novembro de 2026 – 25 de novembro de 2026", "novembro de 2026"],
      ["it", "3 novembre 2026 – 25 novembre 2026", "novembre 2026"],
      ["nl", "3 november 2026 – 25 november 2026", "november 2026"],
      ["pl", "3 listopada 2026 – 25 listopada 2026", "listopad 2026"],
      ["ja", "2026年11月3日 – 2026年11月25日", "2026年11月"],
      ["zh", "2026年11月3日 – 2026年11月25日", "2026年11月"],
      ["ar", "3 نوفمبر 2026 – 25 نوفمبر 2026", "نوفمبر 2026"],
      ["he", "3 בנובמבר 2026 – 25 בנובמבר 2026", "נובמבר 2026"],
    ] as const,
    ([language, days, month]) => {
      const dates = datesOf({ language, timeZone: "UTC" });
      const [from, to] = ["2026-11-03T00:00:00.000Z", "2026-11-25T23:59:59.999Z"];
      assertEquals([dates.range(from, to), dates.month(to)], [days, month]);
      assertEquals(dates.range(from, from), dates.day(from));
    },
  ));
