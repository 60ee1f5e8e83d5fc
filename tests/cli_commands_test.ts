import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { ClosedOutput } from "../commands/_io.ts";
import type { OpeningOptions } from "../commands/_storage.ts";
import { openMemoryStorage, type Storage, StorageError } from "../mod.ts";
import { DEFAULT_SCOPES } from "../model/api_key.ts";
import { createKey } from "../services/api_keys.ts";
import { assertFailed, type CommandLine, createCommandLine, withFile } from "./_cli.ts";
import { forEachRow } from "./_rows.ts";

const SECRET = /^bc_\w{36}\n$/;
const TIME = "2999-01-31T09:00:00.000Z";

function failToWrite(): never {
  throw new ClosedOutput("nobody reads");
}

describe("boards", () => {
  it("are created, shown, listed, changed and deleted", async () => {
    const { succeed, json } = createCommandLine();
    const created = await succeed("boards create ideas --url https://a.b/ --name", "My ideas");
    assertEquals([created.out, created.err], ["", "Created the board ideas.\n"]);
    const shown = await succeed("boards get ideas");
    assertMatch(shown.out, /^boardId {6}ideas\nname {9}My ideas\ndescription {2}-\nurl {10}https/);
    await succeed("boards create b --name B");
    const { out } = await succeed("boards list");
    assertMatch(out, /^ID {5}NAME {6}URL {11}UPDATED\nb {6}B .*\nideas {2}My ideas {2}https:/);
    await succeed("boards update ideas --url= --description", "First\nsecond");
    const [board] = await json("boards get ideas");
    assertEquals([board.name, board.url, board.description], ["My ideas", null, "First\nsecond"]);
    assertStringIncludes((await succeed("boards get ideas")).out, "\n             second\n");
    assertEquals((await succeed("boards delete ideas")).err, "Deleted the board ideas.\n");
    assertEquals((await json("boards list")).map(({ boardId }) => boardId), ["b"]);
  });
});

describe("keys", () => {
  it("are created with what was asked for, and shown once, alone on standard output", async () => {
    const { succeed, json } = createCommandLine();
    const flags = "--scope boards:read --scope keys:write --expires 90d";
    const { out, err } = await succeed(`keys create --name CI ${flags}`);
    assertMatch(out, SECRET);
    assertMatch(
      err,
      /^Created the API key \w+ \(boards:read keys:write\), which expires at 2.*\n$/,
    );
    const [key] = await json("keys list");
    assertEquals([key.name, "key" in key], ["CI", false]);
    assertEquals(key.scopes, ["boards:read", "keys:write"]);
    const [created] = await json("keys create --name Other");
    assertMatch(`${created.key}\n`, SECRET);
  });

  it("are listed newest first, with their state", async () => {
    const { storage, succeed, json } = createCommandLine();
    for (const [minute, name] of ["one", "two", "three"].entries()) {
      const request = { name, scopes: DEFAULT_SCOPES, expiresAt: null };
      await createKey(storage, request, `2026-11-21T10:0${minute}:00.000Z`);
    }
    const [{ keyId }] = await json("keys list");
    await succeed(`keys revoke ${keyId}`);
    const { out } = await succeed("keys list");
    assertMatch(
      out,
      /^ID {16}NAME {3}KEY {7}SCOPES {27}STATE {4}CREATED {5}LAST USED\n\w+ {2}three .*revoked.*\n.*two.*live {5}2.*-\n.*one/,
    );
  });

  it("are rotated once, with an overlap", async () => {
    const { run, succeed, json } = createCommandLine();
    await succeed("keys create --name CI");
    const [{ keyId }] = await json("keys list");
    const { out, err } = await succeed(`keys rotate ${keyId} --overlap 24h`);
    assertMatch(out, SECRET);
    assertMatch(err, /^The old key is accepted for 24h at most\. Created the API key \w{16} /);
    const again = await run("keys", "rotate", `${keyId}`);
    assertFailed(again, 1, "The API key has a successor already; rotate that one");
  });

  it("say so when their secret could not be shown", async () => {
    const { run } = createCommandLine({ out: failToWrite });
    const { status, err } = await run("keys", "create", "--name", "A");
    assertEquals(status, 1);
    assertMatch(err, /^Created the API key .*\nboardcast: the secret is lost: nobody reads\n$/);
  });
});

describe("subscribers", () => {
  it("are subscribed, unsubscribed, shown, listed and erased", async () => {
    const { run, succeed, json } = createCommandLine();
    const steps = [
      ["subscribe Ann@x.org --name Ann", "Subscribed ann@x.org.\n"],
      ["subscribe ann@x.org", "ann@x.org was subscribed already.\n"],
      ["unsubscribe bob@x.org", "Unsubscribed bob@x.org.\n"],
    ];
    for (const [line, told] of steps) {
      assertEquals((await succeed(`subscribers ${line}`)).err, told);
    }
    const [ann] = await json("subscribers get ann@x.org");
    assertEquals([ann.userName, ann.subscribed, ann.source], ["Ann", true, "api"]);
    const { out: table } = await succeed("subscribers list");
    assertMatch(table, /^EMAIL .*\nann@x\.org {2}Ann {3}true .*\nbob@x\.org {2}- {5}false .*\n$/);
    const left = await json("subscribers list --subscribed false");
    assertEquals(left.map(({ userEmail }) => userEmail), ["bob@x.org"]);
    assertEquals((await succeed("subscribers erase ann@x.org")).err, "Erased ann@x.org.\n");
    assertEquals((await run("subscribers", "get", "ann@x.org")).status, 1);
  });

  it("are erased on a terminal when the answer is yes, and unasked with --yes", async () => {
    const erase = ["subscribers", "erase", "ann@x.org"];
    const rows = [["y", erase, 0], ["YES", erase, 0], ["", erase, 1], ["no", erase, 1], [
      undefined,
      [...erase, "--yes"],
      0,
    ]] as const;
    await forEachRow(rows, async ([answer, args, status]) => {
      const questions: string[] = [];
      const ask = (question: string) => (questions.push(question), answer ?? "");
      const { run, succeed } = createCommandLine({ ask });
      await succeed("subscribers subscribe ann@x.org");
      assertEquals((await run(...args)).status, status);
      assertEquals(questions.length, answer === undefined ? 0 : 1);
      for (const text of questions) assertMatch(text, /^Erase all about ann@x\.org, .*\[y\/N\] $/);
      assertEquals((await run("subscribers", "get", "ann@x.org")).status, 1 - status);
    });
  });
});

describe("entries", () => {
  it("are written from flags or from a file, and changed", async () => {
    const { succeed, json } = createCommandLine();
    await withFile("Press\n**D**.\n", async (path) => {
      const flags = `--labels new --url https://example.com/ --body-file ${path} --title`;
      const { out, err } = await succeed(`entries create dark-mode ${flags}`, "Dark mode");
      assertEquals([out, err], ["", "Created the draft dark-mode.\n"]);
    });
    const [{ title, body, labels, url }] = await json("entries get dark-mode");
    assertEquals([title, body], ["Dark mode", "Press\n**D**.\n"]);
    assertEquals([labels, url], [["new"], "https://example.com/"]);
    await succeed("entries update dark-mode --title Darker --labels= --url= --body x");
    const [shown] = await json("entries get dark-mode");
    assertEquals([shown.title, shown.labels, shown.url], ["Darker", [], null]);
  });

  it("go from draft to scheduled, published, draft and gone", async () => {
    const { succeed, json } = createCommandLine();
    await succeed("entries create dark-mode --title T --body x");
    const steps = [
      [`publish dark-mode --no-notify --at ${TIME}`, `becomes public at ${TIME}.`, "scheduled"],
      ["publish dark-mode --no-notify", "is public.", "published"],
      ["publish dark-mode --notify", "is public, as before: nothing was changed.", "published"],
      ["unpublish dark-mode", "is a draft again.", "draft"],
    ];
    for (const [line, told, state] of steps) {
      const { out, err } = await succeed(`entries ${line}`);
      assertEquals([out, err], ["", `The entry dark-mode ${told}\n`]);
      assertEquals((await json(`entries list --state ${state}`))[0].entryId, "dark-mode");
    }
    await succeed("entries delete dark-mode");
    assertEquals((await succeed("entries list")).err, "There are no entries.\n");
  });

  it("have a delivery that is shown, paused, resumed and cancelled", async () => {
    const { succeed, json } = createCommandLine();
    await succeed("entries create dark-mode --title T --body x");
    await succeed(`entries publish dark-mode --notify --at ${TIME}`);
    const states = { "": "waiting", "--pause": "paused", "--resume": "waiting" };
    for (const [flag, state] of Object.entries({ ...states, "--cancel": "cancelled" })) {
      const [delivery] = await json("entries delivery dark-mode", ...(flag ? [flag] : []));
      assertEquals(delivery.state, state);
    }
  });
});

describe("webhooks", () => {
  async function withWebhook(): Promise<CommandLine & { readonly id: unknown }> {
    const command = createCommandLine();
    const { out, err } = await command.succeed("webhooks create https://example.com/hooks");
    const [{ webhookId: id }] = await command.json("webhooks list");
    assertMatch(out, /^whsec_[\w+/]{43}=\n$/);
    assertStringIncludes(err, `Created the webhook ${id};`);
    return { ...command, id };
  }

  it("are created, changed, rotated and deleted", async () => {
    const { succeed, json, id } = await withWebhook();
    const types = ["entry.published", "entry.updated"];
    await succeed(`webhooks update ${id} --disable --type ${types.join(" --type ")}`);
    const [webhook] = await json(`webhooks get ${id}`);
    assertEquals([webhook.enabled, webhook.types], [false, types]);
    await succeed(`webhooks update ${id} --enable`);
    assertMatch((await succeed("webhooks list")).out, /entry\.updated +yes/);
    assertMatch((await succeed(`webhooks rotate ${id}`)).out, /^whsec_.*=\n$/);
    await succeed(`webhooks delete ${id}`);
    assertEquals((await succeed("webhooks list")).err, "There are no webhooks.\n");
  });

  it("are tested, and their messages listed and sent again", async () => {
    const { succeed, id } = await withWebhook();
    const { err } = await succeed(`webhooks test ${id}`);
    const [messageId] = /msg_\w+/.exec(err) ?? [""];
    const { out } = await succeed(`webhooks messages ${id}`);
    assertMatch(out, new RegExp(`${messageId} +test +waiting +0 `));
    await succeed(`webhooks retry ${id} ${messageId}`);
  });
});

describe("a listing", () => {
  it("goes on over all pages", async () => {
    const { succeed } = createCommandLine();
    for (let n = 100; n < 350; n++) await succeed(`boards create b${n} --name B`);
    const lines = (await succeed("boards list")).out.trimEnd().split("\n");
    assertEquals([lines.length, lines[250].slice(0, 4)], [251, "b349"]);
  });

  it("ends quietly when its reader goes away", async () => {
    const { storage, succeed } = createCommandLine();
    await succeed("boards create a --name A");
    const { err } = await createCommandLine({ storage, out: failToWrite }).succeed("boards list");
    assertEquals(err, "");
  });
});

describe("what the API refuses", () => {
  const rows: readonly (readonly [line: string, status: number, message: string])[] = [
    ["boards get none", 1, "There is no board with this boardId"],
    ["boards create b --name A", 1, "There already is a board with the boardId b"],
    ["boards create / --name \u202e --url x", 2, "ID must start with a letter or digit"],
    ["boards create / --name \u202e --url x", 2, "; --name has "],
    ["boards create c --name=", 2, "--name is required"],
    ["boards update b --url x", 2, "--url is not an absolute http or https URL"],
    ["keys create --name A --scope boards:red", 2, '--scope names the unknown scope "boards:red"'],
    ["keys create --name A --expires soon", 2, "--expires is not a duration: write a whole number"],
    ["keys revoke none", 1, "There is no API key with this keyId"],
    ["keys revoke bc_SECRET", 2, "keys list shows both"],
    ["keys rotate bc_SECRET", 2, "keys list shows both"],
    ["subscribers subscribe ann", 2, "EMAIL is not a valid e-mail address: it has no @"],
    ["subscribers list --subscribed maybe", 2, "--subscribed must be true or false"],
    ["entries create new --title T", 2, "--body is required"],
    ["entries create new --title T --body-file /none", 2, 'cannot read "/none"'],
    ["entries create e --title T --body x", 1, "already is an entry"],
    ["entries update e", 2, "needs one of --title"],
    ["entries publish e", 2, "--notify is required"],
    ["entries publish e --notify --no-notify", 2, "exclude each other"],
    ["entries publish e --notify --at 2020-01-01T00:00:00Z", 2, "--at is not in"],
    ["entries test e ann@example.com", 1, "sends no mail"],
    ["entries delivery e", 1, "is not being mailed"],
    ["entries delivery e --pause --cancel", 2, "exclude each other"],
    ["webhooks create http://example.com/", 2, "URL must start with https://"],
    ["webhooks create https://a.b/ --type entry.gone", 2, "--type names the unknown type"],
    ["webhooks update none --enable --disable", 2, "--enable and --disable exclude"],
  ];

  it("is told in one line that names the flag or argument, without secrets", async () => {
    const { run, succeed } = createCommandLine();
    await succeed("boards create b --name B");
    await succeed("entries create e --title T --body x");
    await forEachRow(rows, async ([line, status, message]) => {
      const result = await run(...line.split(" "));
      assertFailed(result, status, message);
      assertEquals(result.err.includes("SECRET"), false);
    });
  });
});

describe("storage", () => {
  it("is closed when it fails, and its error told in one line", async () => {
    let closed = 0;
    const storage: Storage = {
      ...openMemoryStorage(),
      transact: () => Promise.reject(new StorageError("unavailable", "The disk\n is full")),
      close: () => Promise.resolve(void closed++),
    };
    const { run } = createCommandLine({ openStorage: () => Promise.resolve(storage) });
    const { status, err } = await run("boards", "create", "a", "--name", "A");
    assertEquals([status, err, closed], [1, "boardcast: The disk is full\n", 1]);
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
});
