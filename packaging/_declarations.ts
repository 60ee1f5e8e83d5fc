import { dirname, join } from "node:path/posix";
import ts from "typescript";
import { ROOT } from "./_deno.ts";

const SPECIFIER = /(\bfrom |\bimport\()"(\.[^"]+)\.ts"/g;

/**
 * Returns the type declarations of some modules and of those that they refer to, by path in the
 * repository. Throws if a module lacks the type of an export that is not marked as internal.
 */
export async function declareModules(
  entryPaths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const declarations = new Map<string, string>();
  const paths = [...entryPaths];
  for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
    if (declarations.has(path)) continue;
    const text = declareModule(path, await Deno.readTextFile(new URL(path, ROOT)));
    for (const [, , specifier] of text.matchAll(SPECIFIER)) {
      paths.push(join(dirname(path), `${specifier}.ts`));
    }
    declarations.set(path, text.replace(SPECIFIER, '$1"$2.js"'));
  }
  return declarations;
}

function declareModule(path: string, source: string): string {
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(source, {
    fileName: path,
    reportDiagnostics: true,
    compilerOptions: {
      declaration: true,
      isolatedDeclarations: true,
      stripInternal: true,
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2023,
    },
  });
  if (diagnostics.length === 0) return outputText;
  const messages = diagnostics.map(({ messageText }) =>
    ts.flattenDiagnosticMessageText(messageText, "\n")
  );
  throw new TypeError(`Cannot declare ${path}: ${messages.join("; ")}`);
}
