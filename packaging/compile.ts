// Compiles the command to one program: deno task compile [PROGRAM], by default ./boardcast.
// BOARDCAST_COMPILE names a program to use in place of `deno compile`, which needs to download a
// base runtime. It is called as PROGRAM FOLDER ENTRY OUT [flags of deno compile…].

import { globSync } from "node:fs";
import { resolve } from "node:path";
import { removeCachePath, runDeno, runProgram } from "./_deno.ts";

// A compiled program keeps its permissions. It therefore gets those that any command may need: the
// network and files at any address and path in a flag, and environment variables.
const PERMISSIONS = [
  "--no-prompt",
  "--unstable-kv",
  // The cache would have a predictable name in the temporary folder, where others may write.
  "--no-code-cache",
  "--allow-net",
  "--allow-read",
  "--allow-write",
  // All variables are listed, to suggest the nearest name for a misspelt one.
  "--allow-env",
  // The lock of a data folder contains the host name.
  "--allow-sys=hostname",
];

/**
 * Bundles the command into a folder, and returns the name of the file to run. Modules that are
 * imported on demand, such as PostgreSQL storage, get separate files, so that not every start loads
 * them.
 */
export async function bundle(folder: string): Promise<string> {
  const split = ["--platform", "deno", "--code-splitting", "--outdir", folder];
  await runDeno(["bundle", "--quiet", "--lock=deno.lock", ...split, "server.ts"]);
  for (const path of globSync(`${folder}/**/*.js`)) {
    await removeCachePath(path);
    // The program contains the times of its files, and equal sources must make equal programs.
    await Deno.utime(path, 0, 0);
  }
  return "server.js";
}

async function compile(program: string): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "boardcast-compile-" });
  try {
    // Compiling the sources would include every package in deno.json, even those for tests.
    const entry = await bundle(folder);
    const compiler = Deno.env.get("BOARDCAST_COMPILE");
    if (compiler) {
      await runProgram(resolve(compiler), [folder, entry, program, ...PERMISSIONS], folder);
    } else {
      const args = ["compile", "--quiet", ...PERMISSIONS, "--output", program, entry];
      await runProgram(Deno.execPath(), args, folder);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) {
  try {
    await compile(resolve(Deno.args[0] ?? "boardcast"));
  } catch (error) {
    console.error(
      `${
        (error as Error).message.trim()
      }\nNothing was compiled. The first time, deno compile downloads ` +
        "its base runtime: it needs the network.",
    );
    Deno.exit(1);
  }
}
