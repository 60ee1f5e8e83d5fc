import { createTables } from "../_shared/tables.ts";
import { type Storage, StorageError } from "../storage.ts";
import type { Disk } from "./disk.ts";
import { storageFailure } from "./file_storage.ts";
import { viewFolder } from "./folder.ts";
import { readFolder } from "./recovery.ts";

/** Reads a data folder, whoever holds it, as storage that can't be changed. */
export async function readFolderAsStorage(
  disk: Disk,
  directory: string,
  onWarning: (message: string) => void,
): Promise<Storage> {
  const tables = createTables();
  const sink = { keyFields: new Map<string, string>(), assign: tables.assign };
  try {
    const { warnings } = await readFolder(viewFolder(disk, directory), sink);
    warnings.forEach((warning) => onWarning(warning));
  } catch (cause) {
    if (cause instanceof StorageError) throw cause;
    throw storageFailure(`Cannot read the data folder "${directory}"`, cause);
  }
  const refuse = () =>
    Promise.reject(storageFailure("Cannot change the folder", "it is only read"));
  return {
    isExclusive: true,
    get: async (kind, key) => await tables.get(kind, key),
    list: async (kind, query) => await tables.list(kind, query),
    count: async (kind, index) => await tables.count(kind, index),
    transact: refuse,
    ping: refuse,
    close: () => Promise.resolve(),
  };
}
