import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { LANGUAGES } from "../../../../mod.ts";
import { textsOf } from "../../../../model/locales/locales.ts";
import { forEachRow } from "../../../_support/rows.ts";
import { createService, type TestService } from "../../../_support/service.ts";

const PUBLIC_URL = "https://updates.example/feedback";
const ENTRIES = "changelogs/entries";
const DAY_MS = 86_400_000;

async function publish(
  { call }: TestService,
  entryId: string,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await call("POST", ENTRIES, { entryId, title: `About ${entryId}`, body: "", ...fields });
  await call("POST", `${ENTRIES}/${entryId}/publish`, { notify: false });
}

/** Creates a service with entries `e0`, `e1`… a day apart; the even ones have the label `even`. */
async function createFilled(count: number): Promise<TestService> {
  const service = createService({ publicUrl: PUBLIC_URL, title: "News" });
  for (let i = 0; i < count; i++) {
    await publish(service, `e${i}`, { labels: i % 2 === 0 ? "even" : "" });
    service.advance(DAY_MS);
  }
  return service;
}

async function read({ send }: TestService, path: string): Promise<string> {
  const response = await send("GET", path.replace(PUBLIC_URL, ""), { key: null });
  assertEquals(response.status, 200, path);
  return (await response.text()).replaceAll("&amp;", "&");
}

function find(content: string, pattern: RegExp): string | undefined {
  return pattern.exec(content)?.[1];
}

const older = (content: string) => find(content, /<a href="([^"]+)" rel="next">/);
const newer = (content: string) => find(content, /<a href="([^"]+)" rel="prev">/);
const titleOf = (content: string) => find(content, /<title>([^<]*)<\/title>/);
const idsIn = (content: string) =>
  [...content.matchAll(/<h3 class="title" dir="auto"><a href="[^"]*\/e(\d+)"/g)]
    .map(([, id]) => Number(id));

describe("a page of the changelog", () => {
  it("leads to those before and after it, and each is found by its title", async () => {
    const service = await createFilled(50);
    const pages = [await read(service, "/changelog")];
    for (let next = older(pages[0]); next !== undefined; next = older(pages.at(-1)!)) {
      pages.push(await read(service, next));
    }
    assertEquals(pages.map((page) => idsIn(page).length), [20, 20, 10]);
    assertEquals(pages.map(titleOf), [
      "News",
      "1 December 2026 – 20 December 2026 · News",
      "21 November 2026 – 30 November 2026 · News",
    ]);
    for (const [index, page] of pages.entries()) {
      const link = newer(page);
      assertEquals(link === undefined, index === 0);
      if (link !== undefined) assertEquals(await read(service, link), pages[index - 1]);
    }
  });

  it("has the entries below their months", async () => {
    const content = await read(await createFilled(12), "/changelog");
    const found = [...content.matchAll(/class="month">([^<]*)|\/(e\d+)"><time/g)];
    const order = found.map(([, month, id]) => month ?? id).join(" ");
    assertEquals(order, "December 2026 e11 e10 November 2026 e9 e8 e7 e6 e5 e4 e3 e2 e1 e0");
  });

  it("is of one label where that is asked for, with feeds of the label", async () => {
    const service = await createFilled(45);
    const content = await read(service, "/changelog?label=even");
    assertEquals([titleOf(content), idsIn(content).every((id) => id % 2 === 0)], [
      ...["Labelled “even” · News", true],
    ]);
    assertEquals(idsIn(await read(service, `${older(content)}`)), [4, 2, 0]);
    for (const format of ["atom", "json"]) {
      const address = `${PUBLIC_URL}/changelog.${format}?label=even`;
      assert(content.includes(`href="${address}"`));
      const feed = await read(service, address);
      assert(feed.includes("About e44") && !feed.includes("About e43"), format);
      assert(feed.includes(address) && feed.includes("Labelled “even” · News"), format);
    }
    assertMatch(content, /<a href="[^"]*\?label=even" aria-current="page">even<\/a>/);
  });

  it("of a label without entries says so, and is not to be found", async () => {
    const content = await read(await createFilled(1), "/changelog?label=none");
    assert(content.includes("There is no entry with this label"));
    assert(content.includes('<meta name="robots" content="noindex">'));
  });

  it("is the same for all positions between the same two entries", async () => {
    const service = await createFilled(22);
    const content = await read(service, "/changelog");
    const next = `${older(content)}`;
    const etag = async (path: string) =>
      (await service.send("GET", path.replace(PUBLIC_URL, ""), { key: null })).headers.get("etag");
    const [last] = idsIn(content).slice(-1);
    const between = btoa(`changelog e${last} 2026-11-22T11:00:00.000Z`).replace(/=+$/, "");
    assertNotEquals(next.split("cursor=")[1], between);
    assertEquals(await etag(`/changelog?cursor=${between}`), await etag(next));
  });
});

describe("the page of an entry", () => {
  it("leads to the newer and the older one", async () => {
    const service = await createFilled(3);
    const content = await read(service, "/changelog/e1");
    assertEquals([newer(content), older(content)], [
      `${PUBLIC_URL}/changelog/e2`,
      `${PUBLIC_URL}/changelog/e0`,
    ]);
    assertEquals(newer(await read(service, "/changelog/e2")), undefined);
    assertEquals(older(await read(service, "/changelog/e0")), undefined);
  });

  it("has another ETag and date once a newer one is published", async () => {
    const service = await createFilled(1);
    const state = async () => {
      const { headers } = await service.send("GET", "/changelog/e0", { key: null });
      return [headers.get("etag"), headers.get("last-modified")];
    };
    const before = await state();
    await publish(service, "next");
    const after = await state();
    assert(before.every((value, index) => value !== after[index]));
  });

  it("is described to those who show links to it, and nothing in it ends the description", async () => {
    const service = createService({ publicUrl: PUBLIC_URL, title: "News" });
    const body =
      "> - [x] See </script><!-- this ~~not~~\n\n![A picture](https://example.com/a.png)";
    await publish(service, "a", { body, labels: "new" });
    const content = await read(service, "/changelog/a");
    const json = find(content, /<script type="application\/ld\+json">([^<]*)<\/script>/);
    const { headline, description, datePublished, image, keywords } = JSON.parse(`${json}`);
    assertEquals({ headline, description, datePublished, image, keywords }, {
      headline: "About a",
      description: "See </script><!-- this",
      datePublished: "2026-11-21T10:00:00.000Z",
      image: "https://example.com/a.png",
      keywords: ["new"],
    });
    await forEachRow([
      '<meta property="og:type" content="article">',
      '<meta property="article:published_time" content="2026-11-21T10:00:00.000Z">',
      '<meta property="og:image" content="https://example.com/a.png">',
      '<meta name="twitter:card" content="summary_large_image">',
      `<link rel="canonical" href="${PUBLIC_URL}/changelog/a">`,
    ], (part) => assert(content.includes(part)));
  });
});

it("the sitemap is named to crawlers where the public URL has no path", async () => {
  const { send } = createService({ publicUrl: "https://updates.example" });
  const response = await send("GET", "/robots.txt", { key: null });
  assertEquals(response.headers.get("content-type"), "text/plain; charset=utf-8");
  assertEquals(
    await response.text(),
    "User-agent: *\nDisallow:\n\nSitemap: https://updates.example/sitemap.xml\n",
  );
  const headers = { "if-none-match": response.headers.get("etag")! };
  assertEquals((await send("GET", "/robots.txt", { key: null, headers })).status, 304);
  for (const publicUrl of ["https://example.com/updates", undefined]) {
    const other = createService({ publicUrl });
    assertEquals((await other.send("GET", "/robots.txt", { key: null })).status, 404);
  }
});

it("the sitemap has all pages, entries first, with when each last changed", async () => {
  const service = await createFilled(2);
  await service.call("PATCH", `${ENTRIES}/e1`, { title: "Other" });
  const content = await read(service, "/sitemap.xml");
  const found = [...content.matchAll(/<loc>([^<]*)<\/loc><lastmod>([^<]*)<\/lastmod>/g)];
  assertEquals(found.map(([, address, at]) => [address.replace(PUBLIC_URL, ""), at.slice(0, 10)]), [
    ["/changelog", "2026-11-23"],
    ["/changelog/e1", "2026-11-23"],
    ["/changelog/e0", "2026-11-21"],
    ["/changelog?label=even", "2026-11-21"],
  ]);
});

describe("a problem where people read", () => {
  const service = createService({ publicUrl: PUBLIC_URL });
  const accept = { headers: { Accept: "text/html,*/*;q=0.8" }, key: null };

  it("is a page with its status, which nobody is to remember", () =>
    forEachRow(
      [
        ["/changelog/none", 404, "There is nothing here"],
        ["/preview/x", 404, "There is nothing here"],
        ["/changelog/a/b", 404, "There is nothing here"],
        ["/nowhere", 404, "There is nothing here"],
        ["/unsubscribe/x", 404, "This link is not complete"],
        ["/changelog?cursor=x", 422, "This address does not work"],
        ["/changelog?label=A", 422, "This address does not work"],
        ["/changelog/%ff", 400, "This address does not work"],
        ["/changelog?cursor=%", 400, "This address does not work"],
      ] as const,
      async ([path, status, heading]) => {
        const response = await service.send("GET", path, accept);
        const content = await response.text();
        const { headers } = response;
        assertEquals([response.status, headers.get("content-type"), headers.get("cache-control")], [
          ...[status, "text/html; charset=utf-8", "no-store"],
        ]);
        assert(content.includes(`<h1>${heading}</h1>`) && content.includes('content="noindex"'));
      },
    ));

  it("is JSON for programs, and under the path of the API", async () => {
    const nowhere = await service.send("GET", "/nowhere", { key: null });
    const api = await service.send("GET", "nowhere", accept);
    const feed = await service.send("GET", "/changelog.atom?label=A", accept);
    for (const { headers } of [nowhere, api, feed]) {
      assertEquals(headers.get("content-type"), "application/problem+json");
    }
  });
});

it("pages and feeds are in each language", () =>
  forEachRow(LANGUAGES, async (language) => {
    const service = createService({ publicUrl: PUBLIC_URL, language });
    const texts = textsOf(language);
    const start = `<html lang="${language}" dir="${/ar|he/.test(language) ? "rtl" : "ltr"}">`;
    const empty = await read(service, "/changelog");
    assert(empty.includes(start) && empty.includes(texts.nothingYet.replaceAll("'", "&#39;")));
    await publish(service, "a", { url: "https://example.com" });
    await publish(service, "b");
    const content = await read(service, "/changelog/a");
    assert(content.includes(texts.readMoreAt("example.com")) && content.includes(texts.newerEntry));
    assert((await read(service, "/changelog.atom")).includes(`xml:lang="${language}"`));
    const json = JSON.parse(await read(service, "/changelog.json"));
    assertEquals(json.language, language);
  }));

it("the form to sign up stands where that is possible alone", async () => {
  const content = await read(await createFilled(1), "/changelog");
  assert(!content.includes('class="sign-up"'));
});
