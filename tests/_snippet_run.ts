import { join } from "node:path";
import { withFolder } from "./_folder.ts";
import { SERVER, type TestServer } from "./_process.ts";
import type { Snippet } from "./_snippets.ts";

/** Where the snippets of one page run. */
export interface Scene {
  /** An empty folder of their own. */
  readonly folder: string;
  /** The server that they talk to. */
  readonly server: Pick<TestServer, "url" | "key">;
}

const SHOWN_URL = /http:\/\/127\.0\.0\.1:8000(?!\d)/g;
const SHOWN_KEY = /\bbc_[a-z]+(?:_[a-z]+)+\b/g;

/** Sets up a folder in which snippets run, with the command on the path, and removes it. */
export function withScene(
  server: Scene["server"],
  use: (scene: Scene) => Promise<void>,
): Promise<void> {
  return withFolder(async (folder) => {
    await Deno.mkdir(join(folder, "bin"));
    await Deno.mkdir(join(folder, "work"));
    const script = `#!/bin/sh\nexec '${Deno.execPath()}' run --quiet -A '${SERVER}' "$@"\n`;
    await Deno.writeTextFile(join(folder, "bin", "boardcast"), script, { mode: 0o755 });
    await use({ folder, server });
  });
}

/** What a snippet came to; `output` is what it wrote, standard error last. */
export interface SnippetResult {
  readonly status: number;
  readonly output: string;
}

/** Runs a snippet. */
export async function runSnippet(
  { language, code }: Pick<Snippet, "language" | "code">,
  { folder, server }: Scene,
): Promise<SnippetResult> {
  const text = code.replaceAll(SHOWN_URL, server.url).replaceAll(SHOWN_KEY, server.key);
  const [program, ...args] = await commandFor(language, text, folder);
  const child = await new Deno.Command(program, {
    args,
    cwd: join(folder, "work"),
    env: { PATH: `${join(folder, "bin")}:${Deno.env.get("PATH")}`, KEY: server.key },
  }).output();
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { status: child.code, output: decode(child.stdout) + decode(child.stderr) };
}

async function commandFor(language: string, code: string, folder: string): Promise<string[]> {
  if (language === "python") return ["python3", "-c", code];
  if (language !== "js") return ["bash", "-euo", "pipefail", "-c", code];
  const path = join(folder, "snippet.mjs");
  await Deno.writeTextFile(path, code);
  return [Deno.execPath(), "run", "--quiet", "-A", path];
}
