import { endAtStopSignals } from "./commands/_signals.ts";
import { runCommand } from "./commands/mod.ts";

if (import.meta.main) {
  endAtStopSignals();
  Deno.exit(await runCommand(Deno.args));
}
