import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { type FirstKeyOutput, showFirstKey } from "../../commands/serve/first_key.ts";
import { openMemoryStorage, type Storage } from "../../mod.ts";
import { createKey, listKeys } from "../../services/keys/api_keys.ts";
import { addMember, memberOf } from "../../services/team/members.ts";

const ANN = { userEmail: "ann@example.com", userName: "Ann" };
const AT = "2020-01-01T00:00:00.000Z";

/** Starts a server on storage up to the creation of its first key. */
async function start(
  storage: Storage,
  { out, studioUrl }: Partial<Pick<FirstKeyOutput, "out" | "studioUrl">> = {},
) {
  let written = "";
  const warnings: string[] = [];
  await showFirstKey(storage, {
    out: out ?? ((text) => written += text),
    warn: (message) => warnings.push(message),
    baseUrl: "http://127.0.0.1:8000/feedback",
    studioUrl,
  });
  return { written, warnings };
}

describe("the first key", () => {
  it("is made by one of several servers that start at the same time on storage without keys", async () => {
    const storage = openMemoryStorage();
    const starts = await Promise.all([start(storage), start(storage), start(storage)]);
    assertEquals(starts.filter(({ written }) => written !== "").length, 1);
    assertEquals((await listKeys(storage, { limit: 10 })).length, 1);
  });

  it("is not made beside another key; a warning says where none is accepted", async () => {
    for (const [expiresAt, count] of [[null, 0], ["2020-01-02T00:00:00.000Z", 1]] as const) {
      const storage = openMemoryStorage();
      const request = { name: "Key", scopes: ["boards:read"], expiresAt } as const;
      await createKey(storage, request, AT);
      const { written, warnings } = await start(storage);
      assertEquals([written, warnings.length], ["", count]);
      assert(warnings.every((text) => text.includes("create one with boardcast keys")));
    }
  });

  it("comes with a link that makes the first admin, where the studio has no member", async () => {
    const studioUrl = "https://example.com/studio";
    const [storage, peopled] = [openMemoryStorage(), openMemoryStorage()];
    await addMember(peopled, memberOf({ ...ANN, role: "admin" }, AT));
    const [first, later, other] = [
      await start(storage, { studioUrl }),
      await start(storage, { studioUrl }),
      await start(peopled, { studioUrl }),
    ];
    assertMatch(first.written, /^ {2}https:\/\/example\.com\/studio\/in\/FIRST-\w{32}$/m);
    assertEquals([later.written, other.written.includes("/in/")], ["", false]);
  });

  it("is revoked, and the start fails, where it can't be shown", async () => {
    const storage = openMemoryStorage();
    const fail = () => assert(false);
    await assertRejects(
      () => start(storage, { out: fail }),
      Error,
      "cannot show the first API key",
    );
    const [key] = await listKeys(storage, { limit: 1 });
    assertEquals(typeof key.revokedAt, "string");
  });
});
