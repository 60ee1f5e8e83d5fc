import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { relative } from "node:path/posix";

const ROOT = new URL("../", import.meta.url);
const IMPORT = /(?:\bfrom |\bimport\(|^import )"([^"]+)"/gm;

const COMMENT = /^\s*(?:\*|\/\/|\/\*).*$/gm;

/** What the files of a folder, or one file, may import: prefixes of paths or of packages. */
const ALLOWED: readonly (readonly [string, readonly string[]])[] = [
  ["model/", ["model/"]],
  ["adapters/_file/", [
    "adapters/_file/",
    "adapters/_tables.ts",
    "adapters/storage.ts",
    "model/",
    "node:",
  ]],
  ["adapters/_postgres/", [
    "adapters/_postgres/",
    "adapters/storage.ts",
    "model/",
    "node:",
    "postgres",
  ]],
  ["adapters/file.ts", ["adapters/_file/", "adapters/storage.ts", "node:"]],
  ["adapters/postgres.ts", ["adapters/_postgres/", "adapters/storage.ts", "model/", "postgres"]],
  ["adapters/", [
    "adapters/_tables.ts",
    "adapters/_sorted_keys.ts",
    "adapters/storage.ts",
    "model/",
  ]],
  ["services/", ["services/", "adapters/storage.ts", "model/"]],
  ["delivery/", ["delivery/", "services/", "adapters/storage.ts", "model/", "node:"]],
  ["routes/", ["routes/", "services/", "adapters/storage.ts", "model/", "@std/"]],
  ["mod.ts", [
    "routes/",
    "delivery/",
    "adapters/memory.ts",
    "adapters/storage.ts",
    "model/",
  ]],
  ["commands/", [
    "commands/",
    "mod.ts",
    "model/",
    "adapters/file.ts",
    "adapters/postgres.ts",
    "adapters/storage.ts",
    "node:",
    "deno.json",
  ]],
  ["server.ts", ["commands/"]],
];

interface Source {
  readonly path: string;
  /** Without comments. */
  readonly text: string;
}

async function readSources(folder = ""): Promise<Source[]> {
  const sources: Source[] = [];
  for await (const entry of Deno.readDir(new URL(folder, ROOT))) {
    const path = folder + entry.name;
    const isTop = folder === ""
      ? /^(?:model|adapters|services|delivery|routes|commands)$/.test(entry.name)
      : true;
    if (entry.isDirectory && isTop) sources.push(...await readSources(`${path}/`));
    if (/^(?:mod|server)\.ts$/.test(path) || (folder !== "" && path.endsWith(".ts"))) {
      const text = await Deno.readTextFile(new URL(path, ROOT));
      sources.push({ path, text: text.replace(COMMENT, "") });
    }
  }
  return sources;
}

function importsOf({ path, text }: Source): string[] {
  return [...text.matchAll(IMPORT)].map(([, specifier]) =>
    specifier.startsWith(".")
      ? relative(ROOT.pathname, new URL(specifier, new URL(path, ROOT)).pathname)
      : specifier
  );
}

const sources = await readSources();

describe("the sources", () => {
  it("are found", () => {
    assert(sources.length > 60, `only ${sources.length}`);
    for (const [prefix] of ALLOWED) {
      assert(sources.some(({ path }) => path.startsWith(prefix)), prefix);
    }
  });

  it("import along the arrows of docs/architecture.md only", () => {
    const wrong = sources.flatMap((source) => {
      const [, allowed] = ALLOWED.find(([prefix]) => source.path.startsWith(prefix))!;
      return importsOf(source)
        .filter((target) => !allowed.some((prefix) => target.startsWith(prefix)))
        .map((target) => `${source.path} imports ${target}`);
    });
    assertEquals(wrong, []);
  });

  it("import each other in no cycle", () => {
    const imports = new Map(sources.map((source) => [source.path, importsOf(source)]));
    const left = new Set(imports.keys());
    const isFree = (path: string) => !imports.get(path)!.some((target) => left.has(target));
    // What imports none of those that are left is taken away; what then stays leads to a cycle.
    for (let free = [""]; free.length > 0;) {
      free = [...left].filter(isFree);
      for (const path of free) left.delete(path);
    }
    assertEquals([...left], []);
  });

  it("name Deno in server.ts and commands/ alone", () => {
    const wrong = sources
      .filter(({ path }) => !path.startsWith("commands/") && path !== "server.ts")
      .filter(({ text }) => /\bDeno\./.test(text))
      .map(({ path }) => path);
    assertEquals(wrong, []);
  });
});
