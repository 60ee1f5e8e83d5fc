import { StorageError } from "../storage.ts";

/** Runs an opening; what it meets on the way becomes a `StorageError` that names the folder. */
export async function explainFailure<T>(directory: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (cause) {
    if (cause instanceof StorageError) throw cause;
    throw unavailable(`Cannot open the data folder "${directory}"`, cause);
  }
}

/** Makes the error for what can't be done, with its cause in the message as well. */
export function unavailable(what: string, cause: unknown): StorageError {
  return new StorageError("unavailable", `${what}: ${(cause as Error).message}`, { cause });
}
