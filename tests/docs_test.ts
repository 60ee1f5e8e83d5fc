// Every fenced snippet of the Markdown files at the top and under docs/ is run, or says why it
// can't be. To authors:
//
// - `ts` and `js` fences are run by `deno test --doc`; nothing to do.
// - `<!-- run -->` on the line before an `sh`, `python` or `js ignore` fence has it run here, all
//   such fences of a file in their order, against one server in memory. There,
//   http://127.0.0.1:8000 and any word like bc_the_key_from_the_start stand for the real URL and
//   key and KEY hold the key too, `boardcast` is the command (on ./data, which the server
//   does not use), and the folder is an empty one of the file's own. A fence passes when it exits
//   with 0 (`sh` stops at the first failure) and its output holds the texts that the comment
//   names, one a line, in this order:
//
//       <!-- run:
//       201 Created
//       "changed":true
//       -->
//
// - `<!-- from: packaging/nginx.conf -->` says that the snippet stands in that file, word for word.
// - `no-run` behind the language says that it can't be run.
// - `json` and `ndjson` have to parse. `text` (output, too) and `csv` need nothing. Any other fence
//   needs one of these.
import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import config from "../deno.json" with { type: "json" };
import { startServer } from "./_process.ts";
import { findMissingProgram, runSnippet, type Scene, withScene } from "./_snippet_run.ts";
import { findUnmarked, type Treatment, treatmentOf } from "./_snippet_rules.ts";
import { findAnchors, findSnippets, type Snippet } from "./_snippets.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

for (const path of findMarkdown()) {
  const name = relative(ROOT, path);
  const markdown = Deno.readTextFileSync(path);
  const snippets = findSnippets(markdown);

  Deno.test(`${name} says of each snippet how it is kept true`, () => {
    assertEquals(findUnmarked(markdown, name), []);
  });

  Deno.test(`${name} links to files and headings that there are`, () => {
    assertEquals(findDeadLinks(markdown, path), []);
  });

  Deno.test(`${name} links to files that are published with it`, () => {
    const links = [...markdown.matchAll(/\]\((?![a-z]+:|#)([^)#]+)/g)];
    // One to a folder says where in the repository something is.
    const files = links.map(([, link]) => join(dirname(name), link))
      .filter((file) => Deno.statSync(join(ROOT, file)).isFile);
    const { include } = config.publish;
    const isPublished = (file: string) =>
      include.some((path) => file === path || path.endsWith("/") && file.startsWith(path));
    assertEquals(files.filter((file) => !isPublished(file)), []);
  });

  for (const { snippet, treatment } of treated(snippets)) {
    if (treatment.kind !== "from") continue;
    Deno.test(`${name}:${snippet.line} shows what stands in ${treatment.path}`, async () => {
      const file = await Deno.readTextFile(join(ROOT, treatment.path));
      assert(file.includes(snippet.code), `${treatment.path} does not hold:\n${snippet.code}`);
    });
  }

  const runnable = treated(snippets).filter(({ treatment }) => treatment.kind === "run");
  if (runnable.length === 0) continue;
  Deno.test(`${name} shows sessions that work`, async (t) => {
    await using server = await startServer(["--public-url", "http://127.0.0.1:8000"]);
    await withScene(server, async (scene) => {
      // Later ones rely on what earlier ones did.
      let missing: string | undefined;
      for (const { snippet, treatment } of runnable) {
        missing ??= findMissingProgram(snippet);
        const reason = missing === undefined ? "" : ` (skipped: ${missing} is not installed)`;
        await t.step({
          name: `${snippet.language} at line ${snippet.line}${reason}`,
          ignore: missing !== undefined,
          fn: () => runAndCompare(snippet, treatment, scene),
        });
      }
    });
  });
}

describe("the check of snippets", () => {
  const faults = {
    "a shell snippet has no comment": "```sh\ntrue\n```",
    "a fence names no language": "```\ntrue\n```",
    "an ignored snippet has no comment": "```ts ignore\nlet a\n```",
    "a comment stands elsewhere": "<!-- run -->\n\nText.\n\n```sh\na\n```",
    "JSON can't be parsed": "```json\n{ a: 1 }\n```",
    "a line of NDJSON can't be parsed": "```ndjson\n{}\n{ a: 1 }\n```",
    "no program runs the language": "<!-- run -->\n```sql\nSELECT 1\n```",
    "a comment is about what is run anyway": "<!-- run -->\n```ts\nlet a\n```",
  };
  for (const [fault, markdown] of Object.entries(faults)) {
    it(`complains when ${fault}`, () => assertEquals(findUnmarked(markdown, "a").length, 1));
  }

  it("is content when comments say what they should", () => {
    const markdown = "- List\n\n  ```sh no-run\n  sleep 1d\n  ```\n\n" +
      "<!-- run:\n200 OK\n-->\n\n~~~sh\ncurl\n~~~\n```text\n201\n```\n```ts\nlet a\n```";
    assertEquals(findUnmarked(markdown, "a"), []);
    const [first, second] = findSnippets(markdown);
    assertEquals([first.code, first.line], ["sleep 1d\n", 3]);
    assertEquals(treatmentOf(second), { kind: "run", expected: ["200 OK"] });
  });
});

describe("the check of links", () => {
  it("finds the anchors that a page has", () => {
    const markdown =
      "# The `npm` *package*\n\n```sh\n# No heading\n```\n\n## `PUT /api/v1/a_b`, 2 × 3\n" +
      "### [Élan](x.md) & co.\n## Why?\n## Why?\n#No heading\n";
    assertEquals(findAnchors(markdown), [
      ...["the-npm-package", "put-apiv1a_b-2--3", "élan--co", "why", "why-1"],
    ]);
  });

  const text =
    "# Start\n[a](README.md#start) [b](#start) [c](https://example.com/#no) [d](deno.json)";
  const page = join(ROOT, "README.md");
  it("is content when links lead somewhere", () => assertEquals(findDeadLinks(text, page), []));
  for (const link of ["](README.md#strat)", "](RAEDME.md)", "](#strat)", "](deno.json#start)"]) {
    it(`complains of ${link}`, () => assertEquals(findDeadLinks(`[a${link}`, page), [link]));
  }
});

function findMarkdown(): string[] {
  const top = [...Deno.readDirSync(ROOT)].filter((entry) => entry.isFile)
    .map((entry) => join(ROOT, entry.name));
  return [...top, ...walk(join(ROOT, "docs"))].filter((path) => path.endsWith(".md")).sort();
}

function walk(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory ? walk(path) : [path];
  });
}

/** Links that lead to no file, or to no heading of it, and names of tests that there are not. */
function findDeadLinks(markdown: string, path: string): string[] {
  const links = [...markdown.matchAll(/\]\((?![a-z]+:)([^)#]*)(?:#([^)]*))?\)/g)];
  const tests = [...markdown.matchAll(/`(\w+_test\.ts)`/g)].map(([, name]) => name);
  return [
    ...links.filter(([, file, anchor]) => {
      const target = file === "" ? path : join(dirname(path), file);
      return !existsSync(target) ||
        anchor !== undefined && !findAnchors(Deno.readTextFileSync(target)).includes(anchor);
    }).map(([link]) => link),
    ...tests.filter((name) => !existsSync(join(ROOT, "tests", name))),
  ];
}

/** The snippets whose treatment is known; the others are complained about by a test. */
function treated(snippets: readonly Snippet[]) {
  return snippets.flatMap((snippet): { snippet: Snippet; treatment: Treatment }[] => {
    try {
      return [{ snippet, treatment: treatmentOf(snippet) }];
    } catch {
      return [];
    }
  });
}

async function runAndCompare(snippet: Snippet, treatment: Treatment, scene: Scene): Promise<void> {
  const { status, output } = await runSnippet(snippet, scene);
  assertEquals(status, 0, output);
  let from = 0;
  for (const text of treatment.kind === "run" ? treatment.expected : []) {
    const at = output.indexOf(text, from);
    assert(at >= 0, `The output lacks "${text}" after ${from} characters:\n${output}`);
    from = at + text.length;
  }
}
