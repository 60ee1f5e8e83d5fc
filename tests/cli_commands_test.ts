import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { ClosedOutput } from "../commands/_io.ts";
import type { OpeningOptions } from "../commands/_storage.ts";
import { openMemoryStorage, type Storage, StorageError } from "../mod.ts";
import { DEFAULT_SCOPES } from "../model/api_key.ts";
import { createKey } from "../services/api_keys.ts";
import { type CommandLine, createCommandLine } from "./_cli.ts";
import type { CommandResult } from "./_process.ts";

const SECRET = /^bc_\w{36}\n$/;

/** Runs a command that must succeed, written as one line. */
async function done({ run }: CommandLine, line: string, ...rest: string[]): Promise<CommandResult> {
  const result = await run(...line.split(" "), ...rest);
  assertEquals(result.status, 0, result.err);
  return result;
}

async function json<T = Record<string, unknown>>(command: CommandLine, line: string): Promise<T[]> {
  const { out } = await done(command, `${line} --json`);
  return out.split("\n").filter((text) => text !== "").map((text) => JSON.parse(text));
}

describe("boards", () => {
  it("are created, shown, listed, changed and deleted", async () => {
    const command = createCommandLine();
    const created = await done(
      command,
      "boards create ideas --url https://a.b/ --name",
      "My ideas",
    );
    assertEquals([created.out, created.err], ["", "Created the board ideas.\n"]);
    const shown = await done(command, "boards get ideas");
    assertMatch(shown.out, /^boardId {6}ideas\nname {9}My ideas\ndescription {2}-\nurl {10}https/);
    await done(command, "boards create b --name B");
    const { out } = await done(command, "boards list");
    assertMatch(out, /^ID {5}NAME {6}URL {11}UPDATED\nb {6}B .*\nideas {2}My ideas {2}https:/);
    await done(command, "boards update ideas --url= --description", "First\nsecond");
    const [board] = await json(command, "boards get ideas");
    assertEquals([board.name, board.url, board.description], ["My ideas", null, "First\nsecond"]);
    assertStringIncludes((await done(command, "boards get ideas")).out, "\n             second\n");
    assertEquals((await done(command, "boards delete ideas")).err, "Deleted the board ideas.\n");
    assertEquals((await json(command, "boards list")).map(({ boardId }) => boardId), ["b"]);
  });

  it("are listed without an end, page by page", async () => {
    const command = createCommandLine();
    for (let n = 100; n < 350; n++) await done(command, `boards create b${n} --name B`);
    const lines = (await done(command, "boards list")).out.trimEnd().split("\n");
    assertEquals([lines.length, lines[250].slice(0, 4)], [251, "b349"]);
  });
});

describe("keys", () => {
  it("are created with what was asked for, and shown once on standard output", async () => {
    const command = createCommandLine();
    const { out, err } = await done(
      command,
      "keys create --name CI --scope boards:read --scope keys:write --expires 90d",
    );
    assertMatch(out, SECRET);
    assertMatch(
      err,
      /^Created the API key \w{16} \(boards:read keys:write\), which expires at 2.*\n$/,
    );
    const [key] = await json(command, "keys list");
    assertEquals([key.name, key.scopes, "key" in key], [
      "CI",
      ["boards:read", "keys:write"],
      false,
    ]);
    const [created] = await json(command, "keys create --name Other");
    assertMatch(`${created.key}\n`, SECRET);
  });

  it("are listed newest first, with state and age, and never their secrets", async () => {
    const command = createCommandLine();
    for (const [minute, name] of ["one", "two", "three"].entries()) {
      const request = { name, scopes: DEFAULT_SCOPES, expiresAt: null };
      await createKey(command.storage, request, `2026-11-21T10:0${minute}:00.000Z`);
    }
    const [{ keyId }] = await json(command, "keys list");
    await done(command, `keys revoke ${keyId}`);
    const { out } = await done(command, "keys list");
    assertMatch(
      out,
      /^ID {16}NAME {3}KEY {7}SCOPES {27}STATE {4}CREATED {5}LAST USED\n\w+ {2}three .*revoked.*\n.*two.*live {5}2.*-\n.*one/,
    );
  });

  it("are rotated once, with an overlap or without", async () => {
    const command = createCommandLine();
    await done(command, "keys create --name CI");
    const [{ keyId }] = await json(command, "keys list");
    const { out, err } = await done(command, `keys rotate ${keyId} --overlap 24h`);
    assertMatch(out, SECRET);
    assertMatch(err, /^The old key is accepted for 24h at most\. Created the API key \w{16} /);
    const again = await command.run("keys", "rotate", `${keyId}`);
    assertEquals([again.status, again.err], [
      1,
      "boardcast: The API key has a successor already; rotate that one\n",
    ]);
  });

  for (const command of ["rotate", "revoke"]) {
    it(`are not sent anywhere when their secret stands for their ID in keys ${command}`, async () => {
      const { run } = createCommandLine();
      const { status, err } = await run("keys", command, "bc_SECRET");
      assertEquals([status, err.includes("SECRET")], [2, false]);
      assertStringIncludes(err, "keys list shows both");
    });
  }

  it("say so when their secret could not be shown", async () => {
    const out = () => {
      throw new ClosedOutput("nobody reads");
    };
    const { status, err } = await createCommandLine({ out }).run("keys", "create", "--name", "A");
    assertEquals(status, 1);
    assertMatch(
      err,
      /^Created the API key \w{16} .*\nboardcast: the secret is lost: nobody reads\n$/,
    );
  });
});

describe("subscribers", () => {
  it("are subscribed, unsubscribed, shown, listed and erased", async () => {
    const command = createCommandLine();
    const first = await done(command, "subscribers subscribe Ann@x.org --name Ann");
    assertEquals(first.err, "Subscribed ann@x.org.\n");
    const again = await done(command, "subscribers subscribe ann@x.org");
    assertEquals(again.err, "ann@x.org was subscribed already.\n");
    const out = await done(command, "subscribers unsubscribe bob@x.org");
    assertEquals(out.err, "Unsubscribed bob@x.org.\n");
    const [ann] = await json(command, "subscribers get ann@x.org");
    assertEquals([ann.userName, ann.subscribed, ann.source], ["Ann", true, "api"]);
    const { out: table } = await done(command, "subscribers list");
    assertMatch(table, /^EMAIL .*\nann@x\.org {2}Ann {3}true .*\nbob@x\.org {2}- {5}false .*\n$/);
    const left = await json(command, "subscribers list --subscribed false");
    assertEquals(left.map(({ userEmail }) => userEmail), ["bob@x.org"]);
    assertEquals((await done(command, "subscribers erase ann@x.org")).err, "Erased ann@x.org.\n");
    assertEquals((await command.run("subscribers", "get", "ann@x.org")).status, 1);
  });

  for (
    const [answer, status, isErased] of [["y", 0, true], ["YES", 0, true], ["", 1, false], [
      "no",
      1,
      false,
    ]] as const
  ) {
    it(`are ${isErased ? "" : "not "}erased when the answer on a terminal is "${answer}"`, async () => {
      const questions: string[] = [];
      const command = createCommandLine({ ask: (question) => (questions.push(question), answer) });
      await done(command, "subscribers subscribe ann@x.org");
      const result = await command.run("subscribers", "erase", "ann@x.org");
      assertEquals(result.status, status, result.err);
      assertMatch(questions.join(""), /^Erase all about ann@x\.org, .*\[y\/N\] $/);
      const left = await command.run("subscribers", "get", "ann@x.org");
      assertEquals(left.status, isErased ? 1 : 0);
    });
  }

  it("are erased without a question when --yes is given", async () => {
    const ask = () => {
      throw new Error("asked");
    };
    const command = createCommandLine({ ask });
    await done(command, "subscribers subscribe ann@x.org");
    await done(command, "subscribers erase ann@x.org --yes");
  });
});

describe("a listing", () => {
  for (const [noun, name] of [["boards", "boards"], ["keys", "API keys"], ["subscribers"]]) {
    it(`of ${noun} says so when there are none`, async () => {
      const { status, out, err } = await createCommandLine().run(noun, "list");
      assertEquals([status, out, err], [0, "", `There are no ${name ?? noun}.\n`]);
    });
  }

  it("ends quietly when its reader goes away", async () => {
    const storage = openMemoryStorage();
    await done(createCommandLine({ storage }), "boards create a --name A");
    const out = () => {
      throw new ClosedOutput("nobody reads");
    };
    assertEquals(await createCommandLine({ storage, out }).run("boards", "list"), {
      status: 0,
      out: "",
      err: "",
    });
  });
});

describe("what the API refuses", () => {
  const refusals: readonly (readonly [line: string, status: number, message: string])[] = [
    ["boards get none", 1, "There is no board with this boardId"],
    ["boards update none --name A", 1, "There is no board with this boardId"],
    ["boards delete none", 1, "There is no board with this boardId"],
    ["boards create b --name A", 1, "There already is a board with the boardId b"],
    ["keys revoke none", 1, "There is no API key with this keyId"],
    ["subscribers get none@x.org", 1, "There is no subscriber with this address"],
    ["subscribers erase none@x.org", 1, "There is no subscriber with this address"],
    ["boards create b/ --name=", 2, "ID must start with a letter or digit and contain only"],
    ["boards create c --name=", 2, "--name is required"],
    ["boards update b --url x", 2, "--url is not an absolute http or https URL"],
    ["keys create --name A --scope boards:red", 2, '--scope names the unknown scope "boards:red"'],
    ["keys create --name A --expires soon", 2, "--expires is not a duration: write a whole number"],
    ["keys create --name A --expires 0s", 2, "--expires must be longer than 0"],
    ["keys rotate none --overlap x", 2, "--overlap is not a duration"],
    ["subscribers subscribe ann", 2, "EMAIL is not a valid e-mail address: it has no @"],
    ["subscribers list --subscribed maybe", 2, "--subscribed must be true or false"],
  ];
  for (const [line, status, message] of refusals) {
    it(`is told in one line, with status ${status}, when the command is ${line}`, async () => {
      const command = createCommandLine();
      await done(command, "boards create b --name B");
      const result = await command.run(...line.split(" "));
      assertEquals([result.status, result.out, result.err.split("\n").length], [status, "", 2]);
      assertStringIncludes(result.err, `boardcast: ${message}`);
    });
  }

  it("is told with every flag that is wrong", async () => {
    const args = ["boards", "create", "/", "--name", "\u202e", "--url", "x"];
    const { status, err } = await createCommandLine().run(...args);
    assertEquals(status, 2);
    assertMatch(err, /^boardcast: ID must .*; --name has .*; --url is .*\n$/);
  });
});

describe("storage that fails", () => {
  const broken = (): Storage => ({
    ...openMemoryStorage(),
    transact: () => Promise.reject(new StorageError("unavailable", "The disk\n is full")),
  });

  it("is told as it is, in one line, with status 1", async () => {
    const command = createCommandLine({ storage: broken() });
    const { status, err } = await command.run("boards", "create", "a", "--name", "A");
    assertEquals([status, err], [1, "boardcast: The disk is full\n"]);
  });

  it("is closed all the same", async () => {
    let closed = 0;
    const close = () => Promise.resolve(void closed++);
    const openStorage = () => Promise.resolve({ ...broken(), close });
    await createCommandLine({ openStorage }).run("boards", "create", "a", "--name", "A");
    assertEquals(closed, 1);
  });

  it("is opened so that reading makes and migrates nothing", async () => {
    const seen: unknown[] = [];
    const openStorage = (_url: string, { mustExist, mayMigrate }: OpeningOptions) => {
      seen.push([mustExist, mayMigrate]);
      return Promise.resolve(openMemoryStorage());
    };
    const { run } = createCommandLine({ openStorage });
    await run("boards", "list");
    await run("boards", "delete", "a");
    await run("subscribers", "unsubscribe", "a@x.org");
    await run("subscribers", "unsubscribe", "a@x.org", "--no-migrate");
    assertEquals(seen, [[true, false], [true, true], [false, true], [false, false]]);
  });

  it("is not that in memory, which would vanish", async () => {
    const { status, err } = await createCommandLine().run("boards", "list", "--storage", "memory");
    assertEquals(status, 2);
    assert(err.includes("does not outlive the command; give file:DIR or postgres://…"), err);
  });
});
