import { assert, assertEquals } from "@std/assert";
import { before, describe, it } from "@std/testing/bdd";
import { fileURLToPath } from "node:url";
import { FAULTS, SOUND, STORAGES } from "./_storage_faults/mod.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const CONTRACTS = "tests/_storage_faults/contracts.ts";
const PROCESSES = 2;

// The tests in a report of JUnit are named after the groups that they are in.
const TESTCASE =
  /<testcase name="storage contract: ([^"]*?) &gt; ([^"]*? &gt; [^"]*)"[^>]*>\s*(<\w+)?/g;

describe("the storage contract", () => {
  /** What became of each test, by the storage and the name. */
  const results = new Map<string, Map<string, "passed" | "failed">>();

  function namesOf(storage: string): string[] {
    return [...results.get(storage)?.keys() ?? []];
  }

  function failuresOf(storage: string): string[] {
    return namesOf(storage).filter((name) => results.get(storage)?.get(name) === "failed");
  }

  before(async () => {
    const reports = await Promise.all(Array.from({ length: PROCESSES }, (_, i) => report(i)));
    for (const [, storage, name, inside] of reports.join("").matchAll(TESTCASE)) {
      assert(inside === undefined || inside === "<failure", `${storage}: ${name} was not run`);
      if (!results.has(storage)) results.set(storage, new Map());
      results.get(storage)!.set(name, inside === undefined ? "passed" : "failed");
    }
  });

  it("is put to each storage as a whole", () => {
    const names = namesOf(SOUND);
    assert(names.length > 250, `only ${names.length} tests`);
    for (const storage of Object.keys(STORAGES)) {
      assertEquals(namesOf(storage), names, storage);
    }
  });

  it("is kept by storage that keeps all promises", () => {
    assertEquals(failuresOf(SOUND), []);
  });

  for (const fault of Object.keys(FAULTS)) {
    it(`is broken by storage that ${fault}`, () => {
      assert(failuresOf(fault).length > 0);
    });
  }

  it("has no test that every storage passes", () => {
    const failed = new Set(Object.keys(FAULTS).flatMap(failuresOf));
    assertEquals(namesOf(SOUND).filter((name) => !failed.has(name)), []);
  });
});

/** Runs a part of the contracts, most of which are broken, and returns the report. */
async function report(part: number): Promise<string> {
  const args = ["test", "--no-check", "--no-lock", "--reporter=junit", CONTRACTS];
  const command = new Deno.Command(Deno.execPath(), {
    args: [...args, "--", `${part}`, `${PROCESSES}`],
    cwd: ROOT,
    stdin: "null",
  });
  const { stdout, stderr } = await command.output();
  const text = new TextDecoder().decode(stdout);
  assert(text.includes("<testcase"), new TextDecoder().decode(stderr));
  return text;
}
