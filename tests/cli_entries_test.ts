import { assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { getEntry } from "../services/entries.ts";
import { createCommandLine, withFile } from "./_cli.ts";

const TIME = "2999-01-31T09:00:00.000Z";
const CREATE = ["entries", "create", "dark-mode", "--title", "Dark mode"] as const;

async function createDraft() {
  const command = createCommandLine();
  await command.run(...CREATE, "--body", "Press **D**.");
  return command;
}

describe("entries on the command line", () => {
  it("are written from flags or from a file, and changed", async () => {
    const { run, storage } = createCommandLine();
    const flags = ["--labels", "new ui", "--url", "https://example.com/"];
    await withFile("Press\n**D**.\n", async (path) => {
      const { status, out, err } = await run(...CREATE, "--body-file", path, ...flags);
      assertEquals([status, out, err], [0, "", "Created the draft dark-mode.\n"]);
    });
    const { body, labels, url } = (await getEntry(storage, "dark-mode"))!;
    assertEquals([body, labels, url], ["Press\n**D**.\n", ["new", "ui"], "https://example.com/"]);
    const changes = ["--title", "Darker", "--labels", "", "--url", ""];
    assertEquals((await run("entries", "update", "dark-mode", ...changes)).status, 0);
    const { out } = await run("entries", "get", "dark-mode", "--json");
    const shown = JSON.parse(out);
    assertEquals([shown.title, shown.labels, shown.url, shown.state], [
      "Darker",
      [],
      null,
      "draft",
    ]);
  });

  it("go from draft to scheduled, published, draft and gone", async () => {
    const { run } = await createDraft();
    const steps = [
      [["publish", "--no-notify", "--at", TIME], `becomes public at ${TIME}.`, "scheduled"],
      [["publish", "--no-notify"], "is public.", "published"],
      [["publish", "--notify"], "is public, as before: nothing was changed.", "published"],
      [["unpublish"], "is a draft again.", "draft"],
    ] as const;
    for (const [[name, ...flags], expected, state] of steps) {
      const { status, out, err } = await run("entries", name, "dark-mode", ...flags);
      assertEquals([status, out, err], [0, "", `The entry dark-mode ${expected}\n`]);
      const list = await run("entries", "list", "--state", state, "--json");
      assertEquals(JSON.parse(list.out).entryId, "dark-mode");
    }
    assertEquals((await run("entries", "delete", "dark-mode")).status, 0);
    assertEquals((await run("entries", "list")).err, "There are no entries.\n");
  });

  it("have a delivery that is shown, paused, resumed and cancelled", async () => {
    const { run } = await createDraft();
    await run("entries", "publish", "dark-mode", "--notify", "--at", TIME);
    const steps = [
      [[], "waiting"],
      [["--pause"], "paused"],
      [["--resume"], "waiting"],
      [["--cancel"], "cancelled"],
    ] as const;
    for (const [flags, state] of steps) {
      const { out } = await run("entries", "delivery", "dark-mode", "--json", ...flags);
      assertEquals(JSON.parse(out).state, state);
    }
  });

  it("say what to mend", async () => {
    const { run } = await createDraft();
    const rows = [
      [["create", "new", "--title", "T"], 2, "--body is required"],
      [["create", "new", "--title", "T", "--body-file", "/none"], 2, 'cannot read "/none"'],
      [["create", "-", "--title", "T", "--body", "x"], 2, "ID "],
      [["create", "dark-mode", "--title", "T", "--body", "x"], 1, "already is an entry"],
      [["update", "dark-mode"], 2, "needs one of --title"],
      [["update", "dark-mode", "--labels", "New"], 2, "--labels has a label"],
      [["publish", "dark-mode"], 2, "--notify is required"],
      [["publish", "dark-mode", "--notify", "--no-notify"], 2, "exclude each other"],
      [["publish", "dark-mode", "--notify", "--at", "2020-01-01T00:00:00Z"], 2, "--at is not in"],
      [["publish", "none", "--notify"], 1, "no entry"],
      [["test", "dark-mode", "ann@example.com"], 1, "sends no mail"],
      [["test", "dark-mode", "ann"], 2, "EMAIL is not a valid e-mail address"],
      [["list", "--state", "gone"], 2, "--state is none of draft"],
      [["delivery", "dark-mode"], 1, "is not being mailed"],
      [["delivery", "dark-mode", "--pause", "--cancel"], 2, "exclude each other"],
    ] as const;
    for (const [args, expected, message] of rows) {
      const { status, out, err } = await run("entries", ...args);
      assertEquals([status, out, err.split("\n").length], [expected, "", 2], err);
      assertStringIncludes(err, message);
    }
  });
});
