import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { ClosedOutput } from "../commands/_io.ts";
import { StorageError } from "../adapters/storage.ts";
import { hashKeyText, isLiveKey } from "../model/api_key.ts";
import { type CommandLine, createCommandLine } from "./_cli.ts";
import { sampleKey } from "./_contract/samples.ts";

function now(): string {
  return new Date().toISOString();
}

async function createKey(command: CommandLine, ...flags: string[]) {
  const { out } = await command.run("keys", "create", "--name", "Web app", ...flags);
  const key = await command.storage.apiKeys.findByHash(await hashKeyText(out.trimEnd()));
  return key!;
}

describe("keys create", () => {
  it("prints the key alone on standard output", async () => {
    const { status, out, err } = await createCommandLine().run("keys", "create", "--name", "x");
    assertEquals(status, 0);
    assertMatch(out, /^bc_[0-9A-Za-z]{36}\n$/);
    assert(!err.includes(out.trim()));
  });

  it("grants the two documented operations unless told otherwise", async () => {
    const { scopes, expiresAt } = await createKey(createCommandLine());
    assertEquals([scopes, expiresAt], [["boards:read", "subscriptions:write"], null]);
  });

  it("grants each scope that is named", async () => {
    const { scopes } = await createKey(
      createCommandLine(),
      ...["--scope", "keys:write", "--scope", "boards:read"],
    );
    assertEquals(scopes, ["boards:read", "keys:write"]);
  });

  it("lets the key live as long as --expires says", async () => {
    const { createdAt, expiresAt } = await createKey(createCommandLine(), "--expires", "90d");
    assertEquals(Date.parse(expiresAt ?? "") - Date.parse(createdAt), 90 * 86_400_000);
  });

  for (
    const [flags, message] of [
      [[], "--name is required"],
      [["--name", " "], "--name is empty"],
      [["--name", "x", "--scope", "all"], '--scope names the unknown scope "all"'],
      [["--name", "x", "--expires", "soon"], "--expires is not a duration"],
      [["--name", "x", "--expires", "0s"], "--expires must be longer than 0"],
      [["--name", "x", "--colour", "red"], "Unknown option '--colour' (try --help)\n"],
      [["--name", "x", "y"], 'keys create does not accept the argument "y"'],
    ] as const
  ) {
    it(`ends with 2 and one line when called with ${JSON.stringify(flags)}`, async () => {
      const { status, out, err } = await createCommandLine().run("keys", "create", ...flags);
      assertEquals([status, out, err.split("\n").length], [2, "", 2]);
      assertStringIncludes(err, `boardcast: ${message}`);
    });
  }

  it("fails, and says what to do, when the text of the key can't be written", async () => {
    for (const reason of [new ClosedOutput("gone"), new Error("gone")]) {
      const command = createCommandLine({
        out: () => {
          throw reason;
        },
      });
      const { status, err } = await command.run("keys", "create", "--name", "x");
      assertEquals(status, 1);
      assertMatch(err, /the text of the API key is lost; revoke \w{16} and create another: gone/);
    }
  });
});

describe("keys list", () => {
  it("shows neither texts nor hashes", async () => {
    const command = createCommandLine();
    const { hash } = await createKey(command);
    for (const flags of [[], ["--json"]]) {
      const { out } = await command.run("keys", "list", ...flags);
      assert(!out.includes(hash) && !/bc_\w{10}/.test(out), out);
    }
  });

  it("prints one JSON object a line with --json", async () => {
    const command = createCommandLine();
    const keys = [await createKey(command), await createKey(command, "--expires", "1d")];
    const { out } = await command.run("keys", "list", "--json");
    const listed = out.trimEnd().split("\n").map((line) => JSON.parse(line));
    assertEquals(listed.map(({ keyId }) => keyId), keys.map(({ keyId }) => keyId).sort());
  });

  it("tells live, ending, expired and revoked keys apart", async () => {
    const command = createCommandLine();
    const { apiKeys } = command.storage;
    await apiKeys.create(sampleKey("expired-one", { expiresAt: "2001-01-01T00:00:00.000Z" }));
    await createKey(command);
    const ending = await createKey(command, "--expires", "1d");
    const revoked = await createKey(command);
    await command.run("keys", "revoke", revoked.keyId);
    const { out } = await command.run("keys", "list");
    assertMatch(out, / live /);
    assertMatch(out, /^expired-one .* expired /m);
    assertMatch(out, new RegExp(`^${ending.keyId} .*until ${ending.expiresAt?.slice(0, 10)}`, "m"));
    assertMatch(out, new RegExp(`^${revoked.keyId} .*revoked`, "m"));
  });

  it("says on standard error that there are none", async () => {
    const { status, out, err } = await createCommandLine().run("keys", "list");
    assertEquals([status, out, err], [0, "", "There are no API keys.\n"]);
  });
});

describe("keys rotate", () => {
  it("prints the new key alone, and revokes the old one at once without --overlap", async () => {
    const command = createCommandLine();
    const { keyId } = await createKey(command);
    const { out } = await command.run("keys", "rotate", keyId);
    const successor = await command.storage.apiKeys.findByHash(await hashKeyText(out.trimEnd()));
    assertEquals(successor?.name, "Web app");
    const old = await command.storage.apiKeys.get(keyId);
    assert(old?.revokedAt);
  });

  it("accepts the old key for as long as --overlap says", async () => {
    const command = createCommandLine();
    const { keyId } = await createKey(command);
    await command.run("keys", "rotate", keyId, "--overlap", "24h");
    const old = await command.storage.apiKeys.get(keyId);
    assert(isLiveKey(old!, now()));
    assert(Math.abs(Date.parse(old?.expiresAt ?? "") - Date.now() - 86_400_000) < 60_000);
  });

  it("says until when the old key is accepted, which its own end may come before", async () => {
    const command = createCommandLine();
    const { keyId, expiresAt } = await createKey(command, "--expires", "1h");
    const late = await command.run("keys", "rotate", keyId, "--overlap", "24h");
    assertStringIncludes(late.err, `The old key is accepted until ${expiresAt}. `);
    const soon = await command.run("keys", "rotate", keyId, "--overlap", "1m");
    const end = (await command.storage.apiKeys.get(keyId))?.expiresAt;
    assertStringIncludes(soon.err, `The old key is accepted until ${end}. `);
    const none = await command.run("keys", "rotate", keyId);
    assertStringIncludes(none.err, "The old key is revoked. ");
  });

  it("fails on a key that is unknown or revoked", async () => {
    const command = createCommandLine();
    const { keyId } = await createKey(command);
    await command.run("keys", "revoke", keyId);
    assertEquals(await command.run("keys", "rotate", "nobody"), {
      status: 1,
      out: "",
      err: 'boardcast: there is no API key "nobody"\n',
    });
    const { status, err } = await command.run("keys", "rotate", keyId);
    assertEquals(status, 1);
    assertStringIncludes(err, "was revoked or has expired");
  });

  it("ends with 2 when the overlap is no duration", async () => {
    const { status, err } = await createCommandLine().run("keys", "rotate", "x", "--overlap", "1");
    assertEquals(status, 2);
    assertStringIncludes(err, "--overlap is not a duration");
  });
});

describe("keys revoke", () => {
  it("revokes the key", async () => {
    const command = createCommandLine();
    const { keyId } = await createKey(command);
    assertEquals((await command.run("keys", "revoke", keyId)).status, 0);
    assert(!isLiveKey((await command.storage.apiKeys.get(keyId))!, now()));
  });

  it("fails on an unknown key", async () => {
    const { status, err } = await createCommandLine().run("keys", "revoke", "nobody");
    assertEquals([status, err], [1, 'boardcast: there is no API key "nobody"\n']);
  });

  for (const verb of ["revoke", "rotate"]) {
    for (const text of ["bc_7f3K", "bc_qEbksRBa0okWuewhnuXTles8tKIi5T4PovHi"]) {
      it(`ends with 2, and does not show it, when ${verb} gets ${text} for the ID`, async () => {
        const openStorage = () => Promise.reject(new StorageError("locked", "It is in use"));
        const { status, err } = await createCommandLine({ openStorage }).run("keys", verb, text);
        assertEquals(status, 2);
        assertMatch(err, /^boardcast: ID is not the text of the key, nor its start: [^\n]+\n$/);
        assert(!err.includes(text));
      });
    }
  }

  it("takes an ID that starts like the text of a key", async () => {
    const command = createCommandLine();
    await command.storage.apiKeys.create(sampleKey("bcd"));
    assertEquals((await command.run("keys", "revoke", "bcd")).status, 0);
  });

  it("ends with 2 when the ID is missing", async () => {
    const { status, err } = await createCommandLine().run("keys", "revoke");
    assertEquals([status, err], [2, "boardcast: keys revoke needs ID\n"]);
  });
});
