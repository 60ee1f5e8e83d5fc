import { assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { type Option, readArguments, UsageError } from "../commands/_options.ts";

const OPTIONS: readonly Option[] = [
  { name: "port", value: "PORT", variable: "PORT", default: "8000", description: "" },
  { name: "origin", value: "ORIGIN", variable: "ORIGINS", multiple: true, description: "" },
];

/** The port and the origins that come of arguments and variables. */
async function read(args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const given = await readArguments(args, OPTIONS, (name) => variables[name]);
  return [given.text("port"), given.texts("origin")];
}

describe("options", () => {
  it("have their defaults when neither flag nor variable is given", async () => {
    assertEquals(await read([]), ["8000", []]);
  });

  it("are refused when they are not UTF-8, which the platform has repaired", async () => {
    await assertRejects(() => read(["--port", "caf\uFFFD"]), UsageError, "not valid UTF-8");
  });

  it("have their defaults when a variable is empty", async () => {
    assertEquals(await read([], { PORT: "", ORIGINS: "" }), ["8000", []]);
  });

  it("come from variables, and a list is split at commas", async () => {
    assertEquals(await read([], { PORT: "1", ORIGINS: " a, b ,,c," }), ["1", ["a", "b", "c"]]);
  });

  it("come from flags when there are variables too", async () => {
    const variables = { PORT: "1", ORIGINS: "a" };
    assertEquals(await read(["--port=2", "--origin", "b"], variables), ["2", ["b"]]);
  });

  it("are the last ones when a flag is repeated, and all when that may be", async () => {
    const args = ["--port", "1", "--port", "2", "--origin", "a", "--origin", "b"];
    assertEquals(await read(args), ["2", ["a", "b"]]);
  });
});
