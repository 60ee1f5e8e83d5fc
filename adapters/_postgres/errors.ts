import { StorageError, type StorageErrorCode } from "../storage.ts";

/** What the driver throws for an error of the server; `where` tells the function that raised it. */
interface ServerError {
  readonly message: string;
  readonly code: string;
  readonly severity: string;
  readonly where?: string;
}

// Classes whose messages speak of the server and its set-up, and quote no stored value.
const OPERATIONAL = /^(?:08|0A|25|28|3D|3F|42|53|55|57|58|XX)/;
// The state of a division by zero: what `write` fails with where it can't make all changes.
const NOT_ALL_WRITTEN = "22012";
// Another process created the record first.
const IS_CREATED = "23505";
const SUMMARIES: readonly (readonly [RegExp, StorageErrorCode, string])[] = [
  [/^22012$/, "unavailable", "The database passed over a change: see its triggers and policies"],
  [/^57014$/, "unavailable", "The database takes too long to answer"],
  [/^(?:3F000|42P01|42703)$/, "incompatible", "The database lacks a table or column: migrate it"],
  [/^2[23]/, "incompatible", "The database refuses the record"],
  [/^/, "unavailable", "The database cannot answer"],
];

/** Tells whether a statement waited for a lock for as long as it may. */
export function isLockTimeout(error: unknown): boolean {
  return isServerError(error) && error.code === "55P03";
}

/** Tells whether a transaction was undone because of others, so that it may succeed now. */
export function isTransient(error: unknown): boolean {
  return isServerError(error) &&
    ["40001", "40P01", NOT_ALL_WRITTEN, IS_CREATED].includes(error.code);
}

/**
 * Tells whether a connection is gone or of no use: the server did not answer, has ended the connection,
 * or takes no writes, as a primary that became a standby.
 */
export function isLost(error: unknown): boolean {
  if (!isServerError(error)) return true;
  const { severity, code, where } = error;
  return severity === "FATAL" || severity === "PANIC" || (code === "25006" && where === undefined);
}

/** Tells whether a host was silent when it was connected to. */
export function isConnectTimeout(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "CONNECT_TIMEOUT";
}

/** Returns the error of a call that has run out of time. */
export function tooSlow(): StorageError {
  return new StorageError("unavailable", "The database takes too long to answer");
}

/** Returns the error of a server that takes no writes. */
export function readOnly(): StorageError {
  return new StorageError("unavailable", "The database takes no writes: it is read-only");
}

/**
 * Makes a {@linkcode StorageError} of whatever was thrown. What the driver threw is not its `cause`,
 * since it carries statements with their values; what the server said is passed on only where it
 * quotes no record.
 */
export function toStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  if (!isServerError(error)) {
    return new StorageError("unavailable", `Cannot reach the database: ${reasonOf(error)}`);
  }
  const { code, message, where } = error;
  const isOwn = OPERATIONAL.test(code) && where === undefined;
  const [, storageCode, summary] = SUMMARIES.find(([pattern]) => pattern.test(code))!;
  return new StorageError(
    storageCode,
    `${summary} (${isOwn ? `${message}, ` : ""}SQLSTATE ${code})`,
  );
}

/** Says why there was no answer: the system names the address, and Deno the flag that is missing. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "the connection failed";
  if (error.name === "NotCapable" || "syscall" in error) return error.message;
  return "code" in error ? String(error.code) : "the connection failed";
}

function isServerError(error: unknown): error is ServerError {
  return error instanceof Error && "severity" in error && "code" in error;
}
