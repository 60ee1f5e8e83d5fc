// Validates the feeds with other programs: Atom with jing (grammar of RFC 4287) and Python's
// feedparser, JSON Feed with a schema of its specification.
import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import addFormats from "ajv-formats";
import { Ajv2020 } from "ajv/2020";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withFolder } from "../../_support/folder.ts";
import { run } from "../../_support/process.ts";
import { createService, START } from "../../_support/service.ts";
import jsonFeedSchema from "./schemas/json_feed.json" with { type: "json" };

const GRAMMAR = fileURLToPath(new URL("./schemas/atom.rnc", import.meta.url));
// Only Debian's Python finds Debian's package of feedparser.
const PYTHON = Deno.env.get("PYTHON") ?? "/usr/bin/python3";
const READ_FEED = `
import feedparser, json, sys
feed = feedparser.parse(sys.argv[1], sanitize_html=False, resolve_relative_uris=False)
print(json.dumps({
    "problem": str(feed.get("bozo_exception", "")),
    "version": feed.version,
    "title": feed.feed.title,
    "updated": feed.feed.updated,
    "entries": [{
        "id": entry.id, "url": entry.link, "title": entry.title,
        "content_html": entry.content[0].value,
        "date_published": entry.published, "date_modified": entry.updated,
        "tags": [tag.term for tag in entry.get("tags", [])],
    } for entry in feed.entries],
}))
`;
const TITLE = `Acme & <friends> "'\u{1f389} ]]>`;
const ENTRIES: readonly Readonly<Record<string, string>>[] = [
  { entryId: "plain", title: "Dark mode", body: "Press **D**.", labels: "new ui" },
  { entryId: "empty", title: "No body", body: "" },
  {
    entryId: "Odd~._-0",
    title: "<b>&amp; ]]> \u202f\u{10fffd}",
    body: "<b>&amp; ]]> &#0; \ufffe\n\n> `a<b`\n\n![i](https://example.com/?a=1&b=2)",
    url: "https://example.com/?a='1'&b=2#c",
  },
  { entryId: "long", title: "t".repeat(200), body: '<&"'.repeat(10_000) },
];
/** Public URLs, and whether there are entries. */
const SITES = [
  ["https://updates.example/feedback", true],
  ["http://[::1]:8000", true],
  ["https://xn--bcher-kva.example", false],
] as const;

async function publishAll(publicUrl: string, isFilled: boolean) {
  const service = createService({ publicUrl, title: TITLE });
  for (const json of isFilled ? ENTRIES : []) {
    await service.call("POST", "changelogs/entries", json);
    await service.call("POST", `changelogs/entries/${json.entryId}/publish`, { notify: false });
    service.advance(1_000);
  }
  return async (path: string) => await (await service.send("GET", path, { key: null })).text();
}

describe("the feeds", () => {
  for (const [publicUrl, isFilled] of SITES) {
    it(`are valid and say the same at ${publicUrl}`, () =>
      withFolder(async (folder) => {
        const read = await publishAll(publicUrl, isFilled);
        const path = join(folder, "feed.xml");
        await Deno.writeTextFile(path, await read("/changelog.atom"));
        const labelPath = join(folder, "label.xml");
        await Deno.writeTextFile(labelPath, await read("/changelog.atom?label=new"));
        await run("jing", ["-c", GRAMMAR, path, labelPath]);
        const atom = JSON.parse((await run(PYTHON, ["-c", READ_FEED, path])).out);

        const json = JSON.parse(await read("/changelog.json"));
        const ajv = new Ajv2020({ allErrors: true });
        addFormats.default(ajv);
        assert(ajv.validate(jsonFeedSchema, json), ajv.errorsText());

        const items = json.items.map((
          { external_url: _url, summary: _summary, image: _image, ...item }: Record<
            string,
            unknown
          >,
        ) => ({ ...item, content_html: String(item.content_html).trimEnd() }));
        assertEquals([atom.problem, atom.version, atom.title], ["", "atom10", TITLE]);
        assertEquals([json.title, items.length], [TITLE, isFilled ? ENTRIES.length : 0]);
        assertEquals(atom.entries, items);
        const updated = new Date(Date.parse(START) + (ENTRIES.length - 1) * 1_000).toISOString();
        assertEquals(atom.updated, isFilled ? updated : `${START.slice(0, 10)}T00:00:00.000Z`);
      }));
  }
});
