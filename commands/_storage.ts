import type { Storage } from "../adapters/storage.ts";
import { openMemoryStorage } from "../mod.ts";
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

// A URL may carry a password.
function redact(url: string): string {
  return url.replace(/\/\/[^@/]*@/, "//…@").replace(/\?.*$/s, "?…");
}
