import { findSnippets, type Snippet } from "./_snippets.ts";

/** How a snippet is kept true. */
export type Treatment =
  /** `deno test --doc` runs it. */
  | { readonly kind: "doc test" }
  /** It runs against a server; its output has these texts in it, in this order. */
  | { readonly kind: "run"; readonly expected: readonly string[] }
  /** It stands in this file, word for word. */
  | { readonly kind: "from"; readonly path: string }
  /** It is JSON, or lines of it, and can be parsed. */
  | { readonly kind: "json" }
  /** It is no code. */
  | { readonly kind: "text" }
  /** It can't be run: it installs something, or serves until it is stopped. */
  | { readonly kind: "not run" };

const DOC_TESTED = /^(?:js|javascript|mjs|cjs|jsx|ts|typescript|mts|cts|tsx)$/;
const RUNNABLE = /^(?:sh|bash|js|python)$/;

/** Finds out how a snippet is kept true; throws where its author did not say. */
export function treatmentOf(snippet: Snippet): Treatment {
  const { language, attributes, comment = "" } = snippet;
  const isDocTested = DOC_TESTED.test(language) && !attributes.includes("ignore");
  const [, verb, rest] = /^(run|from)\b:?\s*([\s\S]*)$/.exec(comment) ?? [];
  if (verb !== undefined && isDocTested) {
    throw new TypeError(`"${verb}" stands before code that deno test --doc runs; ignore it first`);
  }
  if (isDocTested) return { kind: "doc test" };
  switch (verb) {
    case "run":
      if (!RUNNABLE.test(language)) throw new TypeError(`Cannot run the language "${language}"`);
      return { kind: "run", expected: readExpected(rest) };
    case "from":
      return { kind: "from", path: rest };
  }
  if (attributes.includes("no-run")) return { kind: "not run" };
  if (language === "text" || language === "csv") return { kind: "text" };
  if (language === "json" || language === "ndjson") {
    const documents = language === "json" ? [snippet.code] : snippet.code.trimEnd().split("\n");
    for (const document of documents) JSON.parse(document);
    return { kind: "json" };
  }
  throw new TypeError(
    `It is not run, and nothing says why: put <!-- run --> or <!-- from: PATH --> before it, ` +
      `or no-run behind its language`,
  );
}

function readExpected(text: string): string[] {
  return text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
}

/** Returns what is wrong with the snippets of a Markdown text, one line each. */
export function findUnmarked(markdown: string, name: string): string[] {
  return findSnippets(markdown).flatMap((snippet) => {
    try {
      treatmentOf(snippet);
      return [];
    } catch (error) {
      return [`${name}:${snippet.line}: ${(error as Error).message}`];
    }
  });
}
