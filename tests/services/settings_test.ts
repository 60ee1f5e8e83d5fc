import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { LOGOS, SETTINGS_OF_SITE } from "../../model/kinds.ts";
import { checkRecords } from "../../commands/storage/check_storage.ts";
import { createService, readJson } from "../_support/service.ts";
import { STORAGES } from "../_support/storages.ts";
import { until } from "../_support/waiting.ts";

/** The largest logo, which can't be compressed. */
const LARGEST = Uint8Array.from([
  ...Array.from("\x89PNG\r\n\x1a\n", (sign) => sign.charCodeAt(0)),
  ...crypto.getRandomValues(new Uint8Array(65_528)),
]);
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>';

describe("a change of the settings", () => {
  for (const [name, withStorage] of STORAGES) {
    it(`shows within 2 seconds in another process on ${name}`, () =>
      withStorage(async (storage, another) => {
        const publicUrl = "https://updates.example";
        const [writer, reader] = [storage, another].map((one) =>
          createService({ storage: one, publicUrl, studio: true })
        );
        const get = async (path: string) =>
          await (await reader.send("GET", path, { key: null })).text();
        const paths = ["/changelog", "/changelog.atom", "/boards", "/studio"];
        for (const path of paths) assert(!(await get(path)).includes("Neues"), path);
        await writer.call("PATCH", "settings", { title: "Neues" });
        const headers = { "content-type": "image/png" };
        const stored = await writer.send("PUT", "settings/logo", { body: LARGEST, headers });
        const { logo } = await readJson<{ logo: string }>(stored);
        const startMs = performance.now();
        for (const path of paths) await until(async () => (await get(path)).includes("Neues"));
        assert(performance.now() - startMs < 2_000);
        assert((await get("/changelog")).includes(logo));
        const shown = await reader.send("GET", logo.slice(publicUrl.length), { key: null });
        assertEquals(new Uint8Array(await shown.arrayBuffer()), LARGEST);
        assertEquals(await Array.fromAsync(checkRecords(storage, () => {})), []);
      }));
  }

  for (const [name, withStorage] of STORAGES) {
    it(`is one of several at the same time that expect the same version, on ${name}`, () =>
      withStorage(async (storage, another) => {
        const services = [storage, another].map((one) => createService({ storage: one }));
        const { headers } = await services[0].send("GET", "settings");
        const expected = { "if-match": `${headers.get("etag")}` };
        const sent = [0, 1, 2, 3, 4, 5].map((number) =>
          services[number % 2].send("PATCH", "settings", {
            headers: expected,
            json: { title: `Title ${number}` },
          })
        );
        const statuses = (await Promise.all(sent)).map(({ status }) => status);
        assertEquals(statuses.sort(), [200, 412, 412, 412, 412, 412]);
      }));
  }

  it("leaves no logo behind that was replaced or removed", async () => {
    const { storage, send } = createService();
    const count = async () => (await storage.list(LOGOS, { limit: 10 })).length;
    const headers = { "content-type": "image/svg+xml" };
    for (const body of [SVG, `${SVG}\n`]) {
      await send("PUT", "settings/logo", { body, headers });
      await send("PUT", "settings/logo-dark", { body, headers });
    }
    assertEquals(await count(), 2);
    await send("DELETE", "settings/logo");
    await send("DELETE", "settings/logo-dark");
    assertEquals([await count(), (await storage.list(SETTINGS_OF_SITE, { limit: 2 })).length], [
      ...[0, 1],
    ]);
  });
});
