import { deliveryPath } from "../_support/deliveries.ts";
import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage, type Storage } from "../../mod.ts";
import { createKey, findKey, recordKeyUse } from "../../services/keys/api_keys.ts";
import { API_KEYS } from "../../model/kinds.ts";
import { keyIdOf } from "../../model/crypto/key_secret.ts";
import { put } from "../_contract/calls.ts";
import { forEachRow } from "../_support/rows.ts";
import { sampleKey } from "../_support/samples.ts";
import { createService } from "../_support/service.ts";

const AT = "2026-11-21T10:00:00.000Z";
const ANN = "ann@example.com";
const REQUEST = { name: "Key", scopes: ["*"], expiresAt: null } as const;

/** Opens storage in memory that calls each `decide` twice, like a store after a conflict. */
function openRetrying(): Storage {
  const storage = openMemoryStorage();
  return {
    ...storage,
    transact: (refs, decide) =>
      storage.transact(refs, (found) => {
        const before = structuredClone(found);
        const decision = decide(found);
        assertEquals(decide(found), decision, "a decision depends on what it is given alone");
        assertEquals(found, before, "a decision changes nothing of what it is given");
        return decision;
      }),
  };
}

describe("every decision", () => {
  it("may be made again, as storage does where another change came first", async () => {
    const storage = openRetrying();
    const { send } = createService({ storage, publicUrl: "https://example.com" });
    const { key } = await createKey(storage, REQUEST, AT);
    const entry = "changelogs/entries/a";
    const subscribe = { userEmail: ANN, subscribe: true };
    await forEachRow<readonly [method: string, path: string, json?: Record<string, unknown>]>([
      ["POST", "webhooks", { url: "https://hooks.example.com/" }],
      ["POST", "boards", { boardId: "ideas", name: "Ideas" }],
      ["PATCH", "boards/ideas", { name: "Wishes" }],
      ["DELETE", "boards/ideas"],
      ["PUT", "changelogs/subscribe", subscribe],
      ["PUT", "changelogs/subscribe", { ...subscribe, userName: "Ann" }],
      ["DELETE", `changelogs/subscribers/${ANN}`],
      ["POST", "changelogs/entries", { entryId: "a", title: "A", body: "" }],
      ["POST", `${entry}/publish`, { notify: true }],
      ["PATCH", entry, { title: "B" }],
      ...["pause", "resume", "cancel"].map((one) =>
        ["POST", `${deliveryPath("a").slice("/api/v1/".length)}/${one}`] as const
      ),
      ["POST", `${entry}/unpublish`],
      ["DELETE", entry],
      ["POST", `keys/${key.keyId}/rotate`, { overlap: "24h" }],
      ["DELETE", `keys/${key.keyId}`],
    ], async ([method, path, json]) => {
      const response = await send(method, `/api/v1/${path}`, { json });
      assertEquals(response.ok, true, await response.text());
    });
  });
});

describe("a key", () => {
  it("is no other one whose hash begins alike", async () => {
    const storage = openMemoryStorage();
    const [hash, other] = ["0", "1"].map((end) => "a".repeat(63) + end);
    assertEquals(keyIdOf(hash), keyIdOf(other));
    await put(storage, API_KEYS, sampleKey(keyIdOf(hash), { hash }));
    assertEquals((await findKey(storage, hash))?.hash, hash);
    assertEquals(await findKey(storage, other), undefined);
  });

  it("was last used in the newest minute, whichever process tells of it last", async () => {
    const storage = openMemoryStorage();
    const { key: { keyId } } = await createKey(storage, REQUEST, AT);
    const later = "2026-11-21T10:05:00.000Z";
    for (const minute of [later, AT]) await recordKeyUse(storage, keyId, minute);
    assertEquals((await storage.get(API_KEYS, keyId))?.lastUsedAt, later);
  });
});
