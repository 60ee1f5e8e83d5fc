import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createCommandLine } from "./_cli.ts";
import { sampleBoard } from "./_contract/samples.ts";

const IDEAS = ["boards", "create", "ideas", "--name", "Ideas"] as const;

describe("boards create", () => {
  it("creates a board from its flags", async () => {
    const command = createCommandLine();
    const flags = ["--description", "One\ntwo", "--url", "https://example.com/ideas"];
    const { status, out } = await command.run(...IDEAS, ...flags);
    assertEquals([status, out], [0, ""]);
    const board = await command.storage.boards.get("ideas");
    assertEquals(
      [board?.name, board?.description, board?.url],
      ["Ideas", "One\ntwo", "https://example.com/ideas"],
    );
  });

  it("takes an empty description or URL as none", async () => {
    const command = createCommandLine();
    await command.run(...IDEAS, "--description", "", "--url", "");
    const board = await command.storage.boards.get("ideas");
    assertEquals([board?.description, board?.url], [null, null]);
  });

  it("fails, and changes nothing, where the ID is taken", async () => {
    const command = createCommandLine();
    await command.run(...IDEAS);
    const { status, err } = await command.run("boards", "create", "ideas", "--name", "Other");
    assertEquals([status, err], [1, 'boardcast: there already is a board "ideas"\n']);
    assertEquals((await command.storage.boards.get("ideas"))?.name, "Ideas");
  });

  for (
    const [args, message] of [
      [["-", "--name", "x"], "ID must start with a letter or digit"],
      [["a/b", "--name", "x"], "ID must start with a letter or digit"],
      [["a"], "--name is required"],
      [["a", "--name", "x", "--url", "ftp://x"], "--url is not an absolute http or https URL"],
      [[], "boards create needs ID"],
    ] as const
  ) {
    it(`ends with 2 and one line when called with ${JSON.stringify(args)}`, async () => {
      const { status, out, err } = await createCommandLine().run("boards", "create", ...args);
      assertEquals([status, out, err.split("\n").length], [2, "", 2]);
      assertStringIncludes(err, `boardcast: ${message}`);
    });
  }
});

describe("boards update", () => {
  it("changes the fields given and keeps the others", async () => {
    const command = createCommandLine();
    await command.run(...IDEAS, "--description", "What next?");
    assertEquals((await command.run("boards", "update", "ideas", "--name", "Wishes")).status, 0);
    const board = await command.storage.boards.get("ideas");
    assertEquals([board?.name, board?.description], ["Wishes", "What next?"]);
  });

  it("clears description and URL where they are empty", async () => {
    const command = createCommandLine();
    await command.run(...IDEAS, "--description", "x", "--url", "https://example.com/");
    await command.run("boards", "update", "ideas", "--description=", "--url", "");
    const board = await command.storage.boards.get("ideas");
    assertEquals([board?.description, board?.url], [null, null]);
  });

  it("leaves updatedAt alone where nothing changes", async () => {
    const command = createCommandLine();
    const before = sampleBoard("ideas");
    await command.storage.boards.create(before);
    const { status, err } = await command.run("boards", "update", "ideas", "--name", before.name);
    assertEquals([status, err], [0, "Nothing to change.\n"]);
    assertEquals(await command.storage.boards.get("ideas"), before);
  });

  it("fails on a board that is unknown or can't exist", async () => {
    for (const boardId of ["nothing", "not/possible"]) {
      const { status, err } = await createCommandLine().run(
        ...["boards", "update", boardId, "--name", "x"],
      );
      assertEquals([status, err], [1, `boardcast: there is no board "${boardId}"\n`]);
    }
  });

  it("ends with 2 when no field is given", async () => {
    const { status, err } = await createCommandLine().run("boards", "update", "ideas");
    assertEquals(status, 2);
    assertStringIncludes(err, "needs --name, --description or --url");
  });
});

describe("boards delete", () => {
  it("deletes the board, and fails when it is gone", async () => {
    const command = createCommandLine();
    await command.run(...IDEAS);
    assertEquals((await command.run("boards", "delete", "ideas")).status, 0);
    assertEquals(await command.storage.boards.get("ideas"), undefined);
    const { status, err } = await command.run("boards", "delete", "ideas");
    assertEquals([status, err], [1, 'boardcast: there is no board "ideas"\n']);
  });
});

describe("a board that others change", () => {
  /** A command line on whose board another change comes first, some times. */
  async function raced(times: number) {
    const command = createCommandLine();
    const { boards } = command.storage;
    await boards.create(sampleBoard("ideas"));
    const { replace } = boards;
    let made = 0;
    async function interfere(): Promise<void> {
      const current = (await boards.get("ideas"))!;
      if (made < times) await replace(current, { ...current, description: `${++made}` });
    }
    const { delete: remove } = boards;
    boards.replace = async (current, next) => {
      await interfere();
      return await replace(current, next);
    };
    boards.delete = async (current) => {
      await interfere();
      return await remove(current);
    };
    return command;
  }

  it("is updated, and keeps the other change, when that came between", async () => {
    const command = await raced(2);
    assertEquals((await command.run("boards", "update", "ideas", "--name", "New")).status, 0);
    const board = await command.storage.boards.get("ideas");
    assertEquals([board?.name, board?.description], ["New", "2"]);
  });

  it("is deleted when another change came between", async () => {
    const command = await raced(1);
    assertEquals((await command.run("boards", "delete", "ideas")).status, 0);
    assertEquals(await command.storage.boards.get("ideas"), undefined);
  });

  it("is said not to be updated when other changes always come first", async () => {
    const command = await raced(Infinity);
    const { status, err } = await command.run("boards", "update", "ideas", "--name", "New");
    assertEquals(status, 1);
    assertStringIncludes(err, "always came first; try again");
  });
});

describe("boards list", () => {
  it("prints all boards, over many pages, as a table or as NDJSON", async () => {
    const command = createCommandLine();
    for (let i = 0; i < 2_500; i++) await command.storage.boards.create(sampleBoard(`b${i}`));
    const [table, ndjson] = [
      await command.run("boards", "list"),
      await command.run("boards", "list", "--json"),
    ];
    assertEquals(table.out.split("\n").length, 2_502);
    const listed = ndjson.out.trimEnd().split("\n").map((line) => JSON.parse(line).boardId);
    assertEquals(new Set(listed).size, 2_500);
    assertEquals(listed, [...listed].sort());
  });

  it("fits the terminal", async () => {
    const command = createCommandLine({ outColumns: 40 });
    await command.run(...IDEAS, "--url", `https://example.com/${"x".repeat(99)}`);
    const { out } = await command.run("boards", "list");
    for (const line of out.split("\n")) assert(line.length <= 40, line);
  });
});
