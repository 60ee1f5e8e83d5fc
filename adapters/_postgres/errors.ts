import { StorageError, type StorageErrorCode } from "../storage.ts";

/** A server error in the driver's form; `where` names the function that raised it. */
interface ServerError {
  readonly message: string;
  readonly code: string;
  readonly severity: string;
  readonly where?: string;
}

// SQLSTATE classes with messages about the server and its configuration, which quote no stored
// value.
const OPERATIONAL = /^(?:08|0A|25|28|3D|3F|42|53|55|57|58|XX)/;
// A serialization failure, a deadlock, and a lock that others hold for too long.
const TRANSIENT = ["40001", "40P01", "55P03"];
const SUMMARIES: readonly (readonly [RegExp, StorageErrorCode, string])[] = [
  [/^57014$/, "unavailable", "The database takes too long to answer"],
  [/^(?:3F000|42P01|42703)$/, "incompatible", "The database lacks a table or column: migrate it"],
  [/^2[23]/, "incompatible", "The database refuses the record"],
  [/^/, "unavailable", "The database cannot answer"],
];

/**
 * The server made fewer changes than requested, without an error: another process created a record
 * first, or a trigger or policy skipped one.
 */
export class PassedOver extends StorageError {
  constructor() {
    super("unavailable", "The database passed over a change: see its triggers and policies");
  }
}

/** Tells whether concurrent transactions caused the error, so that a retry may succeed. */
export function isTransient(error: unknown): boolean {
  return error instanceof PassedOver ||
    (isServerError(error) && TRANSIENT.includes(error.code));
}

/**
 * Tells whether the connection must be replaced: the server did not answer, closed it, or refuses
 * writes because it has become a standby.
 */
export function isLost(error: unknown): boolean {
  if (error instanceof PassedOver) return false;
  if (!isServerError(error)) return true;
  const { severity, code, where } = error;
  return severity === "FATAL" || severity === "PANIC" || (code === "25006" && where === undefined);
}

/**
 * Converts any thrown value to a {@linkcode StorageError}. A driver error does not become its
 * `cause`, because it contains statements with their values. Keeps the server's message only if it
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

/**
 * Returns messages of the system, which name the address, and of Deno, which name the missing flag;
 * no others.
 */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "the connection failed";
  if (error.name === "NotCapable" || "syscall" in error) return error.message;
  return "code" in error ? String(error.code) : "the connection failed";
}

function isServerError(error: unknown): error is ServerError {
  return error instanceof Error && "severity" in error && "code" in error;
}
