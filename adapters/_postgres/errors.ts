import { StorageError } from "../storage.ts";

/** What the `postgres` package throws: a server's error has an SQLSTATE as its code. */
interface DriverError {
  readonly code: string;
  readonly message: string;
}

// Each has a digit, which tells them from EPIPE and the like.
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;
// Classes whose messages speak of the server and its set-up, and quote no stored value.
const OPERATIONAL = /^(?:08|0A|25|28|3D|3F|42|53|55|57|58|XX)/;

/** What is wrong with a connection; the message quotes nothing that was sent over it. */
export class ConnectionFault extends Error {
  /** Always `ConnectionFault`. */
  override readonly name = "ConnectionFault";
}

/** The code of what was thrown: an SQLSTATE, or the name of a system error; empty if none. */
export function errorCode(error: unknown): string {
  return isDriverError(error) ? error.code : "";
}

/** The error of a call that has run out of time. */
export function tooSlow(): StorageError {
  return new StorageError("unavailable", "The database takes too long to answer");
}

/** Tells whether the server answered, if only with an error. */
export function isAnswer(error: unknown): boolean {
  return SQLSTATE.test(errorCode(error));
}

/** Tells whether the server refused a value (PostgreSQL, appendix A: classes 22 and 23). */
export function isRefusedValue(error: unknown): boolean {
  return /^2[23]/.test(errorCode(error));
}

/** Tells whether one record of several was refused: for a value, by a view, or by a trigger. */
export function isRefusal(error: unknown): boolean {
  return isRefusedValue(error) || /^(?:44|P0001)/.test(errorCode(error));
}

/** Tells whether the server undid a statement that may succeed when it is sent again. */
export function isTransient(error: unknown): boolean {
  return ["40001", "40P01"].includes(errorCode(error));
}

/** Tells whether the server refused one more connection, while others may be at work. */
export function isCrowded(error: unknown): boolean {
  return errorCode(error) === "53300";
}

/** Tells whether the server knows no such statement, or does not allow it to this role. */
export function isForbidden(error: unknown): boolean {
  return /^(?:0A|42)/.test(errorCode(error));
}

/** Tells whether the server takes no writes: it is a standby, or was made read-only. */
export function isReadOnly(error: unknown): boolean {
  return errorCode(error) === "25006";
}

/**
 * Tells whether the connection is gone or of no use: the error is none of the server's, or
 * says that the server ends, starts, or is a standby that takes no writes.
 */
export function isLostConnection(error: unknown): boolean {
  const code = errorCode(error);
  return !isAnswer(error) || /^(?:08|57P|25006|28)/.test(code);
}

/**
 * Makes an error of the storage interface of whatever was thrown. The message names the code,
 * and what the server said only where that quotes no record; what the driver threw is not
 * passed on, since it carries the statement with its values.
 */
export function toStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const code = errorCode(error);
  if (!isAnswer(error)) {
    // The system names the address, and Deno what it does not allow with the flag that would.
    const isTelling = isError(error) &&
      (["ConnectionFault", "NotCapable"].includes(error.name) || "syscall" in error);
    const reason = isTelling ? error.message : code || "the connection failed";
    return new StorageError("unavailable", `Cannot reach the database: ${reason}`);
  }
  const said = OPERATIONAL.test(code) && isDriverError(error) ? `${error.message}, ` : "";
  const detail = `${said}SQLSTATE ${code}`;
  if (code === "57014") {
    return new StorageError("unavailable", `The database takes too long to answer (${detail})`);
  }
  if (/^(?:3F000|42P01|42703|42883)$/.test(code)) {
    return new StorageError(
      "incompatible",
      "The database is not at the version that this program needs: migrate it, or replace this " +
        `program (${detail})`,
    );
  }
  if (isRefusedValue(error)) {
    return new StorageError("incompatible", `The database refuses the record (${detail})`);
  }
  return new StorageError("unavailable", `The database cannot answer (${detail})`);
}

function isDriverError(error: unknown): error is DriverError {
  return isError(error) && "code" in error && typeof error.code === "string";
}

// Not by its class: where tests run in a context of their own, errors of the platform have another.
function isError(error: unknown): error is Error {
  return typeof error === "object" && error !== null && "message" in error;
}
