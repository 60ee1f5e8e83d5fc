import type { Storage } from "../../adapters/storage.ts";
import { PEOPLE } from "../../model/posts/records.ts";
import { mailboxOf } from "../../model/posts/vote.ts";
import { replaceRecord } from "../records.ts";

/** Ends all of a person's requests to be told about posts; the person may ask again. */
export async function endAsks(storage: Storage, userEmail: string): Promise<void> {
  const person = { kind: PEOPLE, key: mailboxOf(userEmail) };
  // Most people have never voted, and a transaction must not refer to a record that stays absent.
  if (await storage.get(person.kind, person.key) === undefined) return;
  await replaceRecord(storage, person, (current) => ({
    ...current,
    optOuts: current.optOuts + 1,
  }));
}
