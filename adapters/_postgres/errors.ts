import { StorageError, type StorageErrorCode } from "../storage.ts";

/** An error of the server, as the driver throws it. `where` names the function that raised it. */
interface ServerError {
  readonly message: string;
  readonly code: string;
  readonly severity: string;
  readonly where?: string;
}

// Classes of SQLSTATE whose messages describe the server and its setup, and quote no stored value.
const OPERATIONAL = /^(?:08|0A|25|28|3D|3F|42|53|55|57|58|XX)/;
// A serialization failure, a deadlock, and a lock time-out.
const TRANSIENT = ["40001", "40P01", "55P03"];
const SUMMARIES: readonly (readonly [RegExp, StorageErrorCode, string])[] = [
  [/^57014$/, "unavailable", "The database takes too long to answer"],
  [/^(?:3F000|42P01|42703)$/, "incompatible", "The database lacks a table or column: migrate it"],
  [/^2[23]/, "incompatible", "The database refuses the record"],
  [/^/, "unavailable", "The database cannot answer"],
];

/**
 * The server made fewer changes than requested, without an error: another process was first to
 * create a record, or a trigger or policy skipped one.
 */
export class PassedOver extends StorageError {
  constructor() {
    super("unavailable", "The database passed over a change: see its triggers and policies");
  }
}

/**
 * Tells whether an operation failed because of concurrent transactions, so that a retry may
 * succeed.
 */
export function isTransient(error: unknown): boolean {
  return error instanceof PassedOver ||
    (isServerError(error) && TRANSIENT.includes(error.code));
}

/**
 * Tells whether a connection has to be replaced: the server did not answer, has closed it, or
 * accepts no writes, like a primary that became a standby.
 */
export function isLost(error: unknown): boolean {
  if (error instanceof PassedOver) return false;
  if (!isServerError(error)) return true;
  const { severity, code, where } = error;
  return severity === "FATAL" || severity === "PANIC" || (code === "25006" && where === undefined);
}

/**
 * Converts a thrown value to a {@linkcode StorageError}. Drops a driver error as `cause`, because
 * it holds statements with their values, and keeps the server's message only if it quotes no
 * record.
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
 * Keeps only messages of the system, which name the address, and of Deno, which name the missing
 * flag.
 */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "the connection failed";
  if (error.name === "NotCapable" || "syscall" in error) return error.message;
  return "code" in error ? String(error.code) : "the connection failed";
}

function isServerError(error: unknown): error is ServerError {
  return error instanceof Error && "severity" in error && "code" in error;
}
