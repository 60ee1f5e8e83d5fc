import { assert, assertEquals } from "@std/assert";
import { before, describe, it } from "@std/testing/bdd";
import { fileURLToPath } from "node:url";
import { FAULTS } from "./_storage_faults/faults.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const CONTRACTS = "tests/_storage_faults/contracts.ts";

// The tests in a report of JUnit are named after the groups that they are in.
const TESTCASE =
  /<testcase name="storage contract: ([^"]*?) &gt; [^"]*? &gt; ([^"]*)"[^>]*>\s*<?(failure|skipped)?([^>]*)/g;

describe("the storage contract", () => {
  /** What became of each test but those that passed, by the name of the storage. */
  const results = new Map<string, { test: string; outcome: string; message: string }[]>();
  const failuresOf = (storage: string) =>
    (results.get(storage) ?? []).filter(({ outcome }) => outcome === "failure");

  before(async () => {
    const report = unescape(await run());
    for (const [, storage, test, outcome = "passed", message] of report.matchAll(TESTCASE)) {
      if (!results.has(storage)) results.set(storage, []);
      results.get(storage)!.push({ test, outcome, message });
    }
  });

  it("is kept by storage that keeps all promises", () => {
    const outcomes = results.get("keeps all promises") ?? [];
    assert(outcomes.length > 100, `only ${outcomes.length} tests`);
    assertEquals(outcomes.filter(({ outcome }) => outcome !== "passed"), []);
  });

  for (const [fault, { caughtBy }] of Object.entries(FAULTS)) {
    it(`is broken by storage that ${fault}`, () => {
      const failures = failuresOf(fault).map(({ test }) => test);
      assert(failures.includes(caughtBy), `It was caught by ${JSON.stringify(failures)} alone`);
    });
  }

  it("says which call hangs", () => {
    const messages = failuresOf("never answers a ping").map(({ message }) => message);
    assert(/Call 1: ping\(\) did not settle within 200 ms/.test(messages[0]), messages[0]);
  });

  it("fails once when the store can't be opened", () => {
    const failures = failuresOf("can't be opened");
    assertEquals(failures.length, 1);
    assert(/Refused/.test(failures[0].message), failures[0].message);
  });
});

/** Runs the contracts, most of which are broken, and returns the report. */
async function run(): Promise<string> {
  const args = ["test", "--no-check", "--no-lock", "--allow-all", "--reporter=junit", CONTRACTS];
  const command = new Deno.Command(Deno.execPath(), { args, cwd: ROOT, stdin: "null" });
  const { stdout, stderr } = await command.output();
  const text = new TextDecoder().decode(stdout);
  assert(text.includes("<testcase"), new TextDecoder().decode(stderr));
  return text;
}

function unescape(text: string): string {
  return text.replaceAll("&apos;", "'").replaceAll("&quot;", "'");
}
