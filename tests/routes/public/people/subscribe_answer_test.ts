import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage, type Storage } from "../../../../mod.ts";
import { createService, readJson } from "../../../_support/service.ts";

const ANN = "ann@example.com";
// The check of the version, which is made once a second at any request.
const VERSION_CHECK = "get settings version";

/** Storage that records the calls that begin while a test listens. */
function createListener(): { readonly storage: Storage; readonly calls: string[] } {
  const storage = openMemoryStorage();
  const calls: string[] = [];
  return {
    calls,
    storage: {
      ...storage,
      get(kind, key) {
        calls.push(`get ${kind.name} ${key}`);
        return storage.get(kind, key);
      },
      list(kind, query) {
        calls.push(`list ${kind.name} ${JSON.stringify(query)}`);
        return storage.list(kind, query);
      },
      transact(refs, decide) {
        calls.push(`transact ${Object.keys(refs)}`);
        return storage.transact(refs, decide);
      },
    },
  };
}

describe("the answer to a sign-up", () => {
  it("takes the same steps, and waits for no mail, whatever is known of the address", async () => {
    const { storage, calls } = createListener();
    const asked: string[] = [];
    const pages = new Set<string>();
    const service = createService({
      storage,
      publicUrl: "https://updates.example",
      signUp: true,
      worker: { wake() {}, askForProof: ({ userEmail }) => void asked.push(userEmail) },
    });
    async function stepsOf(form: Readonly<Record<string, string>>): Promise<readonly string[]> {
      calls.length = 0;
      const response = await service.send("POST", "/subscribe", { key: null, form });
      assertEquals([response.status, calls.some((call) => call.includes(ANN))], [200, false]);
      pages.add(await response.text());
      return calls.filter((call) => call !== VERSION_CHECK);
    }
    // The first requests of a process read whether a migration is under way, and the settings.
    await service.send("GET", "/subscribe");
    const unknown = await stepsOf({ userEmail: ANN });
    for (const subscribe of ["true", "false"]) {
      const form = { userEmail: ANN, subscribe };
      await readJson(await service.send("PUT", "changelogs/subscribe", { form }));
      assertEquals(await stepsOf({ userEmail: ANN }), unknown);
    }
    await service.send("DELETE", `changelogs/subscribers/${ANN}`);
    assertEquals(await stepsOf({ userEmail: ANN }), unknown);
    assertEquals([asked, pages.size], [[ANN, ANN, ANN, ANN], 1]);
  });
});
