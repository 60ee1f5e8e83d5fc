// Compiles the command to one program: deno task compile [PROGRAM], by default ./boardcast.
//
// BOARDCAST_COMPILE names a program that does what `deno compile` does, where that can't be had;
// it is called as PROGRAM FOLDER ENTRY OUT [flags of deno compile…].

import { resolve } from "node:path";
import { runDeno, runProgram } from "./_deno.ts";

// A program that is compiled has its permissions for good, so they are those that some command
// needs: any address and any data folder that its flags may name, and settings by their names.
const PERMISSIONS = [
  "--no-prompt",
  // It would be a file of a known name in the folder for temporary files, where others may write.
  "--no-code-cache",
  "--allow-net",
  "--allow-read",
  "--allow-write",
  // The driver of PostgreSQL reads PG…, and the names of the user where no user is given.
  "--allow-env=BOARDCAST_*,PG*,USERNAME,USER,LOGNAME",
  // A second process on a data folder is told which machine holds it.
  "--allow-sys=hostname",
];

/**
 * Bundles the command into a folder, and returns the name of the file to run. What only some uses
 * need, such as the storage in PostgreSQL, gets files of its own: in a single file each start would
 * load it, and the modules of the runtime that it imports.
 */
export async function bundle(folder: string): Promise<string> {
  const split = ["--platform", "deno", "--code-splitting", "--outdir", folder];
  await runDeno(["bundle", "--quiet", ...split, "server.ts"]);
  return "server.js";
}

async function compile(program: string): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "boardcast-compile-" });
  try {
    // Of packages, the whole of what deno.json names would come along, those for tests too; of a
    // bundle, what is imported.
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
