import { type AnyKind, KINDS, SETTINGS, type Storage } from "../../mod.ts";
import { insertRecord, readPages } from "../../services/records.ts";
import { copiedRecord } from "../../services/team/copied.ts";
import { storeOf } from "../../services/store.ts";
import { beginCopy, finishCopy, isVersion } from "../../services/version.ts";
import type { Command, Invocation } from "../shell/command.ts";
import type { Terminal } from "../shell/io.ts";
import { type Option, option, UsageError } from "../shell/options.ts";
import { createProgress } from "../rows/progress.ts";
import { interruptible } from "../serve/signals.ts";
import {
  MIGRATED_STORAGE_OPTION,
  migrateStorage,
  NO_MIGRATE_OPTION,
  printMigration,
} from "./storage.ts";

/** Copies a storage. */
export const copyCommand: Command = {
  name: "copy",
  summary: "Copy all records into another storage",
  positionals: ["FROM", "TO"],
  options: [NO_MIGRATE_OPTION],
  details:
    "FROM and TO are file:DIR or postgres://…. The records arrive with all their times, and API keys " +
    "go on working; sessions and invitations of the team end. FROM stays as it is, and TO must be empty. Stop the servers on both first: what " +
    "they change meanwhile would be missing, or end the copy.",
  example: "boardcast copy file:./data postgres://localhost/boardcast",
  run: copy,
};

const PRINT_OPTION: Option = option(
  "print",
  "Print the SQL that it would run on the database, or, without --storage, on an empty one.",
);

/** Operators need this command if their service may not change its tables. */
export const migrateCommand: Command = {
  name: "migrate",
  summary: "Bring a Postgres database to this version",
  options: [MIGRATED_STORAGE_OPTION, PRINT_OPTION],
  example: "boardcast migrate --storage postgres://owner@localhost/boardcast",
  async run({ args, terminal }) {
    if (args.flag(PRINT_OPTION.name)) {
      terminal.out(await printMigration(args.text("storage")));
      return 0;
    }
    const { from, to, sql } = await migrateStorage(args.text("storage") ?? "");
    terminal.err(
      from === to && sql === ""
        ? `The database is already at version ${to}.\n`
        : `Migrated the database from version ${from} to ${to}.\n`,
    );
    return 0;
  },
};

async function copy(invocation: Invocation): Promise<number> {
  const { args, terminal, openStorage } = invocation;
  const [from, to] = args.positionals;
  if (from === "memory" || to === "memory") {
    throw new UsageError("FROM and TO must outlive the command, unlike memory");
  }
  if (await resolveFolder(from) === await resolveFolder(to)) {
    throw new UsageError("FROM and TO are the same");
  }
  const onWarning = (message: string) => terminal.err(`boardcast: ${message}\n`);
  const source = await openStorage(from, {
    label: "FROM",
    mustExist: true,
    mayMigrate: false,
    onWarning,
  });
  try {
    const mayMigrate = !args.flag(NO_MIGRATE_OPTION.name);
    const destination = await openStorage(to, { label: "TO", mayMigrate, onWarning });
    try {
      const counts = await copyInto(storeOf(source), destination, terminal);
      const parts = Object.entries(WORDS).map(([name, word]) => `${counts[name] ?? 0} ${word}`);
      terminal.err(`Copied ${parts.join(", ")}.\n`);
    } finally {
      await destination.close();
    }
  } finally {
    await source.close();
  }
  return 0;
}

/** The names of records in messages, by the name of their kind. */
const WORDS: Readonly<Record<string, string>> = {
  boards: "boards",
  subscriptions: "subscribers",
  entries: "entries",
  webhooks: "webhooks",
  apiKeys: "API keys",
};

/** Returns the real path of a folder; returns any other URL unchanged. */
async function resolveFolder(url: string): Promise<string> {
  if (!url.startsWith("file:")) return url;
  const folder = url.slice("file:".length);
  return await Deno.realPath(folder).catch(() => folder);
}

async function copyInto(
  source: Storage,
  destination: Storage,
  { err, errColumns }: Terminal,
): Promise<Readonly<Record<string, number>>> {
  for (const kind of KINDS) {
    if ((await destination.list(kind, { limit: 1 })).length === 0) continue;
    throw new Error(
      "TO is not empty: name one that holds nothing, or empty it if a copy into it was cut short",
    );
  }
  const progress = createProgress({ write: err, columns: errColumns, unit: "records" });
  const interruption = new AbortController();
  const counts: Record<string, number> = {};
  let copied = 0;

  async function copyKind(kind: AnyKind): Promise<void> {
    counts[kind.name] = 0;
    progress.update(copied);
    for await (const page of readPages(source, kind)) {
      const own = kind === SETTINGS ? page.filter((record) => !isVersion(record)) : page;
      const records = own.map((record) => copiedRecord(kind, record))
        .filter((record) => record !== undefined);
      const stored = await Promise.all(
        records.map((record) => insertRecord(destination, kind, record)),
      );
      if (stored.includes(false)) throw new Error("something else changes TO");
      counts[kind.name] += records.length;
      interruption.signal.throwIfAborted();
      progress.update(copied += records.length);
    }
  }

  try {
    await interruptible(interruption, async () => {
      await beginCopy(destination);
      for (const kind of KINDS) await copyKind(kind);
      await finishCopy(destination, source);
    });
    return counts;
  } catch (cause) {
    throw new Error(
      `${(cause as Error).message}; the copy is incomplete: empty TO and copy again`,
      { cause },
    );
  } finally {
    progress.clear();
  }
}
