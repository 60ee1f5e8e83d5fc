import { assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { ClosedOutput } from "../../commands/shell/io.ts";
import { API_KEYS } from "../../model/kinds.ts";
import { createKey } from "../../services/keys/api_keys.ts";
import { assertFailed, createCommandLine } from "../_support/cli.ts";
import { forEachRow } from "../_support/rows.ts";

const SECRET = /^bc_\w{36}\n$/;

function failToWrite(): never {
  throw new ClosedOutput("nobody reads");
}

describe("keys", () => {
  it("are created, listed, rotated and revoked, and their secret is printed once and alone", async () => {
    const { succeed, storage } = createCommandLine();
    const old = { name: "Old", scopes: ["*"], expiresAt: null } as const;
    await createKey(storage, old, "2020-01-01T00:00:00.000Z");
    const scopes = "--scope boards:read --scope keys:write";
    const created = await succeed(`keys create --name CI ${scopes} --expires 90d`);
    assertMatch(created.out, SECRET);
    const [, id] = /^Created the API key (\w+) \(boards:read keys:write\), which expires at 2/
      .exec(created.err)!;
    const json = (await succeed("keys list --json")).out;
    assertMatch(json, /^(?!.*"key":).*"CI".*\n(?!.*"key":).*"Old".*\n$/);
    assertMatch(
      (await succeed("keys list")).out,
      /^ID +NAME +KEY +SCOPES +CREATED +STATE +LAST USED\n.* until .*\n.* live /,
    );
    const rotated = await succeed(`keys rotate ${id} --overlap 24h`);
    assertMatch(rotated.out, SECRET);
    const [, next] = /^Created the API key (\w{16}); the old one is accepted for 24h at most/
      .exec(rotated.err)!;
    assertEquals((await succeed(`keys revoke ${next}`)).err, `Revoked the API key ${next}.\n`);
    assertMatch((await succeed("keys list")).out, / revoked /);
  });

  it("end with their rotation, once the new secret was printed", async () => {
    const { succeed, storage } = createCommandLine();
    const request = { name: "Old", scopes: ["*"], expiresAt: null } as const;
    const { key } = await createKey(storage, request, "2020-01-01T00:00:00.000Z");
    const { out, err } = await succeed(`keys rotate ${key.keyId}`);
    assertMatch(out, SECRET);
    assertMatch(err, /; the old one is revoked:\n$/);
    assertEquals((await storage.get(API_KEYS, key.keyId))?.revokedAt === null, false);
  });

  it("whose secret can't be written are revoked, and the one that was rotated stays as it was", async () => {
    const { run, storage } = createCommandLine({ out: failToWrite });
    const request = { name: "Old", scopes: ["*"], expiresAt: null } as const;
    const { key } = await createKey(storage, request, "2020-01-01T00:00:00.000Z");
    const rotate = `keys rotate ${key.keyId}`;
    for (const line of ["keys create --name A", rotate, `${rotate} --overlap 24h`]) {
      const { status, err } = await run(line);
      assertEquals(status, 1, line);
      assertMatch(err, /\nboardcast: the secret is lost and its key revoked: nobody reads\n$/);
    }
    const keys = await storage.list(API_KEYS, { limit: 10 });
    const live = keys.filter(({ revokedAt }) => revokedAt === null);
    assertEquals(live, [key]);
    assertEquals(await run("keys list"), { status: 0, out: "", err: "" });
  });

  it("that can't be made are refused in one line that names the flag, without secrets", async () => {
    const { run, storage } = createCommandLine();
    const request = { name: "Old", scopes: ["*"], expiresAt: null } as const;
    const { key } = await createKey(storage, request, "2020-01-01T00:00:00.000Z");
    await run(`keys rotate ${key.keyId} --overlap 1h`);
    await forEachRow([
      ["keys create --name A --expires soon", 2, "--expires is not a duration: write a whole"],
      ["keys create --name \u202e --scope x", 2, "--name has "],
      [`keys rotate ${key.keyId}`, 1, "The API key has a successor already; rotate that one"],
      [`keys rotate ${key.keyId} --overlap long`, 2, "--overlap is not a duration"],
      ["keys rotate bc_SECRET", 2, "keys list shows both"],
      ["keys revoke none", 1, "There is no API key with this keyId"],
    ], async ([line, status, message]) => {
      const result = await run(line);
      assertFailed(result, status, message);
      assertEquals(result.err.includes("SECRET"), false);
    });
  });
});
