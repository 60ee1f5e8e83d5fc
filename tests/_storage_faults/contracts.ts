/** Puts storages to the contract, most of which break it: what storage_contract_test.ts looks at. */
import { openMemoryStorage } from "../../adapters/memory.ts";
import { testStorage } from "../storage_contract.ts";
import { clearTimers, FAULTS } from "./faults.ts";
import { openInstance } from "./store.ts";

const SOUND = { "keeps all promises": { open: openInstance } };

for (const [name, { open }] of Object.entries({ ...SOUND, ...FAULTS })) {
  testStorage(name, () => {
    const store = openMemoryStorage();
    const another = () => open(store);
    return { storage: another(), reopen: another, another, dispose: clearTimers };
  }, { timeoutMs: 200 });
}

testStorage("can't be opened", () => Promise.reject(new Error("Refused")));
