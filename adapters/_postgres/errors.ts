import { StorageError } from "../storage.ts";

// Each has a digit, which tells it from EPIPE and the like.
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;
// Classes whose messages speak of the server and its set-up, and quote no stored value.
const OPERATIONAL = /^(?:08|0A|25|28|3D|3F|42|53|55|57|58|XX)/;

/** What the statement of a batch fails with where it could not write all that it had to. */
export const NOT_ALL_WRITTEN = "22012";

/** Returns the SQLSTATE of what was thrown; an empty text where it is no answer of the server. */
export function sqlstateOf(error: unknown): string {
  const code = codeOf(error);
  return SQLSTATE.test(code) ? code : "";
}

/** Tells whether a statement waited for a lock for as long as it may. */
export function isLockTimeout(error: unknown): boolean {
  return sqlstateOf(error) === "55P03";
}

/** Tells whether a transaction was undone because of others, so that it may succeed now. */
export function isTransient(error: unknown): boolean {
  return ["40001", "40P01", NOT_ALL_WRITTEN].includes(sqlstateOf(error));
}

/**
 * Tells whether a connection is gone or of no use: the error is none of the server's, or says that
 * the server ends, starts, or takes no writes, as a primary does that became a standby.
 */
export function isLost(error: unknown): boolean {
  return /^(?:$|08|57P|25006)/.test(sqlstateOf(error));
}

/** Returns the error of a call that has run out of time. */
export function tooSlow(): StorageError {
  return new StorageError("unavailable", "The database takes too long to answer");
}

/**
 * Makes a {@linkcode StorageError} of whatever was thrown. What the driver threw is not its `cause`,
 * since it carries statements with their values; what the server said is passed on only where it
 * quotes no record.
 */
export function toStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const state = sqlstateOf(error);
  const message = error instanceof Error ? error.message : "";
  if (state === "") {
    // The system names the address, and Deno what it does not allow with the flag that would.
    const isTelling = error instanceof Error && (error.name === "NotCapable" || "syscall" in error);
    const reason = isTelling ? message : codeOf(error) || "the connection failed";
    return new StorageError("unavailable", `Cannot reach the database: ${reason}`);
  }
  const detail = OPERATIONAL.test(state) ? `${message}, SQLSTATE ${state}` : `SQLSTATE ${state}`;
  if (state === NOT_ALL_WRITTEN) {
    return new StorageError(
      "unavailable",
      "The database passed over a change: see its triggers and row security policies",
    );
  }
  if (state === "57014") {
    return new StorageError("unavailable", `The database takes too long to answer (${detail})`);
  }
  if (/^(?:3F000|42P01|42703)$/.test(state)) {
    return new StorageError(
      "incompatible",
      `The database lacks a table or column that this program needs: migrate it (${detail})`,
    );
  }
  if (/^2[23]/.test(state)) {
    return new StorageError("incompatible", `The database refuses the record (${detail})`);
  }
  return new StorageError("unavailable", `The database cannot answer (${detail})`);
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : "";
  return typeof code === "string" ? code : "";
}
