import { openMemoryStorage } from "../../adapters/memory.ts";
import { testStorage } from "../storage_contract.ts";

testStorage("memory", () => ({ storage: openMemoryStorage() }), {
  skip: { reopen: "ends with its instance", another: "is not shared between instances" },
});
