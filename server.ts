import { runCommand } from "./commands/mod.ts";

if (import.meta.main) Deno.exit(await runCommand(Deno.args));
