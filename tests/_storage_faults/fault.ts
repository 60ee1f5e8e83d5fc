import { openTables, type Tables } from "../../adapters/_tables.ts";
import type { Storage } from "../../adapters/storage.ts";

/** Opens an instance of storage that breaks a promise. Instances of one store share the tables. */
export type Fault = (tables: Tables) => Storage;

/** Faults, by what such a storage does. */
export type Faults = Readonly<Record<string, Fault>>;

type Part = "boards" | "subscriptions" | "apiKeys";
const PARTS: readonly Part[] = ["boards", "subscriptions", "apiKeys"];

/** A fault in the rules of one part: each call still takes effect at once. */
export function inRules<Name extends Part>(
  name: Name,
  change: (sound: Tables[Name], tables: Tables) => Partial<Tables[Name]>,
): Fault {
  return (tables) =>
    openTables({ ...tables, [name]: { ...tables[name], ...change(tables[name], tables) } });
}

/** A fault in the calls of one part, which may take their time. */
export function inCalls<Name extends Part>(
  name: Name,
  change: (sound: Storage[Name], tables: Tables) => Partial<Storage[Name]>,
): Fault {
  return (tables) => {
    const sound = openTables(tables);
    return { ...sound, [name]: { ...sound[name], ...change(sound[name], tables) } };
  };
}

/** A method of any part. */
export type Call = (...input: unknown[]) => Promise<unknown>;

/** A fault in all methods of all parts. `change` is told their names, such as `boards.get`. */
export function inAllCalls(change: (call: Call, name: string) => Call): Fault {
  return (tables) => changeCalls(openTables(tables), change);
}

/** Returns the storage with all methods of its parts changed. */
export function changeCalls(
  storage: Storage,
  change: (call: Call, name: string) => Call,
): Storage {
  const changed = PARTS.map((part) => [
    part,
    Object.fromEntries(
      Object.entries(storage[part]).map(([name, call]) => [name, change(call, `${part}.${name}`)]),
    ),
  ]);
  return { ...storage, ...Object.fromEntries(changed) };
}

/** Whether a method only reads, by its name with that of its part. */
export function isRead(name: string): boolean {
  return /\.(?:get|list|findByHash)$/.test(name);
}

/** Lets calls go on that were made before. */
export async function turn(): Promise<void> {
  for (let i = 0; i < 10; i++) await undefined;
}
