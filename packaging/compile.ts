// Compiles the command to one program: deno task compile [PROGRAM], by default ./boardcast.
//
// BOARDCAST_COMPILE names a program to use in place of `deno compile`, which needs to download a base
// runtime. It is called as PROGRAM FOLDER ENTRY OUT [flags of deno compile…].

import { resolve } from "node:path";
import { forgetCache, listFiles, runDeno, runProgram } from "./_deno.ts";

// The permissions of a compiled program can't be changed, so these are all that the commands need: every
// address and data folder that a flag may name, and settings by their names.
const PERMISSIONS = [
  "--no-prompt",
  // The cache would be a file with a predictable name in the folder for temporary files, where others
  // may write.
  "--no-code-cache",
  "--allow-net",
  "--allow-read",
  "--allow-write",
  // The driver of PostgreSQL reads PG…, and the name of the user if no user is given.
  "--allow-env=BOARDCAST_*,PG*,USERNAME,USER,LOGNAME",
  // Whoever finds a data folder held is told by which machine, and whether the process there is gone.
  "--allow-sys=hostname,getPriority",
];

/**
 * Bundles the command into a folder and returns the name of the file to run. What only some uses
 * need, such as PostgreSQL storage, gets files of its own: in a single file, each start would load it
 * and the modules of the runtime that it imports.
 */
export async function bundle(folder: string): Promise<string> {
  const split = ["--platform", "deno", "--code-splitting", "--outdir", folder];
  await runDeno(["bundle", "--quiet", "--lock=deno.lock", ...split, "server.ts"]);
  for (const path of await listFiles(folder)) {
    await forgetCache(path);
    // The program holds the times of its files, too: equal sources are to make equal programs.
    await Deno.utime(path, 0, 0);
  }
  return "server.js";
}

async function compile(program: string): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "boardcast-compile-" });
  try {
    // Compiling the sources would include every package that deno.json names, even those for tests; a
    // bundle includes only what is imported.
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

if (import.meta.main) await compile(resolve(Deno.args[0] ?? "boardcast"));
