import type { Storage } from "../adapters/storage.ts";

type MethodName = {
  [Part in keyof Storage]: `${Part}.${keyof Storage[Part] & string}`;
}[keyof Storage];

/**
 * The methods that change something, such as `boards.create`: in a record of them, a new method is an
 * error of types until it is there, or left out here as one that only reads.
 */
export type ChangeName = Exclude<
  MethodName,
  `${string}.get` | `${string}.list` | "apiKeys.findByHash"
>;
