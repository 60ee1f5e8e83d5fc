// The npm package as a whole: what it holds, and what two linters of packages say of it.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import { existsSync, globSync } from "node:fs";
import { dirname, join } from "node:path";
import config from "../../deno.json" with { type: "json" };
import { run } from "../_process.ts";
import { type PackedPackage, packPackage } from "./_package.ts";

// Pinned, so that a newer rule is met when one chooses to.
const PUBLINT = "publint@0.3.25";
const ARE_THE_TYPES_WRONG = "@arethetypeswrong/cli@0.18.5";
const SPECIFIER = /(?:^|[;}\s])(?:import|from)\s*\(?"([^"\s]+)"/gm;

describe("npm package", () => {
  let root: string;
  let packed: PackedPackage;
  let scripts: readonly string[];

  before(async () => {
    root = await Deno.makeTempDir({ prefix: "boardcast-package-" });
    packed = await packPackage(root);
    scripts = globSync("**/*.js", { cwd: packed.folder });
  });
  after(() => Deno.remove(root, { recursive: true }));

  const read = (name: string) => Deno.readTextFileSync(join(packed.folder, name));

  it("is content for linters, and has types that every resolution of ES modules finds", () =>
    Promise.all([
      run("npx", ["-y", PUBLINT, "--strict", packed.tarball], { cwd: root }),
      run("npx", ["-y", ARE_THE_TYPES_WRONG, packed.tarball, "--profile", "esm-only"], {
        cwd: root,
      }),
    ]));

  it("exports what deno.json exports, and depends on nothing but the optional driver", () => {
    const { exports, dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
      read("package.json"),
    );
    assertEquals(Object.keys(exports), Object.keys(config.exports));
    for (const { types, default: code } of Object.values<Record<string, string>>(exports)) {
      for (const path of [types, code]) assert(existsSync(join(packed.folder, path)), path);
    }
    assertEquals([dependencies, Object.keys(peerDependencies)], [undefined, ["postgres"]]);
    assertEquals(peerDependenciesMeta, { postgres: { optional: true } });
    const users = scripts.flatMap((name) =>
      [...read(name).matchAll(SPECIFIER)].filter(([, specifier]) =>
        !/^(?:node:|\.)/.test(specifier)
      )
        .map(([, specifier]) => `${name} imports ${specifier}`)
    );
    assertEquals(users, ["adapters/postgres.js imports postgres"]);
  });

  it("names no runtime, and nothing of the machine that it was built on", () => {
    assert(scripts.length > 0);
    for (const name of scripts) {
      assertEquals(/^\/\/ \.\.\/.*/m.exec(read(name)), null, name);
      // The assertions of ./testing have to do with all three.
      if (name.startsWith("tests/")) continue;
      assertEquals(/\b(?:Deno|Bun)\.(?!errors\.)\w+/.exec(read(name)), null, name);
    }
  });

  it("has what its pages link to, and the licenses of what is in it", () => {
    const pages = globSync("**/*.md", { cwd: packed.folder });
    assert(pages.includes("docs/embedding.md"));
    for (const page of pages) {
      for (const [, link] of read(page).matchAll(/\]\((?![a-z]+:|#)([^)#]+)/g)) {
        assert(existsSync(join(packed.folder, dirname(page), link)), `${page} links to ${link}`);
      }
    }
    for (const name of ["LICENSE", "LICENSE-deno-std"]) {
      assertStringIncludes(read(name), "Permission is hereby granted");
    }
  });
});
