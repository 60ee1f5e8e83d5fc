import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createCommandLine } from "./_cli.ts";

const URL = "https://example.com/hooks";

async function createOne() {
  const command = createCommandLine();
  const { status, out, err } = await command.run("webhooks", "create", URL);
  assertEquals(status, 0, err);
  const { out: listed } = await command.run("webhooks", "list", "--json");
  const { webhookId } = JSON.parse(listed);
  return { ...command, webhookId, out, err };
}

describe("webhooks on the command line", () => {
  it("are created, changed and deleted", async () => {
    const { run, webhookId, out, err } = await createOne();
    assertMatch(out, /^whsec_[\w+/]{43}=\n$/);
    assertStringIncludes(err, `Created the webhook ${webhookId};`);
    const types = ["--type", "entry.published", "--type", "entry.updated"];
    await run("webhooks", "update", webhookId, "--disable", ...types);
    const { out: text } = await run("webhooks", "get", webhookId, "--json");
    const { enabled, types: kept } = JSON.parse(text);
    assertEquals([enabled, kept], [false, ["entry.published", "entry.updated"]]);
    await run("webhooks", "update", webhookId, "--enable");
    assertMatch((await run("webhooks", "list")).out, /entry\.updated +yes/);
    assertMatch((await run("webhooks", "rotate", webhookId)).out, /^whsec_.*=\n$/);
    assertEquals((await run("webhooks", "delete", webhookId)).status, 0);
    assertEquals((await run("webhooks", "list")).err, "There are no webhooks.\n");
  });

  it("are tested, and their messages listed and sent again", async () => {
    const { run, webhookId } = await createOne();
    const { status, err } = await run("webhooks", "test", webhookId);
    const [messageId] = /msg_\w+/.exec(err) ?? [""];
    assertEquals(status, 0, err);
    const { out } = await run("webhooks", "messages", webhookId);
    assertMatch(out, new RegExp(`${messageId} +test +waiting +0 `));
    assertEquals((await run("webhooks", "retry", webhookId, messageId)).status, 0);
  });

  it("are refused in one line that names what to mend", async () => {
    const { run, webhookId } = await createOne();
    const rows: readonly (readonly [readonly string[], number, string])[] = [
      [["create", "http://example.com/"], 2, "URL must start with https://"],
      [["create", URL, "--type", "entry.gone"], 2, '--type names the unknown type "entry.gone"'],
      [["update", webhookId, "--enable", "--disable"], 2, "--enable and --disable exclude"],
      [["delete", "none"], 1, "There is no webhook with this webhookId"],
    ];
    for (const [args, status, message] of rows) {
      const { err, ...result } = await run("webhooks", ...args);
      assertEquals(result.status, status, err);
      assertStringIncludes(err.toLowerCase(), message.toLowerCase());
    }
  });
});
