import { SETTINGS } from "../../model/kinds.ts";
import { requireOwnRecords } from "../../services/version.ts";
import { checkRecords } from "./check_storage.ts";
import type { Command, Invocation } from "../shell/command.ts";
import { UsageError } from "../shell/options.ts";
import { openStorageToRead } from "./storage.ts";

const SHOWN = 20;
const UNSOUND_STATUS = 1;

export const checkCommand: Command = {
  name: "check",
  summary: "Check that everything in a storage is sound",
  positionals: ["STORAGE"],
  options: [],
  details:
    "STORAGE is a folder, or a URL like postgres://…. Reads all files and records: checksums, the sequence " +
    "of changes, fields, indexes, and what records name. Changes nothing. Prints the first " +
    `${SHOWN} errors.\n\n` +
    "Stop the servers on a database first, or check a restored copy: what they change meanwhile may look " +
    "wrong.",
  statuses: { 1: "It failed, or something is wrong." },
  example: "boardcast check /var/lib/boardcast",
  run: check,
};

async function check(invocation: Invocation): Promise<number> {
  const { args: { positionals: [place] }, terminal, openStorage } = invocation;
  if (place === "memory") throw new UsageError("STORAGE must outlive the command, unlike memory");
  const onWarning = (message: string) => terminal.err(`boardcast: ${message}\n`);
  const storage = await openStorageToRead(place, { openStorage, onWarning });
  try {
    const counts: string[] = [];
    let found = 0;
    await requireOwnRecords(storage).catch((error: Error) => {
      if (!("code" in error && error.code === "damaged")) throw error;
      found++;
      terminal.out(`${SETTINGS.name} version: ${error.message}\n`);
    });
    const faults = checkRecords(storage, ({ name }, count) => {
      if (count > 0) counts.push(`${count} ${name}`);
    });
    for await (const fault of faults) {
      if (++found <= SHOWN) terminal.out(`${fault}\n`);
      else break;
    }
    if (found > SHOWN) terminal.err("There is more, which is not shown.\n");
    terminal.err(`Read ${counts.join(", ") || "nothing"}.\n`);
    terminal.err(found === 0 ? "Everything is sound.\n" : "Something is wrong.\n");
    return found === 0 ? 0 : UNSOUND_STATUS;
  } finally {
    await storage.close();
  }
}
