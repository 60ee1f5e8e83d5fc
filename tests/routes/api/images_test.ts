import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMailIds } from "../../../services/deliveries/mail_ids.ts";
import { prepareEntryMail } from "../../../delivery/mail/entry_mail.ts";
import { readBrand } from "../../../model/brand.ts";
import type { Entry } from "../../../model/entries/entry.ts";
import type { ShownImage } from "../../../model/images/image.ts";
import { ENTRIES, IMAGE_PARTS, IMAGE_UPLOADS, SETTINGS } from "../../../model/kinds.ts";
import { drawPng, IMAGES, tell } from "../../_support/images.ts";
import { forEachRow } from "../../_support/rows.ts";
import {
  assertProblem,
  createService,
  outcomeOf,
  type TestService,
} from "../../_support/service.ts";

const PATH = "changelogs/images";
const PUBLIC_URL = "https://updates.example/feedback";
const PNG = "image/png";

type Bytes = Uint8Array<ArrayBuffer>;

function upload({ send }: TestService, body: Bytes, type = PNG): Promise<Response> {
  return send("POST", PATH, { body, headers: { "content-type": type } });
}

async function add(service: TestService, body: Bytes, type = PNG): Promise<ShownImage> {
  const response = await upload(service, body, type);
  assert(response.ok, await response.clone().text());
  return await response.json();
}

async function leftOf({ storage }: TestService): Promise<unknown> {
  const all = { limit: 1_000 };
  const totals = await storage.get(SETTINGS, "images");
  return [
    (await storage.list(IMAGE_PARTS, all)).length,
    (await storage.list(IMAGE_UPLOADS, all)).length,
    totals?.value,
  ];
}

describe("an image", () => {
  it("tells which entries show it", async () => {
    const service = createService();
    const { imageId }: ShownImage = await (await upload(service, tell("image/png", 1))).json();
    const body = `![](images/${imageId})`;
    for (const entryId of ["older", "newer"]) {
      await service.call("POST", "/api/v1/changelogs/entries", { entryId, title: "A", body });
    }
    await service.call("POST", "/api/v1/changelogs/entries", { title: "Other", body: "None" });
    const response = await service.send("GET", `/api/v1/changelogs/images/${imageId}`);
    assertEquals((await response.json()).usedBy.toSorted(), ["newer", "older"]);
  });

  it("is stored once, whatever it is called, and shown to everybody, for good", () =>
    forEachRow(Object.keys(IMAGES), async (type) => {
      const service = createService({ publicUrl: PUBLIC_URL });
      const { send } = service;
      const file = tell(type, 1);
      const response = await upload(service, file, "image/gif");
      const image: ShownImage = await response.json();
      const location = `/api/v1/changelogs/images/${image.imageId}`;
      assertEquals([response.status, response.headers.get("location")], [201, location]);
      assertEquals([image.type, image.path], [type, `/changelog/images/${image.imageId}`]);
      assertEquals((await upload(service, file)).status, 200);
      assertEquals(await (await send("GET", location)).json(), { ...image, usedBy: [] });

      const shown = await send("GET", image.path, { key: null });
      const bytes = await shown.bytes();
      assertEquals([shown.status, bytes.length], [200, image.bytes]);
      const { headers } = shown;
      assertEquals(headers.get("content-type"), type);
      assertEquals(headers.get("content-length"), `${image.bytes}`);
      assertEquals(headers.get("cache-control"), "public, max-age=31536000, immutable");
      assertEquals(headers.get("x-content-type-options"), "nosniff");
      assertEquals(headers.get("content-security-policy"), "default-src 'none'; sandbox");
      const etag = headers.get("etag")!;
      const known = await send("GET", image.path, {
        key: null,
        headers: { "if-none-match": etag },
      });
      assertEquals([known.status, known.body], [304, null]);
      const head = await send("HEAD", image.path, { key: null });
      assertEquals([head.status, head.body], [200, null]);
      assertEquals(head.headers.get("content-length"), `${image.bytes}`);
    }));

  it("is read part by part, each once the one before it was taken", async () => {
    const service = createService();
    const image = await add(service, drawPng(100, 100, { bytes: 900_000 }));
    let parts = 0;
    const { storage } = service;
    const counting = createService({
      storage: {
        ...storage,
        get(kind, key) {
          if (kind.name === IMAGE_PARTS.name) parts++;
          return storage.get(kind, key);
        },
      },
    });
    const reader = (await counting.send("GET", image.path, { key: null })).body!.getReader();
    for (let taken = 1; taken <= 3; taken++) {
      await reader.read();
      assertEquals(parts, taken);
    }
    await reader.cancel();
    assertEquals(parts, 3);
  });

  it("is listed, the newest first, and gone once it is deleted", async () => {
    const service = createService({ publicUrl: PUBLIC_URL });
    const ids: string[] = [];
    for (let n = 1; n <= 3; n++) {
      ids.unshift((await add(service, drawPng(n, n))).imageId);
      service.advance(1_000);
    }
    const page = await service.call<{ data: ShownImage[]; nextCursor: string }>(
      ...["GET", `${PATH}?limit=2`] as const,
    );
    assertEquals(page.data.map(({ imageId }) => imageId), ids.slice(0, 2));
    const rest = await service.call<{ data: ShownImage[] }>(
      ...["GET", `${PATH}?cursor=${page.nextCursor}`] as const,
    );
    assertEquals(rest.data.map(({ imageId }) => imageId), ids.slice(2));
    for (const id of ids) assertEquals((await service.send("DELETE", `${PATH}/${id}`)).status, 204);
    assertEquals(await leftOf(service), [0, 0, "0 0"]);
    for (const method of ["GET", "DELETE"]) {
      const outcome = await outcomeOf(await service.send(method, `${PATH}/${ids[0]}`));
      assertEquals(outcome, "404 image_not_found");
    }
    const shown = await service.send("GET", `/changelog/images/${ids[0]}`, { key: null });
    assertEquals([shown.status, shown.headers.get("content-type")], [
      404,
      "text/html; charset=utf-8",
    ]);
  });

  it("is refused where it is none, or too large", async () => {
    const service = createService();
    const { send } = service;
    const svg = new TextEncoder().encode("<svg xmlns='http://www.w3.org/2000/svg'/>");
    const large = new Uint8Array(5 * 1024 * 1024 + 1);
    await forEachRow<[BodyInit, string, string]>([
      [svg, PNG, "415 unsupported_media_type"],
      [svg, "image/svg+xml", "415 unsupported_media_type"],
      [drawPng(30_000, 30_000), PNG, "415 unsupported_media_type"],
      ["", PNG, "415 unsupported_media_type"],
      [large, PNG, "413 body_too_large"],
      [new Blob([large]).stream(), PNG, "413 body_too_large"],
    ], async ([body, type, expected]) => {
      const response = await send("POST", PATH, { body, headers: { "content-type": type } });
      assertEquals(await outcomeOf(response), expected);
    });
    assertEquals(await leftOf(service), [0, 0, undefined]);
  });

  it("is 409 where there is no room, and leaves nothing half stored", async () => {
    const service = createService({ images: 500_000 });
    const { imageId } = await add(service, drawPng(1, 1, { bytes: 400_000 }));
    const other = drawPng(2, 2, { bytes: 400_000 });
    const before = await leftOf(service);
    for (let n = 0; n < 2; n++) {
      await assertProblem(await upload(service, other), 409, "images_full");
    }
    assertEquals(await leftOf(service), before);
    await service.send("DELETE", `${PATH}/${imageId}`);
    assertEquals((await upload(service, other)).status, 201);
    const off = createService({ images: 0 });
    await assertProblem(await upload(off, drawPng(1, 1)), 409, "images_full");
  });

  it("is stored once if it is sent many times at once, with others, within the space for images", async () => {
    const service = createService({ images: 1_000_000 });
    const files = [1, 2, 3, 4].map((n) => drawPng(n, n, { bytes: 300_000 }));
    const statuses = await Promise.all(
      [...files, ...files, ...files].map(async (file) => (await upload(service, file)).status),
    );
    assertEquals(statuses.filter((status) => status === 201).length, 3);
    assert(statuses.every((status) => [200, 201, 409].includes(status)));
    const [parts, uploads, totals] = await leftOf(service) as [number, number, string];
    assertEquals([parts, uploads], [6, 0]);
    assertMatch(totals, /^3 900\d{3}$/);
  });

  it("leaves nothing visible where storage fails halfway, and later nothing at all", async () => {
    const service = createService();
    const file = drawPng(9, 9, { bytes: 850_000 });
    for (let failing = 1; failing <= 8; failing++) {
      const { storage } = service;
      let calls = 0;
      const broken = createService({
        storage: {
          ...storage,
          transact(refs, decide) {
            const kinds = Object.values(refs).map(({ kind }) => kind.name);
            // Refs never name parts of images.
            const isOfImages = kinds.length === 0 || kinds.some((name) => /^image/.test(name));
            return isOfImages && ++calls === failing
              ? Promise.reject(Object.assign(new Error("broken"), { name: "StorageError" }))
              : storage.transact(refs, decide);
          },
        },
      });
      const response = await upload(broken, file);
      if (response.status === 201) break;
      assertEquals(response.status, 503);
      assertEquals((await service.call<{ data: unknown[] }>("GET", PATH)).data, []);
    }
    service.advance(3_600_000);
    for (let n = 1; n <= 3; n++) await add(service, drawPng(n, n));
    const [parts, uploads] = await leftOf(service) as number[];
    assertEquals([parts <= 8, uploads], [true, 0]);
  });
});

describe("an image in an entry", () => {
  it("is shown absolute, with its size, on pages, in feeds and mails, and stands for the page", async () => {
    const service = createService({ publicUrl: PUBLIC_URL, title: "Acme" });
    const { imageId, path } = await add(service, drawPng(1_200, 800));
    const url = `${PUBLIC_URL}${path}`;
    const body = `Look:\n\n![The dark mode](images/${imageId} "Dark")`;
    await service.call("POST", "changelogs/entries", { entryId: "a", title: "Dark", body });
    const { url: link } = await service.call<{ url: string }>(
      ...["POST", "changelogs/entries/a/preview-link"] as const,
    );
    await service.call("POST", "changelogs/entries/a/publish", { notify: false });
    const tag = `<img src="${url}" alt="The dark mode" title="Dark" width="1200" height="800" ` +
      'loading="lazy" />';
    const read = async (at: string) => await (await service.send("GET", at, { key: null })).text();
    const page = await read("/changelog/a");
    for (
      const text of [page, await read("/changelog"), await read(link.slice(PUBLIC_URL.length))]
    ) {
      assertStringIncludes(text, tag);
    }
    assertStringIncludes(page, `<meta property="og:image" content="${url}">`);
    assertStringIncludes(page, `"image":"${url}"`);
    assertStringIncludes(await read("/changelog.atom"), `src=&quot;${url}&quot;`);
    const { items } = JSON.parse(await read("/changelog.json"));
    assertEquals(items[0].image, url);
    assertStringIncludes(items[0].content_html, tag);
    const { html } = await service.call<{ html: string }>(
      ...["POST", "changelogs/entries/preview", { title: "Dark", body }] as const,
    );
    assertStringIncludes(html, tag);
    const entry = await service.storage.get(ENTRIES, "a") as Entry;
    const site = { publicUrl: PUBLIC_URL, ...readBrand({}), footer: "" };
    const from = { name: "", address: "news@acme.example" };
    const ids = await openMailIds(service.storage);
    const write = await prepareEntryMail(entry, { settings: { ...site, from }, ids });
    const mail = await write({ userEmail: "ann@example.com" }, "https://x.y/z");
    assertStringIncludes(mail.html, `src="${url}"`);
    // Outlook uses the attribute, and the column is 600 pixels wide.
    assertStringIncludes(mail.html, 'width="600" height="400"');
    assertStringIncludes(mail.text, `<${url}>`);
  });

  it("is its text where it is none of ours", async () => {
    const { call } = createService({ publicUrl: PUBLIC_URL });
    await forEachRow([
      "images/x.png",
      "images/9f86d081884c7d65-0x800.png",
      "images/9f86d081884c7d65-1200x800.svg",
      "images/../9f86d081884c7d65-1200x800.png",
      "/images/9f86d081884c7d65-1200x800.png",
      'images/9f86d081884c7d65-1200x800.png"onerror="x',
    ], async (destination) => {
      const body = `![alt](<${destination}>)`;
      const { html } = await call("POST", "changelogs/entries/preview", { title: "a", body });
      assertEquals(html, '<p dir="auto">alt</p>\n');
    });
  });
});
