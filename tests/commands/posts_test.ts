import { assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openStorage } from "../../commands/storage/storage.ts";
import { assertFailed, createCommandLine } from "../_support/cli.ts";
import { namesIn, withFolder } from "../_support/folder.ts";

const SHEET = "id,title,content,status,vote_count,author_email,created_at\n" +
  "p1,Dark mode,Text,Later on,3,,2024-01-01T00:00:00Z\n" +
  "p2,Printing,Text,planned,1,,2024-01-01T00:00:00Z\n";

describe("commands for posts", () => {
  it("make no folder for an import onto one that isn't there", () =>
    withFolder(async (folder) => {
      const { run } = createCommandLine({ openStorage });
      await Deno.writeTextFile(`${folder}/posts.csv`, SHEET);
      const line = `posts import ${folder}/posts.csv --board ideas --storage file:${folder}/none`;
      assertEquals((await run(line)).status, 1);
      assertEquals(await namesIn(folder), ["posts.csv"]);
    }));

  it("move posts in from a sheet, and on to another place, byte for byte", () =>
    withFolder(async (folder) => {
      const [one, other] = [createCommandLine(), createCommandLine()];
      for (const { succeed } of [one, other]) {
        await succeed("call createBoard boardId=ideas name=Ideas");
      }
      const file = `${folder}/posts.csv`;
      await Deno.writeTextFile(file, SHEET);
      const refused = await one.run(`posts import ${file} --board ideas`);
      assertEquals(refused.status, 3);
      assertStringIncludes(refused.err, 'line 2: status is "Later on", which is not known');
      assertStringIncludes(refused.err, "1 posts added, 0 votes added");
      const { err } = await one.succeed(
        `posts import ${file} --board ideas --status`,
        "later on=considering",
      );
      assertStringIncludes(err, "1 posts added, 0 votes added, 1 rows unchanged");
      await one.succeed(
        "call putVote boardId=ideas userEmail=ann@example.com vote=true",
        [
          ...(await one.succeed("posts export --board ideas")).out.matchAll(/"postId":"(\w+)"/g),
        ].slice(0, 1).map(([, id]) => `postId=${id}`).join(),
      );
      const { out } = await one.succeed("posts export");
      await Deno.writeTextFile(`${folder}/ideas.ndjson`, out);
      await other.succeed(`posts import ${folder}/ideas.ndjson --board ideas`);
      assertEquals((await other.succeed("posts export --board ideas")).out, out);
    }));

  it("print a table of a board's posts", async () => {
    const { succeed } = createCommandLine();
    await succeed("call createBoard boardId=ideas name=Ideas");
    await succeed("call createPost boardId=ideas postId=dark", "title==Dark");
    const { out, err } = await succeed("posts export --board ideas --format csv");
    assertStringIncludes(out, "\ndark,ideas,'=Dark,");
    assertEquals(err, "Exported the posts of ideas.\n");
  });

  it("say what is missing", async () => {
    const { run } = createCommandLine();
    assertFailed(await run("posts export --format csv"), 2, "--format csv needs --board");
    assertFailed(await run("posts import posts.csv"), 2, "--board");
    assertFailed(
      await run("posts import none.csv --board ideas"),
      2,
      'there is no file "none.csv"',
    );
  });
});
