/** The root of the repository, with a final slash. */
export const ROOT: URL = new URL("../", import.meta.url);

/** Runs this Deno in the root of the repository. Throws with its output if it fails. */
export async function runDeno(args: readonly string[]): Promise<void> {
  await runProgram(Deno.execPath(), args, ROOT);
}

/** Runs a program in a folder. Throws with its output if it fails. */
export async function runProgram(
  program: string,
  args: readonly string[],
  cwd: string | URL,
): Promise<void> {
  const { success, stdout, stderr } = await new Deno.Command(program, { args: [...args], cwd })
    .output();
  if (success) return;
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  throw new Error(`${program} ${args[0]} failed:\n${decode(stdout)}${decode(stderr)}`);
}

/** Removes the path of the local cache from comments in a bundle, which name modules. */
export async function removeCachePath(path: string): Promise<void> {
  const text = await Deno.readTextFile(path);
  await Deno.writeTextFile(path, text.replace(/^\/\/ \.\.\/.*\/npm\/[^/]+\//gm, "// "));
}
