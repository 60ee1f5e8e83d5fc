import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { globSync } from "node:fs";
import { relative } from "node:path/posix";
import { forEachRow } from "../_support/rows.ts";

const ROOT = new URL("../../", import.meta.url);
const IMPORT = /(?:\sfrom |\bimport\(|^import )"([^"$]+)"/gm;
const COMMENT = /^\s*(?:\*|\/\/|\/\*).*$/gm;

// An adapter keeps records of any kind, so it may import the type `Kind` but no kinds.
const KINDS = [
  "adapters/storage.ts",
  "adapters/records.ts",
  "adapters/decisions.ts",
  "adapters/positions.ts",
  "model/kind.ts",
  "model/steps.ts",
  "model/version_1.ts",
];
const HELPERS = [
  "model/crypto/crc32.ts",
  "model/deadlines.ts",
  "model/turns.ts",
  "model/options.ts",
  "model/crypto/random.ts",
];
const DEADLINES = "adapters/_shared/deadlines.ts";
const TABLES = ["adapters/_shared/tables.ts", "adapters/_shared/sorted_keys.ts"];
/** The allowed imports of a folder or file, by prefix. The first matching row counts. */
const HOUSE: readonly (readonly [prefix: string, allowed: readonly string[]])[] = [
  ["std.ts", ["npm:deno-std@"]],
  ["model/crypto/cipher.ts", ["model/", "std.ts", "node:crypto"]],
  ["model/", ["model/", "std.ts"]],
  ["adapters/_file/", ["adapters/_file/", ...TABLES, ...KINDS, ...HELPERS, "node:"]],
  ["adapters/file.ts", ["adapters/_file/", ...TABLES, ...KINDS, ...HELPERS, "node:"]],
  ["adapters/_deno_kv/", ["adapters/_deno_kv/", DEADLINES, ...KINDS, ...HELPERS, "node:"]],
  ["adapters/deno_kv.ts", ["adapters/_deno_kv/", ...KINDS, ...HELPERS]],
  ["adapters/_postgres/", [
    ...["adapters/_postgres/", DEADLINES, ...KINDS, ...HELPERS, "node:", "postgres"],
  ]],
  // A database has its tables before its records.
  ["adapters/postgres.ts", [
    ...["adapters/_postgres/", "model/kinds.ts", ...KINDS, ...HELPERS, "node:", "postgres"],
  ]],
  ["adapters/", [...TABLES, ...KINDS, ...HELPERS]],
  ["services/", ["services/", "adapters/storage.ts", "model/"]],
  ["delivery/", ["delivery/", "services/", "adapters/storage.ts", "model/", "node:", "std.ts"]],
  ["routes/operator/studio/", ["routes/", "studio/", "model/"]],
  ["studio/", ["studio/"]],
  ["routes/_http/", [
    ...["routes/_http/", "services/", "adapters/storage.ts", "model/", "std.ts"],
  ]],
  ["routes/", [
    ...["routes/", "delivery/bounces/", "services/", "adapters/storage.ts", "model/", "std.ts"],
  ]],
  ["mod.ts", ["routes/", "delivery/", "adapters/memory.ts", ...KINDS, "model/"]],
  ["commands/", [
    ...[
      "commands/",
      "mod.ts",
      "routes/options.ts",
      // `call` reads the description, and so imports its types.
      "routes/operator/openapi/types.ts",
      "delivery/",
      "services/",
      "model/",
    ],
    ...["node:", "std.ts", "deno.json"],
    ...["adapters/deno_kv.ts", "adapters/file.ts", "adapters/postgres.ts", "adapters/storage.ts"],
  ]],
  ["server.ts", ["commands/"]],
];

/** A source without comments, and its imports. */
interface Source {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly string[];
}

async function readSource(path: string): Promise<Source> {
  const text = (await Deno.readTextFile(new URL(path, ROOT))).replace(COMMENT, "");
  const imports = [...text.matchAll(IMPORT)].map(([, specifier]) =>
    specifier.startsWith(".")
      ? relative(ROOT.pathname, new URL(specifier, new URL(path, ROOT)).pathname)
      : specifier
  );
  return { path, text, imports };
}

const folders = "model,adapters,services,delivery,routes,commands";
const patterns = `{mod.ts,server.ts,std.ts,{${folders}}/**/*.ts,studio/**/*.js}`;
const paths = globSync(patterns, { cwd: ROOT.pathname });
const sources = await Promise.all(paths.map(readSource));

/** Returns all modules that a file imports, directly or not. */
function reach(path: string, reached: Set<string> = new Set()): ReadonlySet<string> {
  const { imports = [] } = sources.find((source) => source.path === path) ?? {};
  for (const target of imports.filter((target) => !reached.has(target))) {
    reach(target, reached.add(target));
  }
  return reached;
}

describe("the sources", () => {
  it("import downwards only, as docs/architecture.md says, and in no cycle", () => {
    assert(sources.length > 60, `only ${sources.length}`);
    return forEachRow(sources, ({ path, imports }) => {
      const [, allowed] = HOUSE.find(([prefix]) => path.startsWith(prefix))!;
      const isAllowed = (target: string) => allowed.some((prefix) => target.startsWith(prefix));
      assertEquals(imports.filter((target) => !isAllowed(target)), [], "not allowed");
      assert(!reach(path).has(path), "leads to itself");
    });
  });

  it("lead from mod.ts to no package but the standard library", () => {
    const packages = [...reach("mod.ts")].filter((target) => !/\.(?:ts|js|css)$/.test(target));
    assertEquals(packages.filter((name) => !/^(?:npm:deno-std@|node:)/.test(name)), []);
  });

  it("are in folders of which the container is built, and of no other", async () => {
    const folders = [...reach("server.ts")].flatMap((path) => /^(\w+)\//.exec(path)?.[1] ?? []);
    const containerfile = await Deno.readTextFile(new URL("packaging/Containerfile", ROOT));
    const copied = [...containerfile.matchAll(/^COPY (\w+) \1$/gm)].map(([, folder]) => folder);
    assertEquals(copied, [...new Set(folders)].sort());
  });

  it("call nothing of JavaScript that Node 20 lacks, but for commands/", () =>
    forEachRow(sources.filter(({ path }) => !/^(?:commands|studio)\//.test(path)), ({ text }) => {
      const calls =
        /\.(?:withResolvers|fromAsync|groupBy|transfer|toHex|fromHex|fromBase64|union)(?:<.*?>)?\(/g;
      assertEquals(text.match(calls), null);
    }));

  it("name Deno in server.ts and commands/ alone, and change storage in services/ alone", () =>
    forEachRow(sources, ({ path, text }) => {
      const namesDeno = path === "server.ts" || path.startsWith("commands/");
      assert(namesDeno || !/\bDeno\./.test(text), "names Deno");
      // Only these commands open storage themselves.
      const hasStorage = /^(?:services|adapters)\/|^commands\/storage\/copy\.ts$/.test(path);
      assert(hasStorage || !/\.transact\(/.test(text), "changes storage");
    }));

  it("have no two features in services/ that import each other", () => {
    // Erasure and sealed texts belong to no feature.
    const featureOf = (path: string) => /^services\/(?!privacy\/)(\w+)\//.exec(path)?.[1];
    const uses = new Set(
      sources.flatMap(({ path, imports }) =>
        imports.map((target) => `${featureOf(path)} ${featureOf(target)}`)
      ),
    );
    const both = [...uses].filter((use) => {
      const [one, other] = use.split(" ");
      return one < other && !use.includes("undefined") && uses.has(`${other} ${one}`);
    });
    assertEquals(both, []);
  });

  it("are where docs/architecture.md looks for each feature and for the steps of a mail", async () => {
    const page = await Deno.readTextFile(new URL("docs/architecture.md", ROOT));
    const [, table] = /\n\| Feature \|.*\n.*\n((?:\|.*\n)+)/.exec(page)!;
    const rows = table.trim().split("\n").map((row) => row.slice(1, -1).split("|"));
    const inTable = rows.flatMap(([, ...cells]) =>
      cells.flatMap((cell, column) =>
        [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) =>
          `${["model/", "services/", "routes/", ""][column]}${name}`
        )
      )
    );
    const [, picture] = /### The path of a mail\n\n```text\n([^]*?)```/.exec(page)!;
    const inPicture = picture.match(/\b(?:services|delivery)\/[\w/.]+/g) ?? [];
    assert(inTable.length > 50 && inPicture.length > 5, "the page has another form");
    const places = [...inTable, ...inPicture];
    const exists = (place: string) =>
      paths.some((path) => path === place || path.startsWith(place));
    assertEquals(places.filter((place) => !exists(place)), []);
  });
});
