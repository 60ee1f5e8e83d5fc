import { assertEquals } from "@std/assert";
import { it } from "@std/testing/bdd";
import { toneOf } from "../../model/entries/label_tone.ts";

it("a label has the same tone in the studio and on the pages", async () => {
  const source = await Deno.readTextFile(new URL("../../studio/parts.js", import.meta.url));
  // The module needs a page, but this function does not, so it is cut out.
  const start = source.indexOf("const TONES");
  const end = source.indexOf("export function pill", start);
  const code = source.slice(start, end).replace("export function", "return function");
  const studio = new Function(code)() as (label: string) => number;
  for (const label of ["new", "fixed", "design", "api", "dark-mode", "a"]) {
    assertEquals(studio(label), toneOf(label), label);
  }
});
