import { assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { ClosedOutput } from "../../commands/shell/io.ts";
import { createKey } from "../../services/keys/api_keys.ts";
import { assertFailed, createCommandLine, withFile } from "../_support/cli.ts";
import { forEachRow } from "../_support/rows.ts";

const SECRET = /^bc_\w{36}\n$/;
const TIME = "2999-01-31T09:00:00.000Z";

/** Commands of one session, with what each writes to standard error, and to standard output. */
type Session = readonly (readonly [line: string, err: string | RegExp, out?: string | RegExp])[];

/** Runs a session; the groups of a pattern stand for words like `$id` in the lines behind it. */
async function play(session: Session, { succeed } = createCommandLine()): Promise<void> {
  const words: Record<string, string> = {};
  for (const [line, ...expected] of session) {
    const { err, out } = await succeed(line.replace(/\$(\w+)/g, (_, name) => words[name]));
    for (const [at, text] of [err, out].entries()) {
      const pattern = expected[at] ?? "";
      if (typeof pattern === "string") assertEquals(text, pattern, line);
      else assertMatch(text, pattern, line);
      if (typeof pattern !== "string") Object.assign(words, pattern.exec(text)?.groups);
    }
  }
}

function failToWrite(): never {
  throw new ClosedOutput("nobody reads");
}

describe("commands", () => {
  it("create, show, list, change and delete boards", () =>
    play([
      ["boards create ideas --name 'My ideas' --url https://a.b/", "Created the board ideas.\n"],
      ["boards create b --name B", "Created the board b.\n"],
      [
        "boards list",
        "",
        /^ID {5}NAME {6}URL {11}VISIBILITY {2}UPDATED\nb {6}B .*\nideas {2}My ideas {2}https:/,
      ],
      ["boards update ideas --url= --description 'First\nsecond'", "Updated the board ideas.\n"],
      [
        "boards get ideas --json",
        "",
        /"name":"My ideas","description":"First\\nsecond","url":null/,
      ],
      ["boards get ideas", "", /^boardId {6}ideas\nname {9}My ideas\ndescription.*\n {13}second\n/],
      ["boards delete ideas", "Deleted the board ideas.\n"],
      ["boards list --json", "", /^{"boardId":"b",.*}\n$/],
    ]));

  it("create, list, rotate and revoke keys, and print a secret once and alone", async () => {
    const command = createCommandLine();
    const old = { name: "Old", scopes: ["*"], expiresAt: null } as const;
    await createKey(command.storage, old, "2020-01-01T00:00:00.000Z");
    await play([
      [
        "keys create --name CI --scope boards:read --scope keys:write --expires 90d",
        /^Created the API key (?<id>\w+) \(boards:read keys:write\), which expires at 2.*\n$/,
        SECRET,
      ],
      ["keys list --json", "", /^(?!.*"key":).*"CI".*\n(?!.*"key":).*"Old".*\n$/],
      ["keys list", "", /^ID +NAME +KEY +SCOPES +CREATED +STATE +LAST USED\n.* until .*\n.* live /],
      [
        "keys rotate $id --overlap 24h",
        /^The old key is accepted for 24h at most\. Created the API key (?<next>\w{16}) /,
        SECRET,
      ],
      ["keys revoke $next", /^Revoked/],
      ["keys list", "", / revoked /],
    ], command);
  });

  it("subscribe, unsubscribe, show, list and erase subscribers", () =>
    play([
      ["subscribers subscribe Ann@x.org --name Ann", "Subscribed ann@x.org.\n"],
      ["subscribers subscribe ann@x.org", "ann@x.org was subscribed already.\n"],
      ["subscribers unsubscribe bob@x.org", "Unsubscribed bob@x.org.\n"],
      ["subscribers get ann@x.org --json", "", /"userName":"Ann","subscribed":true,.*"api"/],
      ["subscribers list", "", /^EMAIL .*\nann@x\.org {2}Ann {3}true .*\nbob@x\.org {2}- {5}false/],
      ["subscribers list --subscribed false --json", "", /^{"userEmail":"bob@x\.org".*\n$/],
      ["subscribers erase ann@x.org", "Erased the subscriber ann@x.org.\n"],
      ["subscribers list --subscribed true", "There are no subscribers.\n"],
    ]));

  it("write, publish, withdraw and delete entries, and steer their delivery", () =>
    withFile("Press\n**D**.\n", (path) =>
      play([
        [`entries create e --title T --labels new --body-file ${path}`, "Created the draft e.\n"],
        ["entries get e --json", "", /"T","body":"Press\\n\*\*D\*\*\.\\n","labels":\["new"\]/],
        ["entries update e --id draft", "Updated the entry draft.\n"],
        ["entries update draft --id e --title Darker --labels= --body x", /^Updated/],
        ["entries get e --json", "", /"title":"Darker","body":"x","labels":\[\],/],
        [`entries publish e --notify --at ${TIME}`, `The entry e becomes public at ${TIME}.\n`],
        ["entries list --state scheduled --json", "", /"entryId":"e"/],
        ["entries delivery e --json", "", /"state":"waiting"/],
        ["entries delivery e --json --pause", "", /"state":"paused"/],
        ["entries delivery e --json --resume", "", /"state":"waiting"/],
        ["entries delivery e --json --cancel", "", /"state":"cancelled"/],
        ["entries publish e --no-notify", "The entry e is public.\n"],
        ["entries publish e --notify", "The entry e is public, as before: nothing was changed.\n"],
        ["entries unpublish e", "The entry e is a draft again.\n"],
        ["entries list --state draft", "", /^ID .*\ne /],
        ["entries delete e", /^Deleted/],
        ["entries list", "There are no entries.\n"],
      ])));

  it("create, change, rotate, test and delete webhooks", () =>
    play([
      [
        "webhooks create https://example.com/hooks",
        /^Created the webhook (?<id>\w+); its secret is shown only once:\n$/,
        /^whsec_[\w+/]{43}=\n$/,
      ],
      ["webhooks update $id --disable --type entry.published --type entry.updated", /^Updated/],
      ["webhooks get $id --json", "", /"types":\["entry.published","entry.updated"\].*:false/],
      ["webhooks update $id --enable", /^Updated/],
      ["webhooks list", "", /entry\.updated +yes/],
      ["webhooks rotate $id --overlap 1h", /^The new secret/, /^whsec_.*=\n$/],
      ["webhooks test $id", /message (?<message>msg_\w+)/],
      ["webhooks messages $id", "", /msg_\w+ +test +waiting +0 /],
      ["webhooks replay $id --since 2020-01-01T00:00:00Z", /sends 1 messages again/],
      ["webhooks retry $id $message", /again/],
      ["webhooks delete $id", /^Deleted/],
    ]));

  it("list all pages", async () => {
    const { succeed } = createCommandLine();
    for (let n = 100; n < 350; n++) await succeed(`boards create b${n} --name B`);
    assertEquals((await succeed("boards list --json")).out.match(/"boardId":"b\d+"/g)?.length, 250);
  });

  it("end quietly when the reader goes away, but say when a secret is lost", async () => {
    const { run } = createCommandLine({ out: failToWrite });
    assertEquals((await run("keys create --name A")).status, 1);
    assertMatch((await run("keys create --name A")).err, /\nboardcast: the secret is lost: nobody/);
    assertEquals(await run("keys list"), { status: 0, out: "", err: "" });
  });

  it("erase only when the answer on a terminal is yes, and unasked with --yes", () =>
    forEachRow(
      [["YES", "", 0], ["", "", 1], ["no", "--yes", 0]] as const,
      async ([answer, flag, status]) => {
        const questions: string[] = [];
        const ask = (question: string) => (questions.push(question), answer);
        const { run, succeed } = createCommandLine({ ask });
        await succeed("subscribers subscribe ann@x.org");
        assertEquals((await run(`subscribers erase ann@x.org ${flag}`)).status, status);
        assertMatch(questions.join(), flag ? /^$/ : /^Erase all about ann@x\.org, .*\[y\/N\] $/);
        assertEquals((await run("subscribers get ann@x.org")).status, 1 - status);
      },
    ));

  it("tell what the API refuses in one line that names flag or argument, without secrets", async () => {
    const { run, succeed, json } = createCommandLine();
    await succeed("boards create b --name B");
    await succeed("entries create e --title T --body x");
    const [{ keyId }] = await json("keys create --name A");
    await succeed(`keys rotate ${keyId} --overlap 1h`);
    await forEachRow([
      ["boards get none", 1, 'There is no board "none"'],
      ["boards create / --name \u202e --url x", 2, "; --name has "],
      ["keys create --name A --expires soon", 2, "--expires is not a duration: write a whole"],
      [`keys rotate ${keyId}`, 1, "The API key has a successor already; rotate that one"],
      ["keys rotate bc_SECRET", 2, "keys list shows both"],
      ["entries create new --title T --body-file /none", 2, 'there is no file "/none"'],
      ["entries publish e", 2, "--notify or --no-notify is required"],
      ["entries publish e --notify --no-notify", 2, "exclude each other"],
      ["entries publish e --notify --at 2020-01-01T00:00:00Z", 2, "--at is not in"],
      ["entries test e ann@example.com", 1, "sends no mail"],
      ["entries delivery e --pause --cancel", 2, "exclude each other"],
    ], async ([line, status, message]) => {
      const result = await run(line);
      assertFailed(result, status, message);
      assertEquals(result.err.includes("SECRET"), false);
    });
  });
});
