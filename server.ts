import { endAtStopSignals, exit } from "./commands/serve/signals.ts";
import { runCommand } from "./commands/mod.ts";

if (import.meta.main) {
  endAtStopSignals();
  await exit(await runCommand(Deno.args));
}
