import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import fc from "fast-check";
import { createCommandLine } from "./_cli.ts";
import { HEADER, importText, stored } from "./_subscribers.ts";

describe("subscribers export", () => {
  const local = fc.stringMatching(/^[a-z'=+@-]{1,8}$/).map((text) => text.replaceAll("@", ""))
    .filter((text) => text !== "");
  const name = fc.string({
    unit: fc.constantFrom("A", "'", '"', ",", "=", "+", "-", "@", "＝", "é", " ", "東", "😀"),
    maxLength: 12,
  });

  for (const format of ["csv", "ndjson"]) {
    it(`gives the same list when its ${format} is imported into an empty storage`, async () => {
      const rows = fc.array(fc.tuple(local, name, fc.boolean()), { maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(rows, async (rows) => {
          const [from, to] = [createCommandLine(), createCommandLine()];
          for (const [local, name, subscribe] of rows) {
            await from.storage.subscriptions.put({
              userEmail: `${local}@x.org`,
              userName: name.trim() || null,
              subscribe,
              at: "2026-11-21T10:00:00.000Z",
            });
          }
          const { out } = await from.run("subscribers", "export", "--format", format);
          const { status } = await importText(to, out, "--format", format);
          assertEquals([status, await stored(to)], [0, await stored(from)]);
        }),
        { numRuns: 60 },
      );
    });
  }

  it("puts an apostrophe before what a spreadsheet would run", async () => {
    const command = createCommandLine();
    await importText(command, `${HEADER}+ann@x.org,=1+1,true\n'+bob@x.org,'t Hooft,true\n`);
    const { out } = await command.run("subscribers", "export");
    assertEquals(out, `${HEADER}'+ann@x.org,'=1+1,true\n'+bob@x.org,'t Hooft,true\n`);
  });

  it("prints one state when it is asked for", async () => {
    const command = createCommandLine();
    await importText(command, `${HEADER}ann@x.org,Ann,true\nbob@x.org,,false\n`);
    const rows = async (state: string) => {
      const { out } = await command.run("subscribers", "export", "--subscribed", state);
      return out.slice(HEADER.length);
    };
    assertEquals(await rows("true"), "ann@x.org,Ann,true\n");
    assertEquals(await rows("false"), "bob@x.org,,false\n");
  });

  it("prints the header alone where there is nobody, and a count on standard error", async () => {
    const { out, err } = await createCommandLine().run("subscribers", "export");
    assertEquals([out, err], [HEADER, "Exported 0 subscribers.\n"]);
  });
});

describe("subscribers list", () => {
  it("says of which state there are none", async () => {
    const command = createCommandLine();
    await importText(command, `${HEADER}ann@x.org,Ann,true\n`);
    const { status, out, err } = await command.run("subscribers", "list", "--subscribed", "false");
    assertEquals([status, out, err], [0, "", "There are no unsubscribed addresses.\n"]);
  });

  it("shows both states, or the one asked for", async () => {
    const command = createCommandLine();
    await importText(command, `${HEADER}ann@x.org,Ann,true\nbob@x.org,,false\n`);
    const emails = async (...flags: string[]) => {
      const { out } = await command.run("subscribers", "list", "--json", ...flags);
      return out.trimEnd().split("\n").map((line) => JSON.parse(line).userEmail);
    };
    assertEquals(await emails(), ["ann@x.org", "bob@x.org"]);
    assertEquals(await emails("--subscribed", "true"), ["ann@x.org"]);
    assertEquals(await emails("--subscribed", "false"), ["bob@x.org"]);
  });

  it("ends with 2 when the state is neither", async () => {
    const { status, err } = await createCommandLine().run(
      ...["subscribers", "list", "--subscribed", "yes"],
    );
    assertEquals([status, err], [2, "boardcast: --subscribed must be true or false\n"]);
  });
});

describe("subscribers erase", () => {
  it("forgets the opt-out too, so that an older list brings the person back", async () => {
    const command = createCommandLine();
    const older = `${HEADER}ann@x.org,Ann,true\n`;
    await importText(command, older);
    await importText(command, `${HEADER}ann@x.org,,false\n`);
    await importText(command, older);
    assertEquals(await stored(command), ["ann@x.org Ann false"]);
    await command.run("subscribers", "erase", "ann@x.org");
    await importText(command, older);
    assertEquals(await stored(command), ["ann@x.org Ann true"]);
  });

  it("removes the address, in whatever form it is given, and fails when it is gone", async () => {
    const command = createCommandLine();
    await importText(command, `${HEADER}ann@x.org,Ann,false\n`);
    assertEquals((await command.run("subscribers", "erase", "ANN@X.org")).status, 0);
    assertEquals(await stored(command), []);
    const { status, err } = await command.run("subscribers", "erase", "ann@x.org");
    assertEquals([status, err], [1, 'boardcast: there is no subscriber "ann@x.org"\n']);
  });

  for (
    const [text, message] of [
      ["ann", "is not a valid e-mail address: it has no @"],
      // Over HTTP, a hint at forms follows.
      ["ann news@x.org", "has a space"],
    ]
  ) {
    it(`ends with 2 on ${text}, which is no address`, async () => {
      const { status, err } = await createCommandLine().run("subscribers", "erase", text);
      assertEquals([status, err], [2, `boardcast: EMAIL ${message}\n`]);
    });
  }
});
