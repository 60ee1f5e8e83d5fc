import { openKvStorage } from "../../adapters/deno_kv.ts";
import type { Storage } from "../../adapters/storage.ts";
import { UsageError } from "../shell/options.ts";

/** How a database of Deno KV is opened. */
export interface KvOpeningOptions {
  /** The storage's name in messages. */
  readonly label: string;
  /** Whether a file must be there already. */
  readonly mustExist?: boolean | undefined;
  /** How long a call may take, in milliseconds. */
  readonly timeoutMs?: number | undefined;
}

// Like the files of a folder, it is for its owner alone.
const MODE = 0o600;

/** Opens storage in a file or, given a URL, in a database elsewhere. */
export async function openKvDatabase(
  place: string,
  { label, mustExist = false, timeoutMs }: KvOpeningOptions,
): Promise<Storage> {
  // Absent without the flag.
  const { openKv }: Partial<typeof Deno> = Deno;
  if (openKv === undefined) {
    throw new UsageError(`${label} kv:… needs Deno with the flag --unstable-kv`);
  }
  if (!/^https?:\/\//i.test(place)) await prepareFile(place, mustExist);
  try {
    return openKvStorage(await openKv(place), { timeoutMs });
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    const { message } = error as Error;
    throw new Error(`${label}: cannot open the Deno KV database: ${message}`, { cause: error });
  }
}

async function prepareFile(path: string, mustExist: boolean): Promise<void> {
  const open = { write: true, create: !mustExist, mode: MODE };
  try {
    (await Deno.open(path, open)).close();
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    const isMissing = mustExist && error instanceof Deno.errors.NotFound;
    if (isMissing) throw new Error(`there is no database "${path}"`);
    throw new Error(`cannot open the file "${path}": ${(error as Error).message}`);
  }
}
