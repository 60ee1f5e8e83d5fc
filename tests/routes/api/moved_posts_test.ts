import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { PEOPLE } from "../../../model/posts/records.ts";
import { forEachRow } from "../../_support/rows.ts";
import { createService, type TestService } from "../../_support/service.ts";
import { zip } from "../../_support/zip.ts";

const POSTS = "boards/ideas/posts";
const CSV = "text/csv";
const ZIP = "application/zip";
const NDJSON = "application/x-ndjson";
const UNAPPROVED = zip({
  "posts.json": JSON.stringify([
    {
      ...{ id: 6, number: 2, title: "Buy pills now", description: "spam", status: 0, user_id: 2 },
      ...{ created_at: "2024-05-02T10:00:00Z", is_approved: false },
    },
    { id: 7, number: 3, title: "Dark mode", status: 0, is_approved: true, slug: "dark-mode" },
    { id: 8, number: 4, title: "Gone idea", status: 6 },
  ]),
  "post_votes.json": JSON.stringify([
    { user_id: 2, post_id: 8 },
    { user_id: 3, post_id: 7 },
    { user_id: 2, post_id: 7 },
  ]),
  "users.json": JSON.stringify([{ id: 2, email: "s@example.net" }, { id: 3, email: "" }]),
});
const USER_VOICE =
  "Idea ID,Title,Description,Creator Email,Public Status,Votes,Created At,Moderation State,User Email\n";

interface Report {
  readonly remarks: readonly Readonly<Record<string, unknown>>[];
  readonly sum: Readonly<Record<string, unknown>>;
}

async function createBoard(visibility = "private"): Promise<TestService> {
  const service = createService({ publicUrl: "https://x.test" });
  await service.call("POST", "boards", { boardId: "ideas", name: "Ideas", visibility });
  return service;
}

async function importFile(
  service: TestService,
  body: BodyInit,
  { type = CSV, query = "" }: { readonly type?: string; readonly query?: string } = {},
): Promise<Report> {
  const headers = { "content-type": type };
  const response = await service.send("POST", `${POSTS}/import${query}`, { headers, body });
  const text = await response.text();
  assertEquals(response.status, 200, text);
  const lines = text.trimEnd().split("\n").map((line) => JSON.parse(line));
  return { remarks: lines.slice(0, -1), sum: lines.at(-1) };
}

/** Returns the posts of all states by title, and the addresses of their voters. */
async function postsOf(service: TestService) {
  const text = await (await service.send("GET", `${POSTS}/export`)).text();
  const lines = text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
  const voters = (postId: string) =>
    lines.filter((line) => !("title" in line) && line.postId === postId)
      .map(({ userEmail }) => userEmail).sort();
  return Object.fromEntries(
    lines.filter((line) => "title" in line)
      .map((post) => [post.title, { ...post, voters: voters(post.postId) }]),
  );
}

const linesOf = ({ remarks }: Report) => remarks.map(({ line, field }) => [line, field]);

describe("an import of another product's posts", () => {
  it("holds a post of Fider that was not approved, and leaves out a deleted one", async () => {
    const service = await createBoard("public");
    const { remarks, sum } = await importFile(service, UNAPPROVED, { type: ZIP });
    assertEquals(remarks, []);
    assertEquals([sum.added, sum.votesAdded, sum.leftOut, sum.unusedColumns], [
      ...[2, 1, { spam: 0, deleted: 1, withoutAddress: 1 }, ["slug"]],
    ]);
    const { "Buy pills now": held, "Dark mode": dark } = await postsOf(service);
    assertEquals([held.state, dark.state, dark.votes], ["held", "public", 1]);
    await forEachRow([
      ["/boards"],
      ["/boards/ideas"],
      ["/boards/ideas.atom"],
      ["/boards/ideas?q=pills"],
      ["/sitemap.xml"],
    ], async ([path]) => {
      const page = await (await service.handler(new Request(`https://x.test${path}`))).text();
      assert(!page.includes("pills now") && !page.includes(held.postId), page);
    });
    assertEquals(
      (await service.handler(new Request(`https://x.test/boards/ideas/${held.postId}`))).status,
      404,
    );
  });

  it("goes by the words that products have for what was approved", async () => {
    const service = await createBoard();
    const rows = ["Approved", "", "published", "pending", "Awaiting Moderation", "hidden"];
    const gone = ["archived", "spam", "deleted", "odd"];
    const file = [...rows, ...gone].map((word, at) =>
      `${at},Idea number ${at},,,active,1,2025-07-21 03:37:03,${word},v@example.net\n`
    ).join("");
    const report = await importFile(service, USER_VOICE + file);
    assertEquals(report.sum.leftOut, { spam: 1, deleted: 1, withoutAddress: 0 });
    assertEquals(linesOf(report), [[11, "state"]]);
    const posts: Record<string, { readonly state: string }> = await postsOf(service);
    const states = Object.entries(posts).map(([title, { state }]) => [title, state]);
    assertEquals(states.sort(), [
      ["Idea number 0", "public"],
      ["Idea number 1", "public"],
      ["Idea number 2", "public"],
      ["Idea number 3", "held"],
      ["Idea number 4", "held"],
      ["Idea number 5", "hidden"],
      ["Idea number 6", "hidden"],
    ]);
  });

  it("reads the state of Quackback's posts, and of any sheet", () =>
    forEachRow([
      ["id,title,body,status,vote_count,moderation\n1,Cheap watches,buy,open,1,pending\n", ""],
      ["title,state\nCheap watches,pending\n", ""],
      ["Idea,Mod\nCheap watches,pending\n", "?columns=title%3DIdea,state%3DMod"],
    ], async ([file, query]) => {
      const service = await createBoard();
      assertEquals((await importFile(service, file, { query })).remarks, []);
      assertEquals((await postsOf(service))["Cheap watches"].state, "held");
    }));

  it("reads UserVoice's real headings, and its documented ones", () =>
    forEachRow([
      [
        "Idea ID,Idea Title,Idea Description,Idea Creator Email Address,Public Status Name,Moderation State,Voters Count,Created Timestamp,Public Status Update Message,Public Status Updated Timestamp,User Email Address,User Name,Linked Idea Creation Date,Forum Name",
        "Forum Name",
      ],
      [
        "suggestion.id,suggestion.title,suggestion.body,suggestion.creator.email_address,suggestion.status.name,suggestion.state,suggestion.voters_count,suggestion.created_timestamp,suggestion.status_update_message,suggestion.status_updated_timestamp,user.email_address,user.name,linked_idea.creation_date,suggestion.slug",
        "suggestion.slug",
      ],
      [
        "suggestion.id,suggestion.title,suggestion.body,suggestion.creator.email,suggestion.status.name,suggestion.state,suggestion.voters_count,suggestion.created_timestamp,suggestion.status_update_message,suggestion.status_updated_timestamp,user.email_address,user.name,linked_idea.creation_date,suggestion.slug",
        "suggestion.slug",
      ],
    ], async ([header, unused]) => {
      const service = await createBoard();
      const row = "5,Dark mode,At night,ann@example.com,Started,published,3,2025-07-21 03:37:03," +
        "On it.,2025-08-01 00:00:00,bob@example.com,Bob,2025-07-22 10:00:00,x\n";
      const { remarks, sum } = await importFile(service, `${header}\n${row}`);
      assertEquals([remarks, sum.unusedColumns], [[], [unused]]);
      const { "Dark mode": dark } = await postsOf(service);
      assertEquals([dark.body, dark.status, dark.answer, dark.authorEmail, dark.importedVotes], [
        ...["At night", "started", "On it.", "ann@example.com", 2],
      ]);
      assertEquals([dark.createdAt, dark.answeredAt, dark.voters], [
        "2025-07-21T03:37:03.000Z",
        "2025-08-01T00:00:00.000Z",
        ["bob@example.com"],
      ]);
    }));

  it("names the columns that it does not use", async () => {
    const service = await createBoard();
    const file = "title,description,votes_count,author\nDark mode,At night,3,Ann\n";
    for (const query of ["?dryRun", ""]) {
      const { sum } = await importFile(service, file, { query });
      assertEquals(sum.unusedColumns, ["description", "votes_count", "author"]);
    }
    const line = JSON.stringify({ postId: "a", title: "Printing", upvotes: 3 });
    const { sum } = await importFile(service, `${line}\n`, { type: NDJSON });
    assertEquals(sum.unusedColumns, ["upvotes"]);
  });

  it("refuses a time that can't be read, and a negative number of votes", async () => {
    const service = await createBoard();
    const header = "title,votes,createdAt,userEmail,at\n";
    const report = await importFile(
      service,
      `${header}Dark mode,1,21/07/2025,,\nPrinting,-3,,,\nExport,1,,ann@example.com,yesterday\n`,
    );
    assertEquals(linesOf(report), [[2, "createdAt"], [3, "votes"], [4, "at"]]);
    const fider =
      "number,title,description,votes_count,status,responded_at,response\n1,Dark mode,,1,open,1/2/3,No.\n";
    assertEquals(linesOf(await importFile(service, fider)), [[2, "answeredAt"]]);
    assertEquals(await postsOf(service), {});
  });

  it("refuses a second idea of one title, and joins rows that differ by their voters", async () => {
    const service = await createBoard();
    const report = await importFile(
      service,
      "title,body,userEmail\nDark mode,One,ann@example.com\nDark mode,One,bob@example.com\n" +
        "Dark mode,Two,cid@example.com\nPrinting,,\nPrinting,,\n",
    );
    assertEquals(linesOf(report), [[4, "postId"], [6, "postId"]]);
    assertStringIncludes(`${report.remarks[0].detail}`, "line 2");
    assertEquals([report.sum.added, report.sum.votesAdded, report.sum.refused], [2, 2, 2]);
    const { "Dark mode": dark } = await postsOf(service);
    assertEquals([dark.body, dark.voters], ["One", ["ann@example.com", "bob@example.com"]]);
  });

  it("refuses an id that a file gives to two ideas", async () => {
    const service = await createBoard();
    const report = await importFile(service, "postId,title\n1,Dark mode\n1,Printing\n");
    assertEquals(linesOf(report), [[3, "postId"]]);
  });

  it("makes a duplicate without its original a post of its own, and says so", async () => {
    const service = await createBoard();
    const file = "number,title,description,votes_count,status,response,original_number\n" +
      "3,Go support,,4,duplicate,,99\n4,Night mode,,2,duplicate,,5\n5,Dark mode,,9,open,,\n";
    for (const query of ["?dryRun", ""]) {
      const { remarks, sum } = await importFile(service, file, { query });
      assertEquals(remarks.map(({ line, code, row }) => [line, code, row]), [
        [2, "original_missing", null],
      ]);
      assertEquals([sum.added, sum.refused], [3, 0]);
    }
    const { "Go support": go, "Night mode": night, "Dark mode": dark } = await postsOf(service);
    assertEquals([go.mergedInto, go.importedVotes, night.mergedInto], [null, 4, dark.postId]);
    const { data } = await service.call("GET", POSTS);
    const titles = (data as readonly { title: string }[]).map(({ title }) => title);
    assertEquals(titles, ["Dark mode", "Go support"]);
    const again = await importFile(service, file);
    assertEquals([again.remarks, again.sum.unchanged], [[], 3]);
  });

  it("makes posts of their own of lines that lead to each other", async () => {
    const service = await createBoard();
    const lines = [
      { postId: "a", title: "Idea A", mergedInto: "b" },
      { postId: "b", title: "Idea B", mergedInto: "a" },
      { postId: "b", userEmail: "ann@example.com" },
    ].map((line) => `${JSON.stringify(line)}\n`).join("");
    const { remarks, sum } = await importFile(service, lines, { type: NDJSON });
    assertEquals(remarks.map(({ line }) => line), [1, 2]);
    assertEquals([sum.added, sum.votesAdded, sum.refused], [2, 1, 0]);
    const { "Idea A": a, "Idea B": b } = await postsOf(service);
    assertEquals([a.mergedInto, b.mergedInto, b.votes], [null, null, 1]);
  });

  it("counts the held ideas of a person without merged ones", async () => {
    const service = await createBoard();
    const post = { state: "held", authorEmail: "ann@example.com" };
    const lines = [
      { ...post, postId: "a", title: "Idea A" },
      { ...post, postId: "b", title: "Idea B", mergedInto: "c" },
      { postId: "c", title: "Idea C" },
      { ...post, postId: "d", title: "Idea D", mergedInto: "lost" },
    ].map((line) => `${JSON.stringify(line)}\n`).join("");
    const heldIdeas = async () => (await service.storage.get(PEOPLE, "ann@example.com"))?.heldIdeas;
    await importFile(service, lines, { type: NDJSON });
    assertEquals(await heldIdeas(), 2);
    await service.call("POST", `${POSTS}/b/unmerge`);
    assertEquals(await heldIdeas(), 3);
  });

  it("counts the voters of a duplicate whose original stands further below", async () => {
    const service = await createBoard();
    const file = "Idea ID,Idea Title,Parent Idea ID,User Email Address\n" +
      "1,Night mode,2,ann@example.com\n2,Dark mode,,bob@example.com\n3,Go support,9,c@example.com\n";
    const { remarks, sum } = await importFile(service, file);
    assertEquals(remarks.map(({ line }) => line), [4]);
    assertEquals([sum.added, sum.votesAdded, sum.refused], [3, 3, 0]);
    const { "Dark mode": dark, "Go support": go } = await postsOf(service);
    assertEquals([dark.voters, go.voters], [["ann@example.com", "bob@example.com"], [
      "c@example.com",
    ]]);
  });

  it("turns HTML into Markdown", async () => {
    const service = await createBoard();
    const html = "<p>At <b>night</b></p>\n<ul><li>it hurts</li></ul>";
    await importFile(service, `title,body,answer\nDark mode,"${html}","<p>Soon.</p>"\n`);
    const { "Dark mode": dark } = await postsOf(service);
    assertEquals([dark.body, dark.answer], ["At **night**\n\n- it hurts", "Soon."]);
  });

  it("takes an unknown status by the hint as it is printed", () =>
    forEachRow([["closed as won't do"], ["Later, maybe"], ["50% there!"]], async ([word]) => {
      const service = await createBoard();
      const file = `title,status\nDark mode,"${word}"\n`;
      const { remarks: [{ detail }] } = await importFile(service, file);
      const [, hint] = /--status '(.*?)=STATUS'/.exec(`${detail}`) ?? [];
      const query = `?status=${encodeURIComponent(`other=open,${hint}=declined`)}`;
      assertEquals((await importFile(service, file, { query })).remarks, []);
      assertEquals((await postsOf(service))["Dark mode"].status, "declined");
    }));
});
