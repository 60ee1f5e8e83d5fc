import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { runCommand } from "../commands/mod.ts";
import { API_KEY_VARIABLE, serveCommand } from "../commands/serve.ts";

function code(text: string | undefined): string {
  return text === undefined ? "–" : `\`${text}\``;
}

async function run(...args: string[]) {
  let [out, err] = ["", ""];
  const status = await runCommand(args, {
    environment: () => undefined,
    openStorage: () => Promise.reject(new Error("help needs no storage")),
    terminal: { out: (text) => void (out += text), err: (text) => void (err += text) },
  });
  return { status, out, err };
}

const overview = await run("--help");
const names = [...overview.out.matchAll(/^ {2}([a-z]+(?: [a-z]+)?)(?: [A-Z]+)? {2}/gm)]
  .map(([, name]) => name);

describe("the version", () => {
  it("is that of the package", async () => {
    const { version } = JSON.parse(
      await Deno.readTextFile(new URL("../deno.json", import.meta.url)),
    );
    assertEquals(await run("--version"), { status: 0, out: `boardcast ${version}\n`, err: "" });
  });
});

describe("help", () => {
  it("names every command", () => {
    assertEquals(names.map((name) => name.split(" ")[0]), [
      ...["serve", "keys", "keys", "keys", "keys", "boards", "boards", "boards", "boards"],
      ...["subscribers", "subscribers", "subscribers", "subscribers", "copy", "migrate"],
    ]);
  });

  for (const name of names) {
    it(`of ${name} shows usage, options, exit statuses and an example`, async () => {
      const { status, out, err } = await run(...name.split(" "), "--help");
      assertEquals([status, err], [0, ""]);
      assertMatch(out, new RegExp(`^Usage: boardcast ${name}`));
      for (const part of ["--storage", "Exit status:", `Example:\n  boardcast ${name}`]) {
        assertStringIncludes(out, part);
      }
      for (const line of out.split("\n")) assert(line.length <= 80, line);
      assert(!/NaN|undefined/.test(out), out);
    });

    it(`of ${name} is the same asked for by help and by -h`, async () => {
      const { out } = await run(...name.split(" "), "--help");
      assertEquals((await run("help", ...name.split(" "))).out, out);
      assertEquals((await run(...name.split(" "), "-h")).out, out);
    });
  }

  it("of serve names the defaults that the contract promises", async () => {
    const { out } = await run("serve", "--help");
    const defaults = [...out.matchAll(/^ {2}--([a-z-]+)[^]*?(?=^ {2}--|^$)/gm)]
      .map(([text, name]) => [name, /default:\s+([^;\]]+)/.exec(text)?.[1]]);
    assertEquals(Object.fromEntries(defaults.filter(([, value]) => value !== undefined)), {
      storage: "file:./data",
      host: "127.0.0.1",
      port: "8000",
      "rate-limit": "100/s",
      listener: "deno",
      "max-connections": "900",
    });
  });

  it("tells flags that must be given from others", async () => {
    const { out } = await run("copy", "--help");
    assertMatch(out, /^Usage: boardcast copy --from [^\n]*\n {4}\[--storage /);
    assertEquals(out.match(/\[required\]/g)?.length, 1);
  });

  it("of serve names the variable that has no flag", async () => {
    assertStringIncludes((await run("serve", "--help")).out, "BOARDCAST_API_KEY");
  });

  it("of help is that of all commands", async () => {
    assertEquals((await run("help", "--help")).out, overview.out);
    assertEquals((await run("help")).out, overview.out);
  });

  it("of serve has the flags, variables and defaults of the page on the command line", async () => {
    const page = await Deno.readTextFile(new URL("../docs/commands.md", import.meta.url));
    const [section] = page.split("## Serving\n")[1].split("\n## ");
    const rows = [...section.matchAll(/^\| (`--.*?|–) +\| (.*?) +\| (.*?) +\|$/gm)]
      .map(([, ...cells]) => cells.map((cell) => cell.replaceAll("\\|", "|")));
    assertEquals(rows, [
      ...serveCommand.options.map((option) => [
        `\`--${option.name}${option.value === undefined ? "" : ` ${option.value}`}\`` +
        (option.multiple ? " (repeatable)" : ""),
        code(option.variable) + (option.multiple ? " (with commas)" : ""),
        // What depends on where it runs stands in the description.
        option.name === "log" ? "`text` on a terminal, else `json`" : code(option.default),
      ]),
      ["–", code(API_KEY_VARIABLE), "–"],
    ]);
  });

  it("names no command that the page on the command line does not", async () => {
    const page = await Deno.readTextFile(new URL("../docs/commands.md", import.meta.url));
    const isMissing = (name: string) => !new RegExp(`boardcast ${name}\\b`).test(page);
    assertEquals(names.filter(isMissing), []);
  });

  it("of a group names its commands alone", async () => {
    assertEquals(
      (await run("keys", "--help")).out,
      `\
Usage: boardcast keys COMMAND [OPTIONS]

Feedback boards and changelog subscriptions behind a small HTTP API.

Commands:
  keys create     Create an API key and print its text, once
  keys list       List the API keys, without their texts
  keys rotate ID  Replace an API key and print the new text, once
  keys revoke ID  Revoke an API key

Data goes to standard output, everything else to standard error.

Run boardcast COMMAND --help for the options of a command and an example, and
boardcast --version for the version.
`,
    );
  });

  it("of a command breaks its lines between words, and never within an option", async () => {
    assertEquals(
      (await run("keys", "create", "--help")).out,
      `\
Usage: boardcast keys create --name NAME [--scope SCOPE]… [--expires DURATION]
    [--storage file:DIR | postgres://…] [--no-migrate]

Create an API key and print its text, once.

Standard output gets nothing but the text of the key. Only its hash is stored,
so the text can't be shown again.

Options:
  --name NAME
      What the key is for. [required]
  --scope SCOPE
      What the key may do: boards:read, boards:write, subscriptions:read,
      subscriptions:write, keys:write, *. Repeat it for more. [default:
      boards:read and subscriptions:write]
  --expires DURATION
      How long the key is valid: a whole number and s, m, h or d, like 12h or
      90d. [default: no limit]
  --storage file:DIR | postgres://…
      Where records are kept. [default: file:./data; BOARDCAST_STORAGE]
  --no-migrate
      Refuse a Postgres database that must be migrated first.
  --help
      Show this help.

Exit status:
  0  Success.
  1  It failed, or what it names does not exist.
  2  It was called incorrectly.

Example:
  boardcast keys create --name 'Web app' --scope boards:read --expires 90d
`,
    );
  });

  it("fits 80 columns", () => {
    for (const line of overview.out.split("\n")) assert(line.length <= 80, line);
  });

  it("tells what there is when a command is unknown or half named", async () => {
    for (
      const args of [
        ["nonsense"],
        ["keys", "nonsense"],
        ["keys"],
        ["keys", "--json"],
        ["nonsense", "--help"],
        ["help", "nonsense"],
      ]
    ) {
      const { status, out, err } = await run(...args);
      assertEquals([status, out, err.split("\n").length], [2, "", 2]);
      assertStringIncludes(err, "keys rotate");
    }
  });

  const mistakes = [
    [
      ["--storage", "memory", "keys", "list"],
      'options come after the command: put "keys" before them',
    ],
    [["serve", "keys"], 'serve does not accept the argument "keys"'],
    [["keys", "--json", "list"], "keys needs a command next: "],
    [["boards", "create", "a", "--name"], "--name needs a value; write --name=-…"],
    [["boards", "create", "a", "--name", "--url", "x"], "--name needs a value; write --name=-…"],
    [["boards", "list", "--none"], "boardcast: Unknown option '--none' (try --help)\n"],
    [["boards", "list", "--json=x"], "does not take an argument (try --help)\n"],
    [["boards", "list", "-v"], "put arguments that start with a dash after --"],
  ] as const;
  for (const [args, remedy] of mistakes) {
    it(`is no answer to ${args.join(" ")}, but what to mend is`, async () => {
      const { status, err } = await run(...args);
      assertEquals(status, 2);
      assertStringIncludes(err, remedy);
    });
  }

  it("of a group is given, too, when options stand behind it", async () => {
    assertEquals((await run("help", "keys", "--json")).out, (await run("keys", "--help")).out);
  });

  it("is not given for --help after --", async () => {
    assertEquals((await run("boards", "delete", "--", "--help")).status, 1);
  });
});
