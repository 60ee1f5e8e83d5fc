// The npm package as a whole: what it holds, and what two linters of packages say of it.

import { assert, assertEquals } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { run } from "../_process.ts";
import { type PackedPackage, packPackage } from "./_package.ts";

// Pinned, so that a newer rule is met when one chooses to.
const PUBLINT = "publint@0.3.25";
const ARE_THE_TYPES_WRONG = "@arethetypeswrong/cli@0.18.5";
const SPECIFIER = /(?:^|[;}\s])(?:import|from)\s*\(?"([^"\s]+)"/gm;
const PLATFORM = /\b(?:Deno|Bun)\.(?!errors\.)\w+/;

describe("npm package", () => {
  let root: string;
  let packed: PackedPackage;

  before(async () => {
    root = await Deno.makeTempDir({ prefix: "boardcast-package-" });
    packed = await packPackage(root);
  });
  after(() => Deno.remove(root, { recursive: true }));

  const read = (name: string) => Deno.readTextFileSync(join(packed.folder, name));

  it("is content for publint", async () => {
    await run("npx", ["-y", PUBLINT, "--strict", packed.tarball], { cwd: root });
  });

  it("has types that every resolution of ES modules finds", async () => {
    const args = [ARE_THE_TYPES_WRONG, packed.tarball, "--profile", "esm-only"];
    await run("npx", ["-y", ...args], { cwd: root });
  });

  it("exports what deno.json exports", () => {
    const { exports } = JSON.parse(read("package.json"));
    const config = JSON.parse(Deno.readTextFileSync(new URL("../../deno.json", import.meta.url)));
    assertEquals(Object.keys(exports), Object.keys(config.exports));
    for (const { types, default: code } of Object.values<Record<string, string>>(exports)) {
      for (const path of [types, code]) assert(existsSync(join(packed.folder, path)), path);
    }
  });

  it("depends on no package but, where it is used, on the driver of PostgreSQL", () => {
    const { dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
      read("package.json"),
    );
    assertEquals(dependencies, undefined);
    assertEquals(Object.keys(peerDependencies), ["postgres"]);
    assertEquals(peerDependenciesMeta, { postgres: { optional: true } });
    const users = scripts(packed.folder).flatMap((name) =>
      specifiers(read(name)).filter((specifier) => !/^(?:node:|\.)/.test(specifier))
        .map((specifier) => `${name} imports ${specifier}`)
    );
    assertEquals(users, ["adapters/postgres.js imports postgres"]);
  });

  it("is the same for each runtime, but for the assertions of ./testing", () => {
    for (const name of scripts(packed.folder)) {
      if (!name.startsWith("tests/")) assertEquals(PLATFORM.exec(read(name)), null, name);
    }
  });

  it("has what its pages link to", () => {
    const pages = files(packed.folder, ".md");
    assert(pages.includes("docs/embedding.md"));
    for (const page of pages) {
      for (const [, link] of read(page).matchAll(/\]\((?![a-z]+:|#)([^)#]+)/g)) {
        assert(existsSync(join(packed.folder, dirname(page), link)), `${page} links to ${link}`);
      }
    }
  });

  it("says nothing of the machine that it was built on", () => {
    for (const name of scripts(packed.folder)) assert(!/^\/\/ \.\.\//m.test(read(name)), name);
  });

  it("carries the licenses of what is in it", () => {
    for (const name of ["LICENSE", "LICENSE-deno-std"]) {
      assert(read(name).includes("Permission is hereby granted"), name);
    }
  });
});

function files(folder: string, ending: string): string[] {
  const names = (within: string): string[] =>
    [...Deno.readDirSync(join(folder, within))].flatMap(({ name, isDirectory }) =>
      isDirectory ? names(`${within}${name}/`) : [`${within}${name}`]
    );
  return names("").filter((name) => name.endsWith(ending)).sort();
}

function scripts(folder: string): string[] {
  return files(folder, ".js");
}

function specifiers(code: string): string[] {
  return [...code.matchAll(SPECIFIER)].map(([, specifier]) => specifier);
}
