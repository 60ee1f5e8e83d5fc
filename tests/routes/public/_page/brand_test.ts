import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createHandler, LANGUAGES, openMemoryStorage } from "../../../../mod.ts";
import { hash64 } from "../../../../model/crypto/hash64.ts";
import { accentOf, contrast, DARK, LIGHT } from "../../../../model/accent.ts";
import { forEachRow } from "../../../_support/rows.ts";
import { createService } from "../../../_support/service.ts";

const PUBLIC_URL = "https://updates.example/feedback";
const SVG = '<?xml version="1.0"?>\n<!-- A -->\n<svg xmlns="http://www.w3.org/2000/svg"/>';
const PNG = "\x89PNG\r\n\x1a\n…";
const LOGO = `/changelog/_logo/${hash64(bytesOf(PNG))}.png`;
const WEBP = "RIFF\x10\0\0\0WEBPVP8 …";

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

describe("the brand", () => {
  it("keeps a contrast of 4.5:1 in light and dark, whatever its accent", () =>
    forEachRow(
      ["#000000", "#ffffff", "#ffd400", "#00ff00", "#0a7cff", "#7f7f7f", "#FF00AA", "#123456"],
      (accent) => {
        const schemes = accentOf(accent);
        for (const [scheme, { paper, raised }] of [["light", LIGHT], ["dark", DARK]] as const) {
          const { color, tint, onTint } = schemes[scheme];
          const ratios = [[color, paper], [color, raised], [onTint, tint]]
            .map(([one, other]) => contrast(one, other));
          assert(ratios.every((ratio) => ratio >= 4.5), `${scheme}: ${ratios}`);
        }
      },
    ));

  it("leaves an accent as it is where that can be read", () => {
    assertEquals([accentOf("#0b5394").light.color, accentOf("#8AB4F8").dark.color], [
      ...["#0b5394", "#8ab4f8"],
    ]);
  });

  it("stands on pages: colour, logo, icon, home and language", async () => {
    const { send } = createService({
      ...{ publicUrl: PUBLIC_URL, title: "Neues", home: "https://acme.example/", language: "de" },
      ...{ accent: "#0b5394", logo: bytesOf(PNG) },
    });
    const content = await (await send("GET", "/changelog", { key: null })).text();
    await forEachRow([
      ...['<html lang="de" dir="ltr">', "--accent: #0b5394;", 'href="https://acme.example/"'],
      `<link rel="icon" type="image/png" href="${PUBLIC_URL}${LOGO}">`,
      `<img src="${PUBLIC_URL}${LOGO}" alt="acme.example"`,
      '<meta name="theme-color" content="#0b5394" media="(prefers-color-scheme: light)">',
      "Noch nichts veröffentlicht",
    ], (part) => assert(content.includes(part)));
  });

  it("has a logo of its own for the dark scheme, on pages and in tabs", async () => {
    const logoDark = bytesOf(`${PNG}dark`);
    const options = { publicUrl: PUBLIC_URL, logo: bytesOf(PNG), logoDark };
    const { send } = createService(options);
    const content = await (await send("GET", "/changelog", { key: null })).text();
    const url = `${PUBLIC_URL}/changelog/_logo/${hash64(logoDark)}.png`;
    await forEachRow([
      `<link rel="icon" type="image/png" href="${url}" media="(prefers-color-scheme: dark)">`,
      `<picture><source srcset="${url}" media="(prefers-color-scheme: dark)"><img src="${PUBLIC_URL}${LOGO}"`,
    ], (part) => assert(content.includes(part), content));
    const response = await send("GET", "/changelog/_logo-dark", { key: null });
    assertEquals(new Uint8Array(await response.arrayBuffer()), logoDark);
    const one = createService({ publicUrl: PUBLIC_URL, logo: bytesOf(PNG) });
    const other = await one.send("GET", "/changelog/_logo-dark", { key: null });
    assertEquals(new Uint8Array(await other.arrayBuffer()), bytesOf(PNG));
  });

  it("has a logo that runs nothing, with a validator", () =>
    forEachRow([
      [SVG, "image/svg+xml"],
      [PNG, "image/png"],
      [WEBP, "image/webp"],
      [undefined, "image/svg+xml"],
    ], async ([text, contentType]) => {
      const logo = text && bytesOf(text);
      const { send } = createService({ publicUrl: PUBLIC_URL, logo: logo || undefined });
      const response = await send("GET", "/changelog/_logo", { key: null });
      const { headers } = response;
      assertEquals(headers.get("content-type"), contentType);
      assertEquals(headers.get("content-security-policy"), "default-src 'none'; sandbox");
      const bytes = new Uint8Array(await response.arrayBuffer());
      if (logo) assertEquals(bytes, logo);
      const known = { "If-None-Match": `${headers.get("etag")}` };
      const again = await send("GET", "/changelog/_logo", { key: null, headers: known });
      assertEquals([again.status, again.headers.get("cache-control")], [304, "public, max-age=60"]);
    }));

  it("is refused where a part of it can't be used", () =>
    forEachRow(
      [
        ["language", "EN", `it is none of ${LANGUAGES.join(", ")}; did you mean en?`],
        ["language", "tlh", `it is none of ${LANGUAGES.join(", ")}`],
        ["home", "example.com", "it is not an absolute http or https URL"],
        ["home", "javascript:alert(1)", "it is not an absolute http or https URL"],
        ["accent", "red", '"red" is not like #0a7cff'],
        ["accent", "#fff", '"#fff" is not like #0a7cff'],
        ["logo", "logo.svg", "it must be a Uint8Array"],
        ["logo", bytesOf("<html><svg></svg>"), "it is no SVG, PNG or WebP"],
        ["logo", bytesOf(PNG + "x".repeat(65_536)), "it has more than 65536 bytes"],
      ] as const,
      ([name, value, detail]) => {
        let message = "";
        try {
          createHandler({ storage: openMemoryStorage(), [name]: value });
        } catch (error) {
          message = (error as Error).message;
        }
        assert(message.startsWith(`Cannot use ${name}: ${detail}`), message);
      },
    ));
});
