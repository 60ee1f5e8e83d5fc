import type { Storage } from "../adapters/storage.ts";
import { openMemoryStorage } from "../mod.ts";
import type { Invocation } from "./_command.ts";
import { writeErr } from "./_io.ts";
import { type Given, type Option, UsageError } from "./_options.ts";

/** The flag that says where records are kept. */
export const STORAGE_OPTION: Option = {
  name: "storage",
  value: "memory | file:DIR | postgres://…",
  variable: "BOARDCAST_STORAGE",
  default: "file:./data",
  description: "Where records are kept.",
};

/** The same flag for commands that end at once, and what is in memory with them. */
export const LASTING_STORAGE_OPTION: Option = {
  ...STORAGE_OPTION,
  value: "file:DIR | postgres://…",
};

/** Opens the storage that the flags name. An adapter is loaded only when it is asked for. */
export async function openStorage(given: Given): Promise<Storage> {
  const url = given.text("storage") ?? "";
  if (url === "memory") return openMemoryStorage();
  if (/^file:./.test(url)) {
    const { openFileStorage } = await import("../adapters/file.ts");
    return await openFileStorage(url.slice("file:".length), {
      onWarning: (message) => writeErr(`boardcast: ${message}\n`),
    });
  }
  if (/^postgres(?:ql)?:\/\//.test(url)) {
    const { openPostgresStorage } = await import("../adapters/postgres.ts");
    return await openPostgresStorage(url).catch((error) => {
      throw error instanceof TypeError ? new UsageError(`--storage ${error.message}`) : error;
    });
  }
  throw new UsageError(
    `--storage "${redact(url)}" is none of memory, file:DIR and postgres://…`,
  );
}

/**
 * Opens the storage of a command that ends at once, uses it and closes it. Throws a
 * {@linkcode UsageError} for storage in memory, which would vanish with the command.
 */
export async function withStorage<T>(
  { given, openStorage }: Invocation,
  use: (storage: Storage) => Promise<T>,
): Promise<T> {
  if (given.text("storage") === "memory") {
    throw new UsageError(
      "--storage memory ends with the command; give file:DIR or postgres://…, " +
        `or set ${STORAGE_OPTION.variable}`,
    );
  }
  const storage = await openStorage(given);
  try {
    return await use(storage);
  } finally {
    await storage.close();
  }
}

// A URL may carry a password.
function redact(url: string): string {
  return url.replace(/\/\/[^@/]*@/, "//…@").replace(/\?.*$/s, "?…");
}
