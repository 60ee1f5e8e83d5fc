import { assertEquals } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import type { Browser } from "playwright-core";
import { encodeBase64 } from "../../../model/crypto/encoding.ts";
import type { ShownImage } from "../../../model/images/image.ts";
import { IMAGES, tell } from "../../_support/images.ts";
import { createService } from "../../_support/service.ts";
import { launchBrowser } from "./_browser.ts";

/** Draws images in the page, and returns the size and the pixels of each. */
const DRAW = `async (urls) => Promise.all(urls.map(async (src) => {
  const image = Object.assign(new Image(), { src, crossOrigin: "anonymous" });
  await image.decode();
  const { naturalWidth: width, naturalHeight: height } = image;
  const context = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d");
  context.drawImage(image, 0, 0);
  return [width, height, [...context.getImageData(0, 0, width, height).data].join()];
}))`;

describe("images in a browser", () => {
  let browser: Browser;
  before(async () => void (browser = await launchBrowser()));
  after(() => browser.close());

  it("have the pixels and the size that they had, and move nothing when they come", async () => {
    let delayMs = 0;
    const listen = { hostname: "127.0.0.1", port: 0, onListen() {} };
    await using server = Deno.serve(listen, async (request) => {
      const isImage = request.url.includes("/images/");
      if (isImage) await new Promise((resolve) => setTimeout(resolve, delayMs));
      return await service.handler(request);
    });
    const origin = `http://127.0.0.1:${server.addr.port}`;
    const service = createService({ publicUrl: origin });
    const added: ShownImage[] = [];
    const originals: string[] = [];
    for (const type of Object.keys(IMAGES)) {
      for (const orientation of /jpeg|png/.test(type) ? [1, 3, 6, 8] : [1]) {
        const body = tell(type, orientation);
        const headers = { "content-type": type };
        added.push(
          await (await service.send("POST", "changelogs/images", { headers, body })).json(),
        );
        originals.push(`data:${type};base64,${encodeBase64(body)}`);
      }
    }
    const body = added.map(({ imageId }) => `![x](images/${imageId})\n\nText.`).join("\n\n");
    await service.call("POST", "changelogs/entries", { entryId: "a", title: "A", body });
    await service.call("POST", "changelogs/entries/a/publish", { notify: false });

    await using context = await browser.newContext();
    const page = await context.newPage();
    await page.goto("about:blank");
    const drawn = await page.evaluate<unknown[][]>(`(${DRAW})(${JSON.stringify(originals)})`);
    delayMs = 300;
    await page.addInitScript(`globalThis.moved = 0; new PerformanceObserver((list) => {
      for (const { value } of list.getEntries()) moved += value;
    }).observe({ type: "layout-shift", buffered: true });`);
    await page.goto(`${origin}/changelog/a`, { waitUntil: "networkidle" });
    const urls = added.map(({ path }) => `${origin}${path}`);
    const shown = await page.locator(".body img").evaluateAll((images) =>
      images.map((image) => [image.getAttribute("src"), `${image.clientHeight}`])
    );
    assertEquals(shown.map(([src]) => src), urls);
    assertEquals(await page.evaluate("moved"), 0);
    const served = await context.newPage();
    await served.goto(`${origin}${added[0].path}`);
    const bytes = await Promise.all(added.map(async ({ path, type }) => {
      const response = await service.send("GET", path, { key: null });
      return `data:${type};base64,${encodeBase64(await response.bytes())}`;
    }));
    await page.goto("about:blank");
    const kept = await page.evaluate<unknown[][]>(`(${DRAW})(${JSON.stringify(bytes)})`);
    assertEquals(kept, drawn);
    assertEquals(
      kept.map(([width, height]) => [width, height]),
      added.map(({ width, height }) => [width, height]),
    );
  });
});
