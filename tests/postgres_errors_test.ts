import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { runInNewContext } from "node:vm";
import {
  errorCode,
  isCrowded,
  isForbidden,
  isLostConnection,
  isReadOnly,
  isRefusal,
  isRefusedValue,
  isTransient,
  toStorageError,
} from "../adapters/_postgres/errors.ts";
import { StorageError } from "../adapters/storage.ts";

/** What the driver throws. */
function driverError(code: string): Error {
  return Object.assign(new Error("what was said"), { code });
}

describe("what the postgres driver throws", () => {
  const rows: readonly [string, string, string][] = [
    ["ECONNREFUSED", "unavailable", "Cannot reach the database: ECONNREFUSED"],
    ["CONNECTION_CLOSED", "unavailable", "Cannot reach the database: CONNECTION_CLOSED"],
    ["EPIPE", "unavailable", "Cannot reach the database: EPIPE"],
    [
      "57014",
      "unavailable",
      "The database takes too long to answer (what was said, SQLSTATE 57014)",
    ],
    ...["08P01", "0A000", "25006", "28P01", "3D000", "42501", "53300", "55P03", "58030", "XX000"]
      .map(
        (code): [string, string, string] => [
          code,
          "unavailable",
          `The database cannot answer (what was said, SQLSTATE ${code})`,
        ],
      ),
    ...["40001", "44000", "P0001"].map((code): [string, string, string] => [
      code,
      "unavailable",
      `The database cannot answer (SQLSTATE ${code})`,
    ]),
    ...["3F000", "42P01", "42703", "42883"].map((code): [string, string, string] => [
      code,
      "incompatible",
      "The database is not at the version that this program needs: migrate it, or replace this " +
      `program (what was said, SQLSTATE ${code})`,
    ]),
    ["22021", "incompatible", "The database refuses the record (SQLSTATE 22021)"],
    ["23514", "incompatible", "The database refuses the record (SQLSTATE 23514)"],
  ];
  for (const [code, expected, message] of rows) {
    it(`becomes ${expected} when its code is ${code}, and quotes no record`, () => {
      const error = toStorageError(driverError(code));
      assertEquals([error.code, error.message, error.cause], [expected, message, undefined]);
    });
  }

  it("says which permission Deno lacks", () => {
    const denied = Object.assign(new Error("Requires net access to x"), { name: "NotCapable" });
    const { message } = toStorageError(denied);
    assertEquals(message, "Cannot reach the database: Requires net access to x");
  });

  it("is known in a context of its own, as tests of an app may have it", () => {
    const refused = runInNewContext(
      `Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED", syscall: "connect" })`,
    );
    assertEquals(errorCode(refused), "ECONNREFUSED");
    assertEquals(
      toStorageError(refused).message,
      "Cannot reach the database: connect ECONNREFUSED",
    );
  });

  it("says which address can't be connected to", () => {
    const refused = Object.assign(driverError("ECONNREFUSED"), { syscall: "connect" });
    const { message } = toStorageError(refused);
    assertEquals(message, `Cannot reach the database: ${refused.message}`);
  });

  it("becomes unavailable when it has no code, and stays a storage error", () => {
    for (const thrown of [new Error("secret"), "secret", null, { code: "23505" }]) {
      const error = toStorageError(thrown);
      assertEquals(error.code, "unavailable");
      assertEquals(error.message, "Cannot reach the database: the connection failed");
      assertEquals(errorCode(thrown), "");
    }
    const conflict = new StorageError("conflict", "It is there");
    assertEquals(toStorageError(conflict), conflict);
  });

  it("tells what may be tried again, what was refused, and which connections are lost", () => {
    const told = (test: (error: unknown) => boolean, codes: readonly string[]) =>
      codes.filter((code) => test(driverError(code)));
    const codes = [
      ...["ECONNRESET", "EPIPE", "08006", "0A000", "22001", "23505", "25006", "25P02", "28000"],
      ...["40001", "40P01", "42501", "42P01", "44000", "53300", "53400", "57014", "57P01", "57P03"],
      ...["P0001", "P0002"],
    ];
    assertEquals(told(isTransient, codes), ["40001", "40P01"]);
    assertEquals(told(isRefusedValue, codes), ["22001", "23505"]);
    assertEquals(told(isRefusal, codes), ["22001", "23505", "44000", "P0001"]);
    assertEquals(told(isReadOnly, codes), ["25006"]);
    assertEquals(told(isForbidden, codes), ["0A000", "42501", "42P01"]);
    assertEquals(told(isLostConnection, codes), [
      ...["ECONNRESET", "EPIPE", "08006", "25006", "28000", "57P01", "57P03"],
    ]);
    assertEquals(told(isCrowded, codes), ["53300"]);
    assertEquals(isLostConnection(new Error()), true);
  });
});
