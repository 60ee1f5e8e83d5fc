import { join } from "node:path";
import { withFolder } from "./folder.ts";
import { SERVER, type TestServer } from "./process.ts";

/** A fenced piece of code in a Markdown file. */
export interface Snippet {
  readonly language: string;
  /** The words after the language, such as `no-run`. */
  readonly attributes: string;
  /** The code, without the indentation of the fence. */
  readonly code: string;
  /** The text of an HTML comment just before the fence; empty without one. */
  readonly comment: string;
}

/** A fenced piece of code, with a comment before it. */
export const FENCED =
  /(?:<!--((?:(?!-->)[^])*)-->\s*)?^([ \t]*)```(\w*)[ \t]*(.*)\n([^]*?)^\2```$/gm;
const SHOWN_URL = /http:\/\/127\.0\.0\.1:8000(?!\d)/g;
const SHOWN_KEY = /\bbc_[a-z]+(?:_[a-z]+)+\b/g;

/** Returns the fenced code blocks of a Markdown text. */
export function findSnippets(markdown: string): Snippet[] {
  return [...markdown.matchAll(FENCED)].map(
    ([, comment = "", indentation, language, attributes, code]) => ({
      ...{ language, attributes, comment: comment.trim() },
      code: code.replaceAll(new RegExp(`^${indentation}`, "gm"), ""),
    }),
  );
}

/** Runs a snippet; resolves with its exit status and all that it wrote, standard error last. */
export type RunSnippet = (
  snippet: Pick<Snippet, "language" | "code">,
) => Promise<{ readonly status: number; readonly output: string }>;

/** Sets up an empty folder in which snippets run, with the command on the path, and removes it. */
export function withSnippetRunner(
  server: Pick<TestServer, "url" | "key">,
  use: (run: RunSnippet) => Promise<void>,
): Promise<void> {
  return withFolder(async (folder) => {
    const [bin, work] = [join(folder, "bin"), join(folder, "work")];
    for (const path of [bin, work]) await Deno.mkdir(path);
    const script = `#!/bin/sh\nexec '${Deno.execPath()}' run --quiet -A '${SERVER}' "$@"\n`;
    await Deno.writeTextFile(join(bin, "boardcast"), script, { mode: 0o755 });
    await use(async ({ language, code }) => {
      const text = code.replaceAll(SHOWN_URL, server.url).replaceAll(SHOWN_KEY, server.key);
      const [program, ...args] = language === "python"
        ? ["python3", "-c", text]
        : ["bash", "-euo", "pipefail", "-c", text];
      const env = { PATH: `${bin}:${Deno.env.get("PATH")}`, KEY: server.key };
      const child = await new Deno.Command(program, { args, cwd: work, env }).output();
      const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
      return { status: child.code, output: decode(child.stdout) + decode(child.stderr) };
    });
  });
}
