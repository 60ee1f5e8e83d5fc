import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { COMMANDS } from "../commands/_all.ts";
import { parseArguments, readArguments } from "../commands/_arguments.ts";
import { API_KEY_VARIABLE, serveCommand } from "../commands/serve.ts";
import { createCommandLine } from "./_cli.ts";
import { runByShell } from "./_process.ts";

const { run } = createCommandLine();
const names = COMMANDS.map(({ name }) => name);

describe("flags and variables", () => {
  const options = [
    { name: "port", value: "PORT", variable: "PORT", default: "8000", description: "" },
    { name: "origin", value: "URL", variable: "ORIGINS", multiple: true, description: "" },
    { name: "quiet", description: "" },
  ];

  async function read(args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
    const parsed = await parseArguments(args, options);
    const command = { name: "x", options, positionals: parsed.words };
    const given = readArguments(parsed, command, (name) => variables[name]);
    return [given.text("port"), given.texts("origin"), given.flag("quiet"), given.positionals];
  }

  const cases: readonly (readonly [string[], Record<string, string>, unknown[]])[] = [
    [[], {}, ["8000", [], false, []]],
    [[], { PORT: "1", ORIGINS: " a, b ,,c," }, ["1", ["a", "b", "c"], false, []]],
    [["--port=2", "--origin", "b"], { PORT: "1", ORIGINS: "a" }, ["2", ["b"], false, []]],
    [["--origin", "a", "--origin=b", "--quiet"], {}, ["8000", ["a", "b"], true, []]],
    [["--port", "1", "w", "--port", "2"], {}, ["2", [], false, ["w"]]],
    [["--port=-1", "--", "--quiet"], {}, ["-1", [], false, ["--quiet"]]],
    [["--port", ""], {}, ["", [], false, []]],
  ];
  for (const [args, variables, expected] of cases) {
    it(`are ${JSON.stringify(expected)} when given ${args.join(" ")} ${JSON.stringify(variables)}`, async () => {
      assertEquals(await read(args, variables), expected);
    });
  }

  it("are of one kind each in all commands, so that they can stand before the command", async () => {
    const kinds = new Map<string, boolean>();
    for (const { name, value } of COMMANDS.flatMap(({ options }) => options)) {
      assertEquals(kinds.get(name) ?? (value === undefined), value === undefined, name);
      kinds.set(name, value === undefined);
    }
    const { status, err } = await run(
      "--json",
      "--storage",
      "file:x",
      "keys",
      "--no-migrate",
      "list",
    );
    assertEquals([status, err], [0, "There are no API keys.\n"]);
  });
});

describe("what is called incorrectly", () => {
  const mistakes: readonly (readonly [args: readonly string[], message: string])[] = [
    [["nonsense"], 'there is no command "nonsense": the commands are serve, keys create, '],
    [["keys"], "keys needs a command next: keys create, keys list, keys rotate, keys revoke (try"],
    [["keys", "--json"], "keys needs a command next: "],
    [
      ["keys", "creat", "--help"],
      'no command "keys creat": did you mean keys create? (try --help)',
    ],
    [["boads", "list"], 'no command "boads list": did you mean boards list? (try --help)'],
    [["bords"], 'no command "bords": did you mean boards? (try --help)'],
    [["serv"], 'no command "serv": did you mean serve? (try --help)'],
    [["help", "nonsense"], 'there is no command "nonsense"'],
    [["boards", "list", "--jsn"], 'boards list has no option "--jsn": did you mean --json?'],
    [["--prot", "80"], 'boardcast has no option "--prot": did you mean --port?'],
    [["--prot=80"], 'serve has no option "--prot": did you mean --port?'],
    [
      ["boards", "list", "--name", "A"],
      'boards list has no option "--name": try boards list --help',
    ],
    [
      ["boards", "list", "-v"],
      'no option "-v": try boards list --help; put arguments that start with',
    ],
    [["boards", "list", "--json=x"], "--json takes no value"],
    [["boards", "create", "a", "--name"], "--name needs a value"],
    [
      ["boards", "create", "a", "--name", "--url", "x"],
      "--name needs a value; write --name=-… for",
    ],
    [["boards", "create", "--name", "A"], "boards create needs ID"],
    [["boards", "create", "a"], "boards create needs --name"],
    [["boards", "update", "a"], "boards update needs one of --name, --description, --url"],
    [["boards", "get", "a", "b"], 'boards get does not take the argument "b"'],
    [["keys", "create", "Web app"], "not take the argument \"Web app\": write --name 'Web app'"],
    [["keys", "create", "--name", "A", "--scope", "a, b"], "write --scope a --scope b"],
    [["serve", "extra"], 'serve does not take the argument "extra"'],
    [["migrate", "--storage", "file:x"], "migrate needs --storage postgres://…"],
    [["boards", "list", "\uFFFD"], "an argument is not valid UTF-8"],
  ];
  for (const [args, message] of mistakes) {
    it(`is told in one line, with status 2: ${args.join(" ")}`, async () => {
      const { status, out, err } = await run(...args);
      assertEquals([status, out, err.split("\n").length], [2, "", 2], err);
      assert(err.startsWith("boardcast: "), err);
      assertStringIncludes(err, message);
    });
  }

  it("shows no password of a URL that stands in the wrong place", async () => {
    const url = "postgres://user:hunter22@host/x";
    const places = [[url], ["keys", url], ["keys", "list", url], [`--${url}`]];
    for (const args of [...places, ["keys", "create", "--name", "a", "--scope", url]]) {
      const { status, err } = await run(...args, "--storage", "memory");
      assertEquals([status, err.includes("hunter22")], [2, false], err);
    }
  });

  it("names the variable where the value came from one", async () => {
    for (const [name, value] of [["PORT", "http"], ["RATE_LIMIT", "fast"], ["LOG", "xml"]]) {
      const environment = { [`BOARDCAST_${name}`]: value };
      const { status, err } = await createCommandLine({ environment }).run();
      assertEquals(status, 2);
      assertMatch(err, new RegExp(`^boardcast: BOARDCAST_${name} "${value}" is not `));
    }
  });

  it("is a variable that is empty or not UTF-8, whose value is not shown", async () => {
    for (const [value, message] of [["''", "is empty"], [`"$(printf 'a\\377')"`, "is not valid"]]) {
      for (const name of ["BOARDCAST_STORAGE", "BOARDCAST_API_KEY"]) {
        const { status, err } = await runByShell(`export ${name}=${value}; boardcast --port 0`);
        assertEquals([status, err.split("\n").length], [2, 2]);
        assertStringIncludes(err, `boardcast: ${name} ${message}`);
      }
    }
  });
});

describe("help", () => {
  for (const name of names) {
    it(`of ${name} shows usage, options, exit statuses and an example, in 80 columns`, async () => {
      const { status, out, err } = await run(...name.split(" "), "--help");
      assertEquals([status, err], [0, ""]);
      assertMatch(out, new RegExp(`^Usage: boardcast ${name}`));
      for (const part of ["Options:\n  --", "Exit status:", `Example:\n  boardcast ${name}`]) {
        assertStringIncludes(out, part);
      }
      for (const line of out.split("\n")) assert(line.length <= 80, line);
      assert(!/NaN|undefined/.test(out), out);
      assertEquals((await run("help", ...name.split(" "))).out, out);
      assertEquals((await run("-h", ...name.split(" "))).out, out);
    });
  }

  it("of a command breaks its lines between words", async () => {
    assertEquals(
      (await run("boards", "create", "--help")).out,
      `\
Usage: boardcast boards create ID --name NAME [OPTIONS]

Create a board.

ID is 1 to 128 letters, digits and . _ ~ -, starts with a letter or digit, and
is case-sensitive.

Options:
  --name NAME
      The name for people. [required]
  --description TEXT
      What the board is for; may have several lines.
  --url URL
      Where the board is shown: an absolute http or https URL.
  --json
      Print what the API answered, for a listing as NDJSON: one JSON object per
      line.
  --storage file:DIR | postgres://…
      Where records are kept. [default: file:./data; BOARDCAST_STORAGE]
  --no-migrate
      Refuse a Postgres database that must be migrated first.
  --server URL
      Call this server instead, with the API key in BOARDCAST_KEY.
      [BOARDCAST_SERVER]
  -h, --help
      Show this help.
  -V, --version
      Show the version.

Exit status:
  0  Success.
  1  It failed, or what it names does not exist.
  2  It was called incorrectly.

Example:
  boardcast boards create feature-requests --name 'Feature requests'
`,
    );
  });

  it("names every command, or those of a group", async () => {
    const list = async (...args: string[]) =>
      [...(await run(...args)).out.matchAll(/^ {2}([a-z]+(?: [a-z]+)?)(?: [A-Z]+)* {2}/gm)]
        .map(([, name]) => name);
    for (const args of [["--help"], ["help"], ["help", "--help"]]) {
      assertEquals(await list(...args), names);
    }
    assertEquals(await list("keys", "-h"), names.filter((name) => name.startsWith("keys")));
  });

  it("is not given for --help after --", async () => {
    const { status, err } = await run("--storage", "file:x", "boards", "get", "--", "--help");
    assertEquals([status, err], [1, "boardcast: There is no board with this boardId\n"]);
  });

  it("of serve has what the page on the command line says", async () => {
    const page = await Deno.readTextFile(new URL("../docs/commands.md", import.meta.url));
    const [section] = page.split("## Serving\n")[1].split("\n## ");
    const rows = [...section.matchAll(/^\| (`--.*?|–) +\| (.*?) +\| (.*?) +\|$/gm)]
      .map(([, ...cells]) => cells.map((cell) => cell.replaceAll("\\|", "|")));
    const code = (text: string | undefined) => text === undefined ? "–" : `\`${text}\``;
    assertEquals(rows, [
      ...serveCommand.options.map(({ name, value, variable, multiple, default: preset }) => [
        code(`--${name}${value === undefined ? "" : ` ${value}`}`) +
        (multiple ? " (repeatable)" : ""),
        code(variable) + (multiple ? " (with commas)" : ""),
        // What depends on where it runs stands in the description.
        name === "log" ? "`text` on a terminal, else `json`" : code(preset),
      ]),
      ["–", code(API_KEY_VARIABLE), "–"],
    ]);
    assertEquals(names.filter((name) => !page.includes(name)), []);
  });
});

describe("the version", () => {
  it("is that of the package", async () => {
    const config = await Deno.readTextFile(new URL("../deno.json", import.meta.url));
    for (const flag of ["--version", "-V"]) {
      assertEquals((await run(flag)).out, `boardcast ${JSON.parse(config).version}\n`);
    }
  });
});
