// Every fenced snippet of the Markdown files at the top and under docs/ is run, or says why it
// can't be. To authors:
//
// - `deno test --doc` runs `ts` and `js`. `json` and `ndjson` have to parse. `text`, `csv` and
//   whatever has `no-run` behind its language need nothing.
// - `<!-- from: packaging/nginx.conf -->` says that the snippet stands in that file, word for word.
// - `<!-- run -->` before an `sh`, `python` or `js ignore` fence has it run here. The fences of a
//   file run in their order, in an empty folder, against one server in memory, for which
//   http://127.0.0.1:8000 and words like bc_the_key_from_the_start stand; KEY holds the key, and
//   `boardcast` is the command. A fence passes when it exits with 0 (`sh` stops at the first
//   failure) and its output has the texts that the comment names, one a line, in this order:
//
//       <!-- run:
//       201 Created
//       "changed":true
//       -->
import { assert, assertEquals } from "@std/assert";
import { before, describe, it } from "@std/testing/bdd";
import { existsSync, globSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import config from "../deno.json" with { type: "json" };
import { canRun, startServer } from "./_process.ts";
import { forEachRow } from "./_rows.ts";
import { runSnippet, withScene } from "./_snippet_run.ts";
import { findSnippets, type Snippet } from "./_snippets.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const DOC_TESTED = /^(?:js|javascript|mjs|cjs|jsx|ts|typescript|mts|cts|tsx)$/;
const HEADING = /^#{1,6}[ \t]+(.*?)[ \t]*$/gm;

const pages = globSync(["*.md", "docs/**/*.md"], { cwd: ROOT }).sort().map((name) => {
  const markdown = Deno.readTextFileSync(join(ROOT, name));
  return { name, markdown, snippets: findSnippets(markdown) };
});
type Page = typeof pages[number];

/** Checks what can be checked without running a snippet; returns its kind. */
function checkSnippet(snippet: Snippet): "doc test" | "run" | "other" {
  const { language, attributes, code, comment = "" } = snippet;
  const [, verb, rest] = /^(run|from)\b:?\s*([^]*)$/.exec(comment) ?? [];
  if (DOC_TESTED.test(language) && !attributes.includes("ignore")) {
    assert(verb === undefined, "deno test --doc runs it: ignore it first");
    return "doc test";
  }
  if (verb === "run") {
    assert(["sh", "bash", "js", "python"].includes(language), `no program runs "${language}"`);
    return "run";
  }
  if (verb === "from") {
    assert(Deno.readTextFileSync(join(ROOT, rest)).includes(code), `${rest} does not hold it`);
  } else if (language === "json") JSON.parse(code);
  else if (language === "ndjson") code.trimEnd().split("\n").forEach((line) => JSON.parse(line));
  else {
    const needsNothing = attributes.includes("no-run") || ["text", "csv"].includes(language);
    assert(needsNothing, "it is not run, and nothing says why");
  }
  return "other";
}

/** Runs the sessions that a page shows; later ones rely on what earlier ones did. */
async function runSessions({ name, snippets }: Page): Promise<void> {
  await using server = await startServer(["--public-url", "http://127.0.0.1:8000"]);
  await withScene(server, async (scene) => {
    for (const snippet of snippets.filter((snippet) => checkSnippet(snippet) === "run")) {
      const { status, output } = await runSnippet(snippet, scene);
      const place = `${name}:${snippet.line}`;
      assertEquals(status, 0, `${place}: ${output}`);
      let from = 0;
      for (const line of snippet.comment!.replace(/^run:?/, "").split("\n")) {
        const at = output.indexOf(line.trim(), from);
        assert(at >= 0, `${place} does not show "${line}" after ${from} characters:\n${output}`);
        from = at + line.trim().length;
      }
    }
  });
}

/** Returns the anchors that GitHub gives the headings of a page. */
function anchorsOf({ markdown, snippets }: Pick<Page, "markdown" | "snippets">): string[] {
  const lines = markdown.split("\n");
  for (const { line, code } of snippets) lines.fill("", line, line + code.split("\n").length - 1);
  const seen = new Map<string, number>();
  return [...lines.join("\n").matchAll(HEADING)].map(([, title]) => {
    const slug = title.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}_ -]/gu, "").replaceAll(" ", "-");
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
}

function isPublished(file: string): boolean {
  return config.publish.include.some((path) =>
    file === path || path.endsWith("/") && file.startsWith(path)
  );
}

describe("the pages", () => {
  const withSessions = pages.filter(({ snippets }) =>
    snippets.some(({ comment }) => comment?.startsWith("run"))
  );
  const sessions = new Map<Page, Promise<void>>();
  const missing = ["bash", "curl", "python3"].find((name) => !canRun(name, ["--version"]));

  before(() => {
    for (const page of missing === undefined ? withSessions : []) {
      const running = runSessions(page);
      // Its own test awaits it.
      running.catch(() => {});
      sessions.set(page, running);
    }
  });

  it("say of each snippet how it is kept true", () => {
    const rows = pages.flatMap(({ name, snippets }) =>
      snippets.map((snippet) => ({ place: `${name}:${snippet.line}`, snippet }))
    );
    return forEachRow(rows, ({ snippet }) => void checkSnippet(snippet));
  });

  it("link to files that are published with them, to headings that there are, and name such tests", () =>
    forEachRow(pages, (page) => {
      for (
        const [link, file, anchor] of page.markdown.matchAll(
          /\]\((?![a-z]+:)([^)#]*)(?:#([^)]*))?\)/g,
        )
      ) {
        const name = file === "" ? page.name : join(dirname(page.name), file);
        const path = join(ROOT, name);
        assert(existsSync(path), `${link} leads nowhere`);
        // One to a folder says where in the repository something is.
        assert(!Deno.statSync(path).isFile || isPublished(name), `${link} is not published`);
        const target = pages.find((page) => page.name === name);
        if (anchor !== undefined) assert(target && anchorsOf(target).includes(anchor), link);
      }
      for (const [, name] of page.markdown.matchAll(/`(?:tests\/)?(\w+_test\.ts)`/g)) {
        assert(existsSync(join(ROOT, "tests", name)), `there is no test ${name}`);
      }
    }));

  for (const page of withSessions) {
    it(`show sessions that work in ${page.name}`, {
      skip: missing === undefined ? false : `${missing} is not installed`,
    }, () => sessions.get(page));
  }
});
