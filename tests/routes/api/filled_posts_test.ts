import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createService, type TestService } from "../../_support/service.ts";

const POSTS = "boards/ideas/posts";

async function createBoard(): Promise<TestService> {
  const service = createService();
  await service.call("POST", "boards", { boardId: "ideas", name: "Ideas" });
  return service;
}

/** Imports a sheet, and returns the last line of the report. */
async function importSheet(service: TestService, body: string, query = "") {
  const headers = { "content-type": "text/csv" };
  const response = await service.send("POST", `${POSTS}/import${query}`, { headers, body });
  return JSON.parse((await response.text()).trimEnd().split("\n").at(-1)!);
}

async function readPost(service: TestService) {
  const text = await (await service.send("GET", `${POSTS}/export`)).text();
  return JSON.parse(text.split("\n")[0]);
}

const WHOLE = "title,body,answer,votes,authorEmail\n" +
  "Dark mode,At night,Soon.,12,ann@example.com\n";

describe("a second import of posts", () => {
  it("fills what is empty, once", async () => {
    const service = await createBoard();
    await importSheet(service, "title\nDark mode\n");
    const sums = [];
    for (const query of ["?dryRun", "", ""]) {
      const { added, changed, unchanged } = await importSheet(service, WHOLE, query);
      sums.push([added, changed, unchanged]);
    }
    assertEquals(sums, [[0, 1, 0], [0, 1, 0], [0, 0, 1]]);
    const { body, answer, importedVotes, authorEmail } = await readPost(service);
    assertEquals([body, answer, importedVotes, authorEmail], [
      ...["At night", "Soon.", 12, "ann@example.com"],
    ]);
  });

  it("overwrites nothing", async () => {
    const service = await createBoard();
    await importSheet(service, WHOLE);
    const before = await readPost(service);
    const other = WHOLE.replace("At night", "By day").replace("Soon", "No").replace("12", "3");
    const { changed, unchanged } = await importSheet(service, other.replace("ann@", "bob@"));
    assertEquals([changed, unchanged], [0, 1]);
    assertEquals(await readPost(service), before);
  });

  it("brings no vote back as a number that was withdrawn here", async () => {
    const service = await createBoard();
    const file = "title,votes,userEmail\nDark mode,1,ann@example.com\n";
    await importSheet(service, file);
    const { postId } = await readPost(service);
    const vote = { userEmail: "ann@example.com", vote: false };
    await service.call("PUT", `${POSTS}/${postId}/votes`, vote);
    await importSheet(service, file);
    const { votes, importedVotes } = await readPost(service);
    assertEquals([votes, importedVotes], [0, 0]);
  });

  it("counts votes of the rows that fill a post", async () => {
    const service = await createBoard();
    await importSheet(service, "title\nDark mode\n");
    const sum = await importSheet(
      service,
      "title,votes,userEmail\nDark mode,5,ann@example.com\nDark mode,5,bob@example.com\n",
    );
    assertEquals([sum.changed, sum.votesAdded], [1, 2]);
    const { votes, importedVotes } = await readPost(service);
    assertEquals([votes, importedVotes], [2, 3]);
  });

  it("names no author again who was erased", async () => {
    const service = await createBoard();
    await importSheet(service, "title,votes,authorEmail\nDark mode,12,ann@example.com\n");
    await service.send("DELETE", "changelogs/subscribers/ann@example.com");
    await importSheet(service, WHOLE);
    const { authorEmail } = await readPost(service);
    assertEquals(authorEmail, null);
  });
});

describe("a dry run of an import of posts", () => {
  it("shows the first three posts as they would come with preview", async () => {
    const service = await createBoard();
    const rows = ["One", "Two", "Three", "Four"].map((word) =>
      `Idea ${word},<p>At <b>night</b></p>,3,ann@example.com\n`
    );
    const file = `title,body,votes,userEmail\n${rows.join("")}`;
    const { preview, format, added } = await importSheet(service, file, "?dryRun&preview");
    assertEquals([added, format, preview.length], [4, "sheet", 3]);
    const { line, title, body, importedVotes, userEmail, authorEmail } = preview[0];
    assertEquals([line, title, body, importedVotes, userEmail, authorEmail], [
      ...[2, "Idea One", "At **night**", 3, "ann@example.com", null],
    ]);
    assertEquals((await importSheet(service, file, "?preview")).preview, undefined);
  });
});
