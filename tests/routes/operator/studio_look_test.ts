import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createService } from "../../_support/service.ts";

const { send } = createService({ studio: true, title: "Acme" });

async function headOf(query: Readonly<Record<string, string>>) {
  const response = await send("GET", `/studio/head.json?${new URLSearchParams(query)}`, {
    key: null,
  });
  assertEquals(response.headers.get("content-type"), "application/json");
  return await response.json() as { readonly html: string; readonly language: string };
}

describe("the look of settings that are not saved", () => {
  it("has the values of the query, as text and never as HTML", async () => {
    const logo = "9f86d081884c7d65.svg";
    const title = '<img src=x onerror="alert(1)">';
    const { html, language } = await headOf({ title, language: "de", logo });
    assertEquals([language, html.includes("<img src=x"), html.includes("&lt;img")], [
      ...["de", false, true],
    ]);
    assert(html.includes(`./changelog/_logo/${logo}`));
  });

  it("has the saved values where those of the query are not valid", async () => {
    const wrong = { title: " ", home: "javascript:alert(1)", language: "tlh", logo: "../x" };
    const { html, language } = await headOf(wrong);
    assertEquals([language, html.includes("Acme"), /javascript|\.\.\/x/.test(html)], [
      ...["en", true, false],
    ]);
    const style = async (accent: string) =>
      await (await send("GET", `/studio/preview.css?accent=${encodeURIComponent(accent)}`, {
        key: null,
      })).text();
    assert((await style("#0b5394")).includes("--accent: #0b5394;"));
    assertEquals(await style("red}body{display:none"), await style(""));
  });
});
