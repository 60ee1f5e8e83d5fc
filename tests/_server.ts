import { fileURLToPath } from "node:url";

/** The path of the command's sources. */
export const SERVER = fileURLToPath(new URL("../server.ts", import.meta.url));

/** Runs a script of `sh` that calls the real command as `boardcast "$@"`. */
export async function runByShell(
  script: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly out: string; readonly err: string }> {
  const command = `boardcast() { exec "$DENO" run -A --quiet "$SERVER" "$@"; }\n${script}`;
  const { code, stdout, stderr } = await new Deno.Command("sh", {
    args: ["-c", command, "sh", ...args],
    env: { NO_COLOR: "1", ...env, DENO: Deno.execPath(), SERVER },
  }).output();
  const decoder = new TextDecoder();
  return { status: code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
}
