import { explainFailure } from "./errors.ts";
import type { FileStorageSettings } from "./file_storage.ts";
import { readFolder } from "./folder.ts";
import { holderOf } from "./lock.ts";
import { createTables, openTables } from "../_tables.ts";
import { type Storage, StorageError } from "../storage.ts";

const MAX_READINGS = 3;

/** Opens what is in a folder now as storage that refuses changes, whoever holds the folder. */
export function openFileStorageToRead(
  directory: string,
  { disk, onWarning }: Pick<FileStorageSettings, "disk" | "onWarning">,
): Promise<Storage> {
  return explainFailure(directory, async () => {
    const refuseChange = () => {
      throw new StorageError("unavailable", `"${directory}" was opened to be read only`);
    };
    for (let reading = 1; reading <= MAX_READINGS; reading++) {
      const holder = holderOf(disk, directory);
      const tables = createTables(refuseChange);
      const content = await readFolder({ disk, directory }, tables.assign).catch((error) => {
        // What a full disk refused may have made way for other records between two reads.
        if (error.code === "damaged" && reading < MAX_READINGS) return undefined;
        throw error;
      });
      if (content === undefined) continue;
      const { snapshot, journal } = content;
      // One that lost the folder may have written on to a journal that has been replaced.
      if (holderOf(disk, directory) !== holder) continue;
      const tornBytes = journal === undefined ? 0 : journal.bytes - journal.end;
      if (snapshot === undefined && journal === undefined) {
        onWarning(`There is no data in "${directory}" yet`);
      } else if (tornBytes > 0) {
        onWarning(
          `The journal in "${directory}" ends in ${tornBytes} bytes that are no whole record: ` +
            "a change that is just being written, or a torn tail",
        );
      }
      const storage = openTables(tables);
      // Like a change, it asks whether storage takes writes.
      return { ...storage, ping: () => storage.ping().then(refuseChange) };
    }
    throw new StorageError("unavailable", `"${directory}" keeps changing hands; try again`);
  });
}
