import type { Command } from "./shell/command.ts";
import { MIGRATED_STORAGE_OPTION, migrateStorage } from "./storage/storage.ts";

/** For operators whose service may not change its tables. */
export const migrateCommand: Command = {
  name: "migrate",
  summary: "Bring a Postgres database to this version",
  options: [MIGRATED_STORAGE_OPTION],
  example: "boardcast migrate --storage postgres://owner@localhost/boardcast",
  async run({ args, terminal }) {
    const { from, to } = await migrateStorage(args.text("storage") ?? "");
    terminal.err(
      from === to
        ? `The database is already at version ${to}.\n`
        : `Migrated the database from version ${from} to ${to}.\n`,
    );
    return 0;
  },
};
