import { openFileStorage } from "../adapters/file.ts";
import { testStorage } from "./storage_contract.ts";

testStorage("file", async () => {
  const directory = await Deno.makeTempDir({ prefix: "boardcast-" });
  return {
    storage: await openFileStorage(directory),
    reopen: () => openFileStorage(directory),
    dispose: () => Deno.remove(directory, { recursive: true }),
  };
}, {
  skip: { another: "is held by one process at a time" },
});
