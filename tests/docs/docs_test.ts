// Every fenced snippet of the Markdown files at the top and under docs/ is run, or says why it
// can't be. To authors:
//
// - `deno test --doc` runs `ts` and `js`. `json` and `ndjson` have to parse. `text`, `csv` and
//   whatever has `no-run` behind its language need nothing.
// - `<!-- from: packaging/nginx.conf -->` says that the snippet stands in that file, word for word.
// - `<!-- run -->` before an `sh` or `python` fence has it run here. The fences of a file run in
//   their order, in an empty folder, against one server in memory, for which
//   http://127.0.0.1:8000 and words like bc_the_key_from_the_start stand; KEY holds the key, and
//   `boardcast` is the command. A fence passes when it exits with 0 (`sh` stops at the first
//   failure) and its output has the texts that the comment names, one a line, in this order:
//
//       <!-- run:
//       201 Created
//       "changed":true
//       -->
import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { existsSync, globSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import config from "../../deno.json" with { type: "json" };
import { HEADER } from "../_support/import.ts";
import { canRun, startServer } from "../_support/process.ts";
import { forEachRow } from "../_support/rows.ts";
import { FENCED, findSnippets, type Snippet, withSnippetRunner } from "../_support/snippets.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const LINK = /\]\((?![a-z]+:)([^)#]*)(?:#([^)]*))?\)/g;

const pages = globSync(["*.md", "docs/**/*.md"], { cwd: ROOT }).sort().map((name) => {
  const markdown = Deno.readTextFileSync(join(ROOT, name));
  return { name, markdown, snippets: findSnippets(markdown) };
});
type Page = typeof pages[number];

/** Returns the reason to skip a test if a program is missing. */
function unless(...programs: string[]): { readonly skip: string | false } {
  const missing = programs.find((name) => !canRun(name, ["--version"]));
  return { skip: missing === undefined ? false : `${missing} is not installed` };
}

function isRun({ comment }: Snippet): boolean {
  return /^run\b/.test(comment);
}

/** Checks a snippet without running it. */
function checkSnippet(snippet: Snippet): void {
  const { language, attributes, code, comment } = snippet;
  const [, source] = /^from: (.*)$/.exec(comment) ?? [];
  if (isRun(snippet)) assert(["sh", "python"].includes(language), `no program runs "${language}"`);
  else if (source !== undefined) {
    assert(Deno.readTextFileSync(join(ROOT, source)).includes(code), `${source} does not hold it`);
  } else if (language === "json") JSON.parse(code);
  else if (language === "ndjson") code.trimEnd().split("\n").forEach((line) => JSON.parse(line));
  else {
    const isDocTested = ["js", "ts"].includes(language) && !attributes.includes("ignore");
    const needsNothing = attributes.includes("no-run") || ["text", "csv"].includes(language);
    assert(isDocTested || needsNothing, "it is not run, and nothing says why");
  }
}

/** Runs the sessions on a page in order; later ones rely on earlier ones. */
async function runSessions({ name, snippets }: Page): Promise<void> {
  await using server = await startServer(["--public-url", "http://127.0.0.1:8000"]);
  await withSnippetRunner(server, async (run) => {
    for (const snippet of snippets.filter(isRun)) {
      const { status, output } = await run(snippet);
      const place = `${name}: ${snippet.code}`;
      assertEquals(status, 0, `${place}: ${output}`);
      let from = 0;
      for (const line of snippet.comment.replace(/^run:?/, "").split("\n")) {
        const at = output.indexOf(line.trim(), from);
        assert(at >= 0, `${place} does not show "${line}" after ${from} characters:\n${output}`);
        from = at + line.trim().length;
      }
    }
  });
}

/** Returns the anchors that GitHub gives the headings of a page. */
function anchorsOf({ markdown }: Page): string[] {
  return [...markdown.replace(FENCED, "").matchAll(/^#{1,6} (.*)$/gm)].map(([, title]) =>
    title.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "").replaceAll(" ", "-")
  );
}

function isPublished(file: string): boolean {
  return config.publish.include.some((path) =>
    file === path || path.endsWith("/") && file.startsWith(path)
  );
}

describe("the pages", () => {
  it("say of each snippet how it is kept true", () => {
    const rows = pages.flatMap(({ name, snippets }) => snippets.map((snippet) => [name, snippet]));
    return forEachRow(rows as [string, Snippet][], ([, snippet]) => checkSnippet(snippet));
  });

  it("link to files that are published with them, to headings that there are, and name such tests", () =>
    forEachRow(pages, (page) => {
      for (const [link, file, anchor] of page.markdown.matchAll(LINK)) {
        const name = file === "" ? page.name : join(dirname(page.name), file);
        const path = join(ROOT, name);
        assert(existsSync(path), `${link} leads nowhere`);
        // A link to a folder shows a place in the repository, and needs no published page.
        assert(!Deno.statSync(path).isFile || isPublished(name), `${link} is not published`);
        const target = pages.find((page) => page.name === name);
        if (anchor !== undefined) assert(target && anchorsOf(target).includes(anchor), link);
      }
      for (const [, name] of page.markdown.matchAll(/`(?:tests\/)?(\w+_test\.ts)`/g)) {
        assert(existsSync(join(ROOT, "tests", name)), `there is no test ${name}`);
      }
    }));

  it("show sessions that work", unless("bash", "curl", "python3"), async () => {
    const withSessions = pages.filter(({ snippets }) => snippets.some(isRun));
    await Promise.all(withSessions.map(runSessions));
  });

  it("bring back the opt-outs in damaged files", unless("bash", "jq"), async () => {
    const { snippets } = pages.find(({ name }) => name === "docs/file-storage.md")!;
    const { code } = snippets.find(({ code }) => code.includes("optouts.ndjson"))!;
    const rows = `${HEADER}ann@x.org,,true\nbob@x.org,,false\neve@x.org,,false\n`;
    // A failing line does not end the shell, just as at a terminal.
    const script = `
      set +e +u +o pipefail
      exec 2>errors
      printf '${rows.replaceAll("\n", "\\n")}' |
        boardcast subscribers import - --storage file:./damaged
      boardcast call eraseSubscriber userEmail=eve@x.org --storage file:./damaged
      boardcast call subscribe userEmail=zoe@x.org subscribe=false --storage file:./damaged >/dev/null
      # The snapshot breaks off right behind a record, the journal in the middle of one.
      printf %s "$(sed '/bob@x.org/q' damaged/snapshot-*.json)" > broken
      mv broken damaged/snapshot-*.json
      printf '{"broken' >> damaged/journal-*.jsonl
      export BOARDCAST_STORAGE=file:./restored
      ${code}
      boardcast subscribers export | cut -d, -f1-3`;
    await withSnippetRunner({ url: "", key: "" }, async (run) => {
      const { output } = await run({ language: "sh", code: script });
      assertEquals(output, `${HEADER}bob@x.org,,false\nzoe@x.org,,false\n`);
    });
  });
});
