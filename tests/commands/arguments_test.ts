import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import config from "../../deno.json" with { type: "json" };
import { COMMANDS } from "../../commands/shell/all.ts";
import { openStorage } from "../../commands/storage/storage.ts";
import { API_KEY_VARIABLE } from "../../commands/serve/serve_options.ts";
import type { Option } from "../../commands/shell/options.ts";
import { serveCommand } from "../../commands/serve/serve.ts";
import { ENTRIES } from "../../model/kinds.ts";
import { assertFailed, createCommandLine, withFile } from "../_support/cli.ts";
import { runByShell } from "../_support/process.ts";
import { forEachRow } from "../_support/rows.ts";

const { run, succeed } = createCommandLine();
const names = COMMANDS.map(({ name }) => name);

type Row = readonly [line: string, message: string, variables?: Readonly<Record<string, string>>];

describe("a command that is called incorrectly", () => {
  const MAIL = "--mail smtp://h?tls=off --public-url https://a.example";
  const FROM = "--mail-from news@a.example";
  const POSTGRES = "write postgres://USER:PASSWORD@HOST:PORT/DATABASE";
  const rows: readonly Row[] = [
    ["nonsense", 'there is no command "nonsense": the commands are serve, call, keys, '],
    ["key list", 'no command "key list": did you mean keys list? (try --help)'],
    ["keys list --jsn", 'keys list has no option "--jsn": did you mean --json?'],
    ["keys list -v", 'no option "-v": try keys list --help; put arguments that start with'],
    ["keys revoke", "keys revoke needs ID"],
    ["keys create", "keys create needs --name"],
    ["keys create 'Web app'", "not take the argument \"Web app\": write --name 'Web app'"],
    ["keys create --name A --scope 'a, b'", "write --scope a --scope b"],
    ["call listBoards \uFFFD", "an argument is not valid UTF-8"],
    ["copy file:old", "copy needs TO"],
    ["copy file:old file:old", "FROM and TO are the same"],
    ["copy file:old memory", "FROM and TO must outlive the command, unlike memory"],
    ["migrate --storage file:x", "migrate needs --storage postgres://…"],
    ["call listBoards --storage memory", "not outlive the command; give file:DIR or postgres://…"],
    // A misplaced or unknown URL may contain a password.
    ["keys list postgres://user:hunter22@host/x", "keys list does not take the argument"],
    ["--postgres://user:hunter22@host/x", "has no option"],
    ["copy data file:x", "write file:data for a folder"],
    ["call listBoards --storage ./data", '"./data" lacks its kind: write file:./data for a folder'],
    ["call listBoards --storage s3://user:hunter22hunter22@host/x", '"s3…" is not memory'],
    ["call listBoards --storage postgres:/user:hunter22@host/x", POSTGRES],
    // Invalid settings of a server.
    ["--rate-limit fast", '--rate-limit "fast" is not off, nor a rate like 100/s'],
    ["--port 65536", '--port "65536" is not a whole number from 0 to 65535'],
    ["--base-path feedback", '--base-path: "feedback" can\'t be one; write it like /feedback'],
    ["--public-url example.com", '--public-url: "example.com" is not like'],
    ["", 'BOARDCAST_RATE_LIMIT "fast" is not off', { BOARDCAST_RATE_LIMIT: "fast" }],
    ["", "BOARDCAST_API_KEY: it has fewer than 24 characters", { BOARDCAST_API_KEY: "short" }],
    ["--mail smtp://h", "--mail needs --public-url"],
    [MAIL, "--mail needs --mail-from"],
    [
      `${MAIL} ${FROM} --mail smtp://ann@h`,
      "BOARDCAST_MAIL_PASSWORD: the user in the URL needs one",
    ],
    [`${MAIL} ${FROM} --mail mail.example.com`, "--mail: write smtp://"],
    [`${MAIL} --mail-from Acme`, "--mail-from: it is not a valid e-mail address"],
    [`${MAIL} --mail-from 'Acme <news@a.example'`, '--mail-from: it is not like "Acme <news@'],
    [`${MAIL} ${FROM} --mail-footer a\u0007`, "--mail-footer: it has control"],
  ];

  it("ends with 2 and one line that says what to mend, without secrets", () =>
    forEachRow(rows, async ([line, message, environment]) => {
      const result = await createCommandLine({ openStorage, environment }).run(line);
      assertFailed(result, 2, message);
      assert(!result.err.includes("hunter22"), result.err);
    }));

  it("ends with 2, and shows no value, when a variable is empty or not UTF-8", async () => {
    const empty = await runByShell("export BOARDCAST_STORAGE=''; boardcast --port 0");
    assertFailed(empty, 2, "BOARDCAST_STORAGE is empty: give it a value, or unset it");
    const bytes = await runByShell(`export BOARDCAST_API_KEY="$(printf 'a\\377')"; boardcast`);
    assertFailed(bytes, 2, "BOARDCAST_API_KEY is not valid UTF-8");
  });
});

describe("help", () => {
  it("of each command shows usage, options, exit statuses and an example, in 80 columns", async () => {
    await forEachRow(names, async (name) => {
      const { out } = await succeed(`${name} --help`);
      const usage = `^Usage: boardcast ${name}\\b[^]*\nOptions:\n  -[^]*\nExit status:\n[^]*`;
      assertMatch(out, new RegExp(`${usage}\nExample:\n  boardcast ${name}\\b`));
      for (const line of out.split("\n")) assert(line.length <= 80, line);
      assertEquals((await succeed(`help ${name}`)).out, out);
      assertEquals((await succeed(`-h ${name}`)).out, out);
    });
    const { out } = await succeed("keys create --help");
    assertStringIncludes(out, "  --name NAME\n      What the key is for. [required]\n");
    assertStringIncludes(out, " kept. [default: file:./data; BOARDCAST_STORAGE]\n");
  });

  it("names every command, or those of a group, and the version is that of the package", async () => {
    const list = async (line: string) =>
      [...(await succeed(line)).out.matchAll(/^ {2}([a-z]+(?: [a-z]+)?)(?: \[?[A-Z]+.*?)? {2}/gm)]
        .map(([, name]) => name);
    for (const line of ["--help", "help"]) assertEquals(await list(line), names);
    assertEquals(await list("keys -h"), names.filter((name) => name.startsWith("keys")));
    assertEquals((await succeed("--version")).out, `boardcast ${config.version}\n`);
    assertEquals((await succeed("-V")).out, `boardcast ${config.version}\n`);
  });

  it("is not given for --help after --", async () => {
    const result = await run("--storage file:x keys revoke -- --help");
    assertFailed(result, 1, "There is no API key with this keyId");
  });

  it("of serve has what the page on the command line says", async () => {
    const page = await Deno.readTextFile(new URL("../../docs/commands.md", import.meta.url));
    const [section] = page.split("## Serving\n")[1].split("\n## ");
    const rows = [...section.matchAll(/^\| (`--.*?|–) +\| (.*?) +\| (.*?) +\|$/gm)]
      .map(([, ...cells]) => cells.map((cell) => cell.replaceAll("\\|", "|")));
    const code = (text: string | undefined) => text === undefined ? "–" : `\`${text}\``;
    // Returns the default of an option. A default that depends on other settings is part of the
    // description.
    function defaultOf({ name, description, default: preset }: Option): string {
      if (name === "log") return "`text` on a terminal, else `json`";
      const [, described] = /\[default: (.*)\]/.exec(description) ?? [];
      return described?.replace(/--[\w-]+/g, "`$&`") ?? code(preset);
    }
    assertEquals(rows, [
      ...serveCommand.options.map((option) => [
        code(`--${option.name}${option.value === undefined ? "" : ` ${option.value}`}`) +
        (option.multiple ? " (repeatable)" : ""),
        code(option.variable) + (option.multiple ? " (with commas)" : ""),
        defaultOf(option),
      ]),
      ["–", code(API_KEY_VARIABLE), "–"],
    ]);
    assertEquals(names.filter((name) => !page.includes(name)), []);
  });
});

describe("a mistake", () => {
  it("is answered with a suggestion", async () => {
    await forEachRow([
      ["keys create --name A --scope board:read", "did you mean boards:read?"],
      ["call listEntries state=drft", "did you mean draft?"],
      ["subscribers import /dev/null --state subscribd", "did you mean subscribed?"],
      ["call publishEntry entryId=x", "publishEntry needs notify=…"],
    ], async ([line, message]) => {
      const { run, succeed } = createCommandLine();
      await succeed("call createEntry entryId=x title=X body=Y");
      assertFailed(await run(line), 2, message);
    });
    const real = createCommandLine({ openStorage });
    const wrong = await real.run("call listBoards --storage fiel:./d");
    assertFailed(wrong, 2, "is not memory, file:DIR, kv:FILE or postgres://…: did you mean file:?");
    const bare = await real.run("call listBoards --storage file:");
    assertFailed(bare, 2, '"file:" has nothing after its colon: write it like file:./data');
    for (
      const [name, meant] of [["MAIL_CLIENT_SECRT", "MAIL_CLIENT_SECRET"], ["KEY_FIL", "KEY_FILE"]]
    ) {
      const variableNames = () => [`BOARDCAST_${name}`];
      const result = await createCommandLine({ variableNames }).run("call listBoards");
      assertFailed(result, 2, `did you mean BOARDCAST_${meant}?`);
    }
    const variableNames = () => ["PATH", "BOARDCAST_SERVICE_HOST", "BOARDCAST_PROT"];
    const { run } = createCommandLine({ variableNames });
    assertFailed(await run("call listBoards"), 2, "BOARDCAST_PROT: did you mean BOARDCAST_PORT?");
  });

  it("never shows a secret", async () => {
    const environment = { BOARDCAST_KEY: "bc_secret\nsecond line" };
    const { run } = createCommandLine({ environment });
    const result = await run("call listBoards --server http://127.0.0.1:1");
    assertFailed(result, 2, "BOARDCAST_KEY is no API key");
    assertEquals(result.err.includes("secret"), false);
  });
});

describe("a file of text", () => {
  const create = (path: string) => `call createEntry entryId=a title=A body=@${path}`;

  it("is stored without its byte order mark", () =>
    withFile("\ufeffText", async (path) => {
      const { succeed, json } = createCommandLine();
      await succeed(create(path));
      assertEquals((await json("call getEntry entryId=a"))[0].body, "Text");
    }));

  it("is refused where it is not UTF-8, or larger than any request", () =>
    withFile("", async (path) => {
      const { run, storage } = createCommandLine();
      await Deno.writeFile(path, new Uint8Array([0x61, 0xff]));
      assertFailed(await run(create(path)), 2, "it is not UTF-8 text");
      await Deno.writeFile(path, new Uint8Array(200_000));
      assertFailed(await run(create(path)), 2, "it is larger than 131072 bytes");
      assertEquals(await storage.get(ENTRIES, "a"), undefined);
    }));
});
