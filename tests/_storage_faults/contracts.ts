/** Puts storages to the contract: of all, those that are the n-th of each m, by the arguments n and m. */
import { createTables } from "../../adapters/_tables.ts";
import { testStorage } from "../storage_contract.ts";
import { STORAGES } from "./mod.ts";

const [n, m] = Deno.args.map(Number);

// Storage that never tells of a change is waited for as long as it may take.
const now = performance.now.bind(performance);
performance.now = () => 20 * now();

for (const [name, open] of Object.entries(STORAGES).filter((_, i) => i % m === n)) {
  testStorage(name, () => {
    const tables = createTables();
    const another = () => Promise.resolve(open(tables));
    return { storage: open(tables), reopen: another, another };
  });
}
