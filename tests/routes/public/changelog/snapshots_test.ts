import { assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage, type Storage } from "../../../../mod.ts";
import { readBrand } from "../../../../model/brand.ts";
import type { PublicSite } from "../../../../model/public_site.ts";
import { instant } from "../../../../model/values/time.ts";
import { createSnapshots } from "../../../../routes/public/changelog/snapshots.ts";
import { createDocuments } from "../../../../routes/public/_page/documents.ts";
import { START } from "../../../_support/service.ts";

const SITE: PublicSite = {
  publicUrl: "https://boards.example.com",
  hasSignUp: false,
  hasForms: false,
  ...readBrand({}),
};

describe("a public document", () => {
  it("is made once for all who ask for it meanwhile, and afterwards", async () => {
    const snapshot = await createSnapshots(SITE, createDocuments(SITE))(openMemoryStorage(), START);
    const request = new Request("http://localhost/changelog");
    let made = 0;
    async function make() {
      made++;
      await new Promise((resolve) => setTimeout(resolve));
      return { body: "x", contentType: "text/html" };
    }
    const reply = () => snapshot.reply({ request, now: instant(Date.parse(START)) }, "list", make);
    await Promise.all([reply(), reply(), reply()]);
    await reply();
    assertEquals(made, 1);
  });

  it("is made as soon as storage works, though it failed at first", async () => {
    const memory = openMemoryStorage();
    let isFailing = true;
    const list: Storage["list"] = (kind, query) =>
      isFailing ? Promise.reject(new Error("gone")) : memory.list(kind, query);
    const current = createSnapshots(SITE, createDocuments(SITE));
    await assertRejects(() => current({ ...memory, list }, START), Error, "gone");
    isFailing = false;
    assertEquals((await current({ ...memory, list }, START)).lists.labels, []);
  });
});
