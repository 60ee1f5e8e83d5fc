import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { globSync } from "node:fs";
import { relative } from "node:path/posix";

const ROOT = new URL("../../", import.meta.url);
const SERVICE = "{adapters,commands,delivery,model,routes,services}/**/*.ts";
const STUDIO = "studio/**/*.js";

/** Names that many modules export for the same purpose. */
const SHARED: Readonly<Record<string, string>> = {
  operations: "a module of routes exports its operations",
  show: "a place of the studio exports the function that shows it",
};
const EXPORT = /^export (?:async )?(?:interface|type|class|function\*?|const|let) (\w+)/gm;
const COMMENTED =
  /^( *)\/\*\*((?:[^*]|\*(?!\/))*)\*\/\n\1(?:export |async |readonly |static )*(?:(?:interface|type|class|function\*?|const|let) )?(\w+)/gm;
/** Words that add nothing to a name. */
const EMPTY = /^(?:an?|the|of|in|to|by|it|its|if|all|are|has|have|that|as|one|each|their)$/;
const VERBS = /^(?:returns|creates|tells|lists|reads|renders|declares|describes|starts|makes)$/;

function sources(pattern: string): readonly (readonly [path: string, text: string])[] {
  return globSync(ROOT.pathname + pattern).sort().map((path) => [
    relative(ROOT.pathname, path),
    Deno.readTextFileSync(path),
  ]);
}

/** Returns how the words of a name or a comment begin: "states" and "State" are the same. */
function stemsOf(text: string): readonly string[] {
  const words = text.match(/[A-Z]{2,}(?![a-z])|[A-Z]?[a-z]+/g) ?? [];
  return words.map((word) => word.toLowerCase().replace(/(?:e?s|ed|ing)$/, ""));
}

function isRepetition(comment: string, name: string): boolean {
  const words = comment.replaceAll("*", " ").toLowerCase().match(/[\p{L}\d@`]+/gu) ?? [];
  const known = new Set(stemsOf(name));
  return words.filter((word) => !EMPTY.test(word) && !VERBS.test(word))
    .every((word) => known.has(stemsOf(word)[0]));
}

describe("the names in the sources", () => {
  it("mean one thing each where modules export them", () => {
    const found = [SERVICE, STUDIO].flatMap((pattern) => {
      const names = sources(pattern).flatMap(([path, text]) =>
        [...text.matchAll(EXPORT)].map(([, name]) => ({ name, path }))
      );
      return [...Map.groupBy(names, ({ name }) => name)].filter(([name, uses]) =>
        !(name in SHARED) && new Set(uses.map(({ path }) => path)).size > 1
      ).map(([name, uses]) => `${name}: ${uses.map(({ path }) => path).join(", ")}`);
    });
    assertEquals(found, []);
  });

  it("are not all that the comments above them say", () => {
    const found = [...sources(SERVICE), ...sources(STUDIO)].flatMap(([path, text]) =>
      [...text.matchAll(COMMENTED)].filter(([, , comment, name]) => isRepetition(comment, name))
        .map(([, , comment, name]) => `${path}: ${name}: ${comment.trim()}`)
    );
    assertEquals(found, []);
  });
});
