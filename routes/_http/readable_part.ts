import { grantsScope, type Scope } from "../../model/keys/api_key.ts";
import type { Caller } from "./credentials.ts";

/** The part of a record that a caller sees after a change if its key does not grant reading. */
export interface WrittenPart {
  /** The scope that reads the whole record. */
  readonly scope: Scope;
  /** The fields that the caller sent, and those that follow from the change. */
  readonly fields: readonly string[];
}

/** Returns a record as the answer to a change, without the fields that the caller may not read. */
export function readablePart<T extends object>(
  record: T,
  caller: Caller,
  { scope, fields }: WrittenPart,
): Partial<T> {
  if (grantsScope(caller.scopes, scope)) return record;
  const part = Object.entries(record).filter(([field]) => fields.includes(field));
  return Object.fromEntries(part) as Partial<T>;
}
