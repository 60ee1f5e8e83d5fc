import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage } from "../../mod.ts";
import { MAX_PENDING, PENDING, PROOF_MAILS } from "../../model/proof/pending.ts";
import { addMs } from "../../model/values/time.ts";
import { admitForm, type RequestedItem } from "../../services/proof/admission.ts";
import { put } from "../_contract/calls.ts";

const NOW = "2026-11-21T10:00:00.000Z";
const SIGN_UP = { type: "sign-up", userName: null } as const;
const VOTE = { type: "vote", boardId: "b", postId: "p", notify: false } as const;

/** Creates a storage, and the limiter that admits forms to it. */
function createForms(requests = 1_000) {
  const storage = openMemoryStorage();
  const rate = { requests, windowSeconds: 3_600 };
  return {
    storage,
    send: (userEmail: string, item: RequestedItem | undefined = SIGN_UP, at = NOW) =>
      admitForm(storage, { userEmail, item, boardId: null }, { rate, at }),
    count: async () => (await storage.list(PENDING, { limit: 1_000 })).length,
  };
}

describe("the limits of forms", () => {
  it("count one mail a day for a mailbox, whatever is asked and whatever plus tag it has", async () => {
    const { send, count } = createForms();
    assertEquals(await send("ann@example.com"), "mailed");
    assertEquals(await send("ann+1@example.com", VOTE), "withheld");
    assertEquals(await send("ann+2@example.com", undefined), "withheld");
    assertEquals(await send("ann@example.com", VOTE, addMs(NOW, 86_399_999)), "withheld");
    assertEquals(await count(), 2);
    assertEquals(await send("ann@example.com", VOTE, addMs(NOW, 86_400_000)), "mailed");
    assertEquals(await count(), 2);
  });

  it("keep nothing of what is beyond the rate of all mails", async () => {
    const { storage, send, count } = createForms(2);
    assertEquals(await send("a@example.com"), "mailed");
    assertEquals(await send("b@example.com"), "mailed");
    assertEquals(await send("c@example.com"), "dropped");
    assertEquals([await count(), (await storage.list(PROOF_MAILS, { limit: 9 })).length], [2, 2]);
    // People who already have a mail may send further forms.
    assertEquals(await send("a@example.com", VOTE), "withheld");
    assertEquals(await send("c@example.com", VOTE, addMs(NOW, 3_600_000)), "mailed");
  });

  it("let the oldest of 10,000 requests go", async () => {
    const { storage, send } = createForms();
    for (let number = 0; number < MAX_PENDING; number++) {
      const createdAt = addMs(NOW, number - MAX_PENDING);
      const pendingId = `other!${`${number}`.padStart(5, "0")}`;
      const expiresAt = addMs(createdAt, 7 * 86_400_000);
      await put(storage, PENDING, { pendingId, content: "x", createdAt, expiresAt });
    }
    assertEquals(await send("ann@example.com"), "mailed");
    assertEquals(await storage.count!(PENDING, "byExpiry"), MAX_PENDING);
    assertEquals(await storage.get(PENDING, "other!00000"), undefined);
    assertEquals((await storage.get(PENDING, "other!00001"))?.content, "x");
  });
});
