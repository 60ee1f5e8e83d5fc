import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { fileURLToPath } from "node:url";
import { namesIn } from "./_folder.ts";
import { ACCEPTED } from "./mutation/_accepted.ts";
import { GROUPS } from "./mutation/_groups.ts";

const ROOT = new URL("../", import.meta.url);

describe("accepted mutants", () => {
  it("break what is still in their files", async () => {
    const stale: string[] = [];
    for (const { file, source } of ACCEPTED) {
      const text = await Deno.readTextFile(new URL(file, ROOT));
      if (!text.includes(source)) stale.push(`${file}: ${source}`);
    }
    assertEquals(stale, []);
  });
});

describe("groups of mutants", () => {
  const named = GROUPS.flatMap(({ tests }) => tests.flat());

  it("name tests that there are, and all whose names start as those of a group do", async () => {
    const files = (await namesIn(fileURLToPath(new URL("tests", ROOT)))).map((name) =>
      `tests/${name}`
    );
    assertEquals(named.filter((path) => !files.includes(path)), []);
    const ofGroups = files.filter((path) =>
      /\/(?:model|http|cli|file|postgres|mail|smtp)_?\w*_test\.ts$/.test(path)
    );
    assertEquals(ofGroups.filter((path) => !named.includes(path)), []);
  });
});
