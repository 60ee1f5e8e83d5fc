import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openStorage } from "../../commands/storage/storage.ts";
import { IMAGE_PARTS, IMAGES as IMAGE_RECORDS } from "../../model/kinds.ts";
import { removeRecord } from "../../services/records.ts";
import { assertFailed, createCommandLine } from "../_support/cli.ts";
import { namesIn, withFolder } from "../_support/folder.ts";
import { drawPng, IMAGES, tell } from "../_support/images.ts";

const places = createCommandLine({ environment: { BOARDCAST_STORAGE: "" }, openStorage });

describe("commands for images", () => {
  it("add several, say how Markdown has each, list and delete them", () =>
    withFolder(async (folder) => {
      const { succeed, run, json } = createCommandLine();
      await Deno.writeFile(`${folder}/a.png`, tell("image/png", 1));
      await Deno.writeFile(`${folder}/b`, IMAGES["image/jpeg"]);
      await Deno.writeTextFile(`${folder}/c.svg`, "<svg/>");
      const { out } = await succeed(`images add ${folder}/a.png ${folder}/b`);
      assertMatch(out, /^!\[\]\(images\/\w{16}-8x6\.png\)\n!\[\]\(images\/\w{16}-8x6\.jpg\)\n$/);
      const listed = await json("call listImages");
      assertEquals(listed.map(({ type }) => type).sort(), ["image/jpeg", "image/png"]);
      for (const { imageId } of listed) {
        const { err } = await succeed(`call deleteImage imageId=${imageId}`);
        assertEquals(err, "");
      }
      assertFailed(
        await run(`images add ${folder}/c.svg`),
        2,
        `${folder}/c.svg: The body is no PNG`,
      );
      assertFailed(await run("images add"), 2, "images add needs FILE…");
      assertFailed(await run(`images add ${folder}/none`), 2, `there is no file "${folder}/none"`);
      assertEquals(await json("call listImages"), []);
    }));

  it("are said to be kept by a dry run of a changelog that shows them, and none is added", () =>
    withFolder(async (folder) => {
      const { succeed, json } = createCommandLine();
      await Deno.writeFile(`${folder}/a.png`, tell("image/png", 1));
      const changelog = "# Changelog\n\n## 1.0.0 - 2026-01-01\n\n![A](a.png)\n";
      await Deno.writeTextFile(`${folder}/CHANGELOG.md`, changelog);
      const line = `entries import ${folder}/CHANGELOG.md --images ${folder}`;
      const { err } = await succeed(`${line} --dry-run`);
      assertMatch(err, /1 added, .*\(dry run: nothing was changed\)\n$/);
      assertEquals(await json("call listImages"), []);
      assertEquals((await succeed(line)).err.includes("left out"), false);
    }));

  it("move entries with their images to another place, byte for byte", () =>
    withFolder(async (folder) => {
      const [one, other] = [createCommandLine(), createCommandLine()];
      const files = [tell("image/webp"), drawPng(3, 3, { bytes: 400_000 }), IMAGES["image/gif"]];
      for (const [at, file] of files.entries()) await Deno.writeFile(`${folder}/${at}`, file);
      const paths = files.map((_, at) => `${folder}/${at}`).join(" ");
      const { out: text } = await one.succeed(`images add ${paths}`);
      await one.succeed("call createEntry entryId=a title=A", `body=${text}`);
      const { out, err } = await one.succeed(`entries export --images ${folder}/out`);
      assertStringIncludes(err, `Wrote 3 images to ${folder}/out.`);
      await Deno.writeTextFile(`${folder}/entries.ndjson`, out);
      await other.succeed(`entries import ${folder}/entries.ndjson --images ${folder}/out`);
      const ids = async ({ json }: typeof one) =>
        (await json("call listImages")).map(({ imageId }) => imageId).sort();
      assertEquals(await ids(other), await ids(one));
      await other.succeed(`entries export --images ${folder}/again`);
      assertEquals(await namesIn(`${folder}/again`), await namesIn(`${folder}/out`));
      for (const name of await namesIn(`${folder}/out`)) {
        const [before, after] = await Promise.all(
          ["out", "again"].map((part) => Deno.readFile(`${folder}/${part}/${name}`)),
        );
        assertEquals(after, before);
      }
      assertEquals((await other.succeed("entries export")).out, out);
    }));

  it("take the relative images of a changelog along, of its folder alone, and not in code", () =>
    withFolder(async (folder) => {
      const { succeed, json } = createCommandLine();
      await Deno.mkdir(`${folder}/repo/docs`, { recursive: true });
      await Deno.writeFile(`${folder}/repo/docs/a.png`, IMAGES["image/png"]);
      await Deno.writeFile(`${folder}/secret.png`, drawPng(2, 2));
      const changelog = '## 1.0.0 - 2026-01-31\n\n![A](docs/a.png "Title") ![B](../secret.png) ' +
        "![C](none.png)\n\n```md\n![A](docs/a.png)\n```\n";
      await Deno.writeTextFile(`${folder}/repo/CHANGELOG.md`, changelog);
      await succeed(`entries import ${folder}/repo/CHANGELOG.md --images ${folder}/repo`);
      const [{ imageId }, ...others] = await json("call listImages");
      assertEquals(others, []);
      const { body } = JSON.parse((await succeed("entries export")).out);
      assertStringIncludes(`${body}`, `![A](images/${imageId} "Title")`);
      assertStringIncludes(`${body}`, "```md\n![A](docs/a.png)\n```");
      assertStringIncludes(`${body}`, "../secret.png");
    }));

  it("take an image of a changelog along whose path is percent-encoded", () =>
    withFolder(async (folder) => {
      const { succeed, json } = createCommandLine();
      await Deno.writeFile(`${folder}/Screen shot 100%.png`, IMAGES["image/png"]);
      const text = "## 1.0.0 - 2026-01-31\n\n![A](Screen%20shot%20100%25.png) ![B](100%.png)\n";
      await Deno.writeTextFile(`${folder}/CHANGELOG.md`, text);
      await succeed(`entries import ${folder}/CHANGELOG.md --images ${folder}`);
      const [{ imageId }] = await json("call listImages");
      const { body } = JSON.parse((await succeed("entries export")).out);
      assertEquals(body, `![A](images/${imageId}) ![B](100%.png)`);
    }));

  it("end with 2 and say which folder is missing before anything is imported", () =>
    withFolder(async (folder) => {
      const { run, succeed } = createCommandLine();
      await succeed("call createBoard boardId=a name=A");
      await Deno.writeTextFile(`${folder}/CHANGELOG.md`, "## 1.0.0 - 2026-01-31\n\nx\n");
      const result = await run(`entries import ${folder}/CHANGELOG.md --images ${folder}/none`);
      assertFailed(result, 2, `there is no file "${folder}/none"`);
      assertEquals((await succeed("call listEntries")).out, "");
    }));

  it("copy images to another storage, and name a part that is missing", () =>
    withFolder(async (folder) => {
      await Deno.writeFile(`${folder}/a`, drawPng(5, 5, { bytes: 500_000 }));
      await places.succeed(`images add ${folder}/a --storage file:${folder}/one`);
      await places.succeed(`copy file:${folder}/one kv:${folder}/two`);
      await places.succeed(`check kv:${folder}/two`);
      const storage = await openStorage(`kv:${folder}/two`);
      const [{ imageId }] = await storage.list(IMAGE_RECORDS, { limit: 1 });
      const [, { partId }] = await storage.list(IMAGE_PARTS, { limit: 9 });
      await removeRecord(storage, IMAGE_PARTS, partId);
      await storage.close();
      const { status, out } = await places.run(`check kv:${folder}/two`);
      assertEquals(status, 1);
      assertStringIncludes(out, `images ${imageId}: The image ${imageId} lacks its part 2 of 3`);
    }));
});
