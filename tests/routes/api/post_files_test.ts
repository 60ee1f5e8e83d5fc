import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage, type Storage } from "../../../mod.ts";
import { forEachRow } from "../../_support/rows.ts";
import { assertProblem, createService, type TestService } from "../../_support/service.ts";
import { until } from "../../_support/waiting.ts";
import { zip } from "../../_support/zip.ts";

const NDJSON = "application/x-ndjson";
const CSV = "text/csv";
const ZIP = "application/zip";
const POSTS = "boards/ideas/posts";

interface PostReport {
  readonly refused: readonly Readonly<Record<string, unknown>>[];
  /** The counts that are not 0. */
  readonly counts: Readonly<Record<string, number>>;
}

async function createFilled(): Promise<TestService> {
  const service = createService();
  await service.call("POST", "boards", { boardId: "ideas", name: "Ideas" });
  return service;
}

/** Creates a service with a board, and counts the steps that change its storage. */
async function createCounting() {
  const memory = openMemoryStorage();
  let steps = 0;
  const transact: Storage["transact"] = (refs, decide) => {
    steps++;
    return memory.transact(refs, decide);
  };
  const service = createService({ storage: { ...memory, transact } });
  await service.call("POST", "boards", { boardId: "ideas", name: "Ideas" });
  return { ...service, steps: () => steps };
}

async function importFile(
  service: TestService,
  body: BodyInit,
  { type = CSV, query = "" }: { readonly type?: string; readonly query?: string } = {},
): Promise<PostReport> {
  const headers = { "content-type": type };
  const response = await service.send("POST", `${POSTS}/import${query}`, { headers, body });
  const text = await response.text();
  assertEquals(response.status, 200, text);
  const lines = text.trimEnd().split("\n").map((line) => JSON.parse(line));
  const counts = Object.entries<number>(lines.at(-1)).filter(([, count]) => count > 0);
  return { refused: lines.slice(0, -1), counts: Object.fromEntries(counts) };
}

async function exported(service: TestService): Promise<string> {
  return await (await service.send("GET", `${POSTS}/export`)).text();
}

/** Returns the posts in an export by their title, each with the addresses of its voters. */
async function postsOf(service: TestService) {
  const lines = (await exported(service)).split("\n").filter((line) => line !== "")
    .map((line) => JSON.parse(line));
  const voters = (postId: string) =>
    lines.filter((line) => !("title" in line) && line.postId === postId)
      .map(({ userEmail }) => userEmail).sort();
  return Object.fromEntries(
    lines.filter((line) => "title" in line)
      .map((post) => [post.title, { ...post, voters: voters(post.postId) }]),
  );
}

const FIDER =
  "number,title,description,created_at,created_by,votes_count,comments_count,status,responded_by,responded_at,response,original_number,original_title,tags\n" +
  '1,Dark mode,"At night\nit hurts",2024-01-02 03:04:05,Ann,12,0,planned,Ben,2024-02-02 03:04:05,Soon.,,,ui\n' +
  "2,Night mode,,2024-01-03 03:04:05,Cid,3,0,duplicate,,,,1,Dark mode,\n" +
  "3,Printing,,2024-01-04 03:04:05,Dee,2,0,completed,Ben,2024-03-04 00:00:00,It prints.,,,\n";

describe("an import of posts", () => {
  it("stores many posts and votes in a step, as all posts count in one record", async () => {
    const service = await createCounting();
    const postIds = Array.from({ length: 200 }, (_, n) => `p${n}`);
    const posts = postIds.map((postId) => ({ postId, title: `Post ${postId}`, body: "Words." }));
    const votes = postIds.map((postId, n) => ({ postId, userEmail: `v${n % 9}@example.com` }));
    const lines = [...posts, ...votes].map((line) => JSON.stringify(line));
    const before = service.steps();
    const { counts } = await importFile(service, lines.join("\n"), { type: NDJSON });
    assertEquals(counts, { added: 200, votesAdded: 200 });
    const steps = service.steps() - before;
    assert(steps < 30, `${steps} steps`);
  });

  it("come as a table that is safe in a spreadsheet, a row for each post", async () => {
    const service = await createFilled();
    const body = '=HYPERLINK("https://x.example")\nsecond line';
    await service.call("POST", POSTS, { postId: "dark", title: "+1 for dark mode", body });
    await service.call("POST", POSTS, { postId: "night", title: "Night, colours" });
    await service.call("PUT", `${POSTS}/dark/votes`, { userEmail: "ann@x.org", vote: true });
    const headers = { accept: "text/csv" };
    const response = await service.send("GET", `${POSTS}/export`, { headers });
    assertEquals(response.headers.get("content-type"), CSV);
    const table = await response.text();
    assert(table.startsWith("postId,boardId,title,body,"), table);
    const quoted = `"'=HYPERLINK(""https://x.example"")\nsecond line"`;
    assertStringIncludes(table, `\ndark,ideas,'+1 for dark mode,${quoted},`);
    assertMatch(table, /\nsecond line",.*open,,,1,public,api,0,/);
    assertMatch(table, /\nnight,ideas,"Night, colours",,.*open,,,0,public,api,0,/);
    assert(!table.includes("ann@x.org"), table);
    assertEquals((await exported(service)).split("\n").length, 4);
  });

  it("takes the table back without doubling a post or showing a hidden one", async () => {
    const [service, other] = [await createFilled(), await createFilled()];
    await service.call("POST", POSTS, { postId: "dark", title: "=Dark mode", body: "At night" });
    await service.call("POST", POSTS, { postId: "spam", title: "Cheap pills" });
    await service.call("PUT", `${POSTS}/dark/votes`, { userEmail: "ann@x.org", vote: true });
    await service.call("PATCH", `${POSTS}/dark`, { status: "planned", answer: "Soon." });
    await service.call("PATCH", `${POSTS}/spam`, { state: "hidden" });
    const headers = { accept: "text/csv" };
    const table = await (await service.send("GET", `${POSTS}/export`, { headers })).text();
    assertEquals(await importFile(service, table), { refused: [], counts: { unchanged: 2 } });
    assertEquals(await importFile(other, table), { refused: [], counts: { added: 2 } });
    const { "=Dark mode": dark, "Cheap pills": spam } = await postsOf(other);
    assertEquals(
      [dark.postId, dark.body, dark.status, dark.answer, dark.state, dark.importedVotes],
      ["dark", "At night", "planned", "Soon.", "public", 1],
    );
    assertEquals([spam.postId, spam.state], ["spam", "hidden"]);
    const damages = [["\nspam,", "\nnew,", "postId"], [",hidden,", ",secret,", "state"]];
    await forEachRow(damages, async ([from, to, field]) => {
      const { refused } = await importFile(other, table.replace(from, to));
      assertEquals(refused.map((row) => row.field), [field]);
    });
  });

  it("takes Fider's sheet: numbers without voters, answers, and duplicates as merged", async () => {
    const service = await createFilled();
    assertEquals(await importFile(service, FIDER), { refused: [], counts: { added: 3 } });
    const { "Dark mode": dark, "Night mode": night, Printing: printing } = await postsOf(service);
    assertEquals(
      [dark.status, dark.importedVotes, dark.votes, dark.body, dark.answer, dark.answeredAt],
      ["planned", 12, 0, "At night\nit hurts", "Soon.", "2024-02-02T03:04:05.000Z"],
    );
    assertEquals(dark.history, [
      { at: "2024-01-02T03:04:05.000Z", status: "open" },
      { at: "2024-02-02T03:04:05.000Z", status: "planned" },
    ]);
    assertEquals([dark.source, dark.createdAt], ["import", "2024-01-02T03:04:05.000Z"]);
    assertEquals([night.mergedInto, printing.status], [dark.postId, "shipped"]);
    assertEquals(await importFile(service, FIDER), { refused: [], counts: { unchanged: 3 } });
  });

  it("takes a further column of a known product's sheet beside those that it knows", async () => {
    const service = await createFilled();
    const lines = FIDER.replaceAll(",tags\n", ",tags,mail\n").replace(",ui\n", ",ui,ann@x.org\n")
      .replace("Dark mode,\n", "Dark mode,,\n").replace("prints.,,,\n", "prints.,,,,\n");
    const options = { query: "?columns=authorEmail=mail" };
    const { refused, counts } = await importFile(service, lines, options);
    assertEquals([refused, counts], [[], { added: 3 }]);
    const { "Dark mode": dark, "Night mode": night } = await postsOf(service);
    const [author, answer] = [dark.authorEmail, dark.answer];
    assertEquals([author, answer, night.mergedInto], ["ann@x.org", "Soon.", dark.postId]);
    assertEquals(await importFile(service, FIDER), { refused: [], counts: { unchanged: 3 } });
  });

  it("takes Fider's backup with its voters, and its sheet before it changes no number", async () => {
    const tables = {
      "backup/users.json": JSON.stringify([
        { id: 7, name: "Ann", email: "ann@example.com" },
        { id: 8, name: "Bob", email: "bob@example.com" },
        { id: 9, name: "Cid", email: "" },
      ]),
      "backup/posts.json": JSON.stringify([
        { id: 70, number: 1, title: "Dark mode", description: "", status: 1, user_id: 7 },
        { id: 71, number: 2, title: "Night mode", status: 5, original_id: 70, user_id: 8 },
        { id: 72, number: 4, title: "Deleted", status: 6, user_id: 8 },
      ]),
      "backup/post_votes.json": JSON.stringify([
        { user_id: 7, post_id: 70, created_at: "2024-01-02T00:00:00Z" },
        { user_id: 8, post_id: 70, created_at: "2024-01-03T00:00:00Z" },
        { user_id: 9, post_id: 70, created_at: "2024-01-03T00:00:00Z" },
      ]),
    };
    const service = await createFilled();
    const report = await importFile(service, zip(tables), { type: ZIP });
    assertEquals(report, { refused: [], counts: { added: 2, votesAdded: 2 } });
    const { "Dark mode": dark } = await postsOf(service);
    assertEquals([dark.status, dark.votes, dark.authorEmail, dark.voters], [
      ...["started", 2, "ann@example.com", ["ann@example.com", "bob@example.com"]],
    ]);
    const both = await createFilled();
    await importFile(both, FIDER);
    const again = await importFile(both, zip(tables), { type: ZIP });
    // The sheet has no authors.
    assertEquals(again.counts, { changed: 1, unchanged: 1, votesAdded: 2 });
    const { "Dark mode": counted } = await postsOf(both);
    assertEquals([counted.votes, counted.importedVotes], [2, 10]);
  });

  it("takes Quackback's two files, and counts nobody twice", async () => {
    const service = await createFilled();
    const votes = "id,post_id,voter_email,source_type,created_at\n" +
      "v1,p1,ann@example.com,widget,2024-01-02T00:00:00Z\n" +
      "v2,p1,ann+x@example.com,widget,2024-01-02T00:00:00Z\n" +
      "v3,p9,bob@example.com,widget,2024-01-02T00:00:00Z\n";
    const posts =
      "id,title,content,status,tags,board,author_name,author_email,vote_count,created_at\n" +
      "p1,Dark mode,Text,under_review,,Ideas,Ann,ann@example.com,3,2024-01-01T00:00:00Z\n";
    const early = await importFile(service, votes);
    assertEquals(early.counts, { refused: 3 });
    assertStringIncludes(`${early.refused[0].detail}`, "import its posts first");
    assertEquals(early.refused[0].code, "post_not_found");
    assertEquals((await importFile(service, posts)).counts, { added: 1 });
    const report = await importFile(service, votes);
    assertEquals(report.counts, { votesAdded: 1, unchanged: 1, refused: 1 });
    assertEquals(report.refused.map(({ line }) => line), [4]);
    const { "Dark mode": dark } = await postsOf(service);
    assertEquals([dark.status, dark.votes, dark.importedVotes], ["considering", 1, 2]);
  });

  it("come without held and hidden ones for a key without posts:publish", async () => {
    const service = await createFilled();
    await service.call("POST", POSTS, { postId: "shown", title: "Post shown" });
    const [line] = (await exported(service)).split("\n");
    const others = ["held", "hidden"].map((state) =>
      JSON.stringify({ ...JSON.parse(line), postId: state, state, title: `Post ${state}` })
    );
    await importFile(service, others.join("\n"), { type: NDJSON });
    await forEachRow(
      [
        [[], ["shown"]],
        [["posts:publish"], ["held", "hidden", "shown"]],
      ] as const,
      async ([more, expected]) => {
        const key = await service.createKey(["posts:read", "subscriptions:read", ...more]);
        for (const accept of [CSV, NDJSON]) {
          const response = await service.send("GET", `${POSTS}/export`, {
            key,
            headers: { accept },
          });
          const text = await response.text();
          const ids = ["held", "hidden", "shown"].filter((id) => text.includes(`Post ${id}`));
          assertEquals(ids, [...expected]);
        }
      },
    );
  });

  it("takes UserVoice's full export, a row for each voter", async () => {
    const service = await createFilled();
    const file =
      "Idea ID,Title,Description,Creator Email,Creator Name,Forum,Category,Labels,Public Status,Votes,Created At,Status Update,Status Updated At,User Email,User Name\n" +
      "5,Dark mode,Text,ann@example.com,Ann,General,,,Started,3,2025-07-21 03:37:03,On it.,2025-08-01 00:00:00,ann@example.com,Ann\n" +
      "5,Dark mode,Text,ann@example.com,Ann,General,,,Started,3,2025-07-21 03:37:03,On it.,2025-08-01 00:00:00,bob@example.com,Bob\n" +
      "6,Printing,,,,General,,,Odd,1,2025-07-21 03:37:03,,,bob@example.com,Bob\n";
    const report = await importFile(service, file);
    assertEquals(report.counts, { added: 1, votesAdded: 2, refused: 1 });
    assertEquals(report.refused.map(({ line, field }) => [line, field]), [[4, "status"]]);
    assertStringIncludes(`${report.refused[0].detail}`, '"Odd", which is not known');
    const query = `?status=${encodeURIComponent("odd=open")}`;
    const again = await importFile(service, file, { query });
    assertEquals(again.counts, { added: 1, votesAdded: 1, unchanged: 2 });
    const { "Dark mode": dark } = await postsOf(service);
    assertEquals([dark.status, dark.votes, dark.importedVotes, dark.answer], [
      ...["started", 2, 1, "On it."],
    ]);
  });

  it("takes any sheet whose headings are named, and says what is missing otherwise", async () => {
    const service = await createFilled();
    const file = "Idea;Details;Stage;Score\nDark mode;Text;In progress;4\n";
    const columns = "title=Idea,body=Details,status=Stage,votes=Score";
    const headers = { "content-type": CSV };
    const refused = await service.send("POST", `${POSTS}/import`, { headers, body: file });
    await assertProblem(refused, 400, "malformed_body");
    const query = `?columns=${encodeURIComponent(columns)}`;
    assertEquals((await importFile(service, file, { query })).counts, { added: 1 });
    const { "Dark mode": dark } = await postsOf(service);
    assertEquals([dark.status, dark.importedVotes, dark.body], ["started", 4, "Text"]);
    assertEquals((await importFile(service, file, { query })).counts, { unchanged: 1 });
  });

  it("keeps a long title whole, and makes links of pictures", async () => {
    const service = await createFilled();
    const title = "A very long title ".repeat(10).trim();
    await importFile(service, `title,body\n${title},![a](https://a.example/b.png)\n`);
    const [, line] = /^(.*)\n/.exec(await exported(service)) ?? [];
    const post = JSON.parse(line);
    assertEquals(post.title.length, 120);
    assertEquals(post.body, `${title}\n\n[a](https://a.example/b.png)`);
  });

  it("gives the same bytes back when an export is imported elsewhere, in any number", async () => {
    const [service, other] = [await createFilled(), await createFilled()];
    const author = { userEmail: "ann@example.com", userName: "Ann", notify: true };
    await service.call("POST", POSTS, { postId: "dark", title: "Dark mode", ...author });
    await service.call("POST", POSTS, { postId: "print", title: "Printing", body: "Now" });
    for (let at = 0; at < 250; at++) {
      service.advance(1_000);
      const userEmail = `voter${at}@example.com`;
      const vote = { userEmail, vote: true, notify: at % 2 === 0, why: `Because ${at}\nof it` };
      await service.call("PUT", `${POSTS}/dark/votes`, vote);
    }
    await service.call("PATCH", `${POSTS}/print`, { status: "declined", answer: "No." });
    const text = await exported(service);
    other.advance(3_600_000);
    const report = await importFile(other, text, { type: NDJSON });
    assertEquals(report, { refused: [], counts: { added: 2, votesAdded: 251 } });
    assertEquals(await exported(other), text);
    assertEquals((await importFile(other, text, { type: NDJSON })).counts, { unchanged: 253 });
    assertEquals(await exported(other), text);
  });

  it("keeps the number of votes whose addresses were forgotten", async () => {
    const [service, other] = [await createFilled(), await createFilled()];
    await service.call("POST", POSTS, { postId: "dark", title: "Dark mode" });
    for (const name of ["ann", "bob", "cid"]) {
      const vote = { userEmail: `${name}@example.com`, vote: true };
      await service.call("PUT", `${POSTS}/dark/votes`, vote);
    }
    // Retention forgets the addresses, and keeps the number.
    const text = (await exported(service)).split("\n").filter((line) => !line.includes("ann@"))
      .join("\n");
    await importFile(other, text, { type: NDJSON });
    assertEquals(await exported(other), text);
    await importFile(other, text, { type: NDJSON });
    assertEquals(await exported(other), text);
  });

  it("keeps the number of forgotten votes when it broke off before and is repeated", async () => {
    const service = await createFilled();
    await service.call("POST", POSTS, { postId: "dark", title: "Dark mode" });
    for (const name of ["ann", "bob", "cid"]) {
      const vote = { userEmail: `${name}@example.com`, vote: true };
      await service.call("PUT", `${POSTS}/dark/votes`, vote);
    }
    const lines = (await exported(service)).split("\n").filter((line) => !line.includes("ann@"));
    const text = lines.join("\n");
    const other = await createFilled();
    const headers = { "content-type": NDJSON };
    async function* breakOff() {
      yield new TextEncoder().encode(lines.slice(0, 2).map((line) => `${line}\n`).join(""));
      await until(async () => (await exported(other)).includes("@example.com"));
      throw new TypeError("The connection broke");
    }
    const body = ReadableStream.from(breakOff());
    await other.send("POST", `${POSTS}/import`, { headers, body })
      .then((response) => response.text()).catch(() => {});
    for (let round = 0; round < 2; round++) {
      await importFile(other, text, { type: NDJSON });
      assertEquals(await exported(other), text);
    }
  });

  it("leaves away a vote that was withdrawn here", async () => {
    const service = await createFilled();
    await service.call("POST", POSTS, { postId: "dark", title: "Dark mode" });
    const vote = { userEmail: "ann@example.com", vote: true };
    await service.call("PUT", `${POSTS}/dark/votes`, vote);
    const text = await exported(service);
    await service.call("PUT", `${POSTS}/dark/votes`, { ...vote, vote: false });
    const report = await importFile(service, text, { type: NDJSON });
    assertEquals(report.counts, { unchanged: 1, keptUnsubscribed: 1 });
    assertEquals((await postsOf(service))["Dark mode"].votes, 0);
  });

  it("does not bring back people who were erased here, or posts that they alone asked for", async () => {
    const [service, old] = [await createFilled(), await createFilled()];
    const author = { userEmail: "ann@example.com", userName: "Ann" };
    await old.call("POST", POSTS, { postId: "alone", title: "Alone", ...author });
    await old.call("POST", POSTS, { postId: "shared", title: "Shared", ...author });
    const other = { userEmail: "bob@example.com", vote: true };
    await old.call("PUT", `${POSTS}/shared/votes`, other);
    const text = await exported(old);
    await service.call("PUT", "changelogs/subscribe", { ...author, subscribe: true });
    await service.send("DELETE", "changelogs/subscribers/ann@example.com");
    const report = await importFile(service, text, { type: NDJSON });
    assertEquals(report.counts, { added: 1, votesAdded: 1, keptUnsubscribed: 3 });
    assert(!(await exported(service)).includes("ann@example.com"));
    const { Shared: shared } = await postsOf(service);
    assertEquals([shared.votes, shared.authorEmail], [1, null]);
  });

  it("changes nothing in a dry run, and tells what would be", async () => {
    const service = await createFilled();
    const report = await importFile(service, FIDER, { query: "?dryRun" });
    assertEquals(report.counts, { added: 3 });
    assertEquals(await exported(service), "");
  });

  it("refuses the id of a post of another board, and a row that can't be read, with their lines", async () => {
    const service = await createFilled();
    await service.call("POST", "boards", { boardId: "other", name: "Other" });
    await service.call("POST", "boards/other/posts", { postId: "dark", title: "Dark mode" });
    const lines = [{ postId: "dark", title: "Dark mode" }, { postId: "new", title: "No way" }, 1, {
      postId: "ok",
      title: "ab",
    }];
    const text = lines.map((line) => JSON.stringify(line)).join("\n");
    const { refused, counts } = await importFile(service, text, { type: NDJSON });
    assertEquals(counts, { refused: 4 });
    assertEquals(refused.map(({ line, field }) => [line, field]), [
      ...[[1, null], [2, "postId"], [3, null], [4, "title"]],
    ]);
    assertStringIncludes(`${refused[0].detail}`, "another board");
    assertEquals(refused[0].code, "post_exists");
  });

  it("refuses a line of an export with a time, a flag or a history that it can't read", async () => {
    const service = await createFilled();
    const post = { postId: "a", title: "Dark mode" };
    const vote = { postId: "a", userEmail: "ann@example.com" };
    const bad: readonly (readonly [object, string])[] = [
      [{ ...post, createdAt: "yesterday" }, "createdAt"],
      [{ ...post, answeredAt: 5 }, "answeredAt"],
      [{ ...post, history: "open" }, "history"],
      [{ ...post, history: [{ at: "2024-01-02T03:04:05Z", status: "odd" }] }, "history"],
      [{ ...vote, notify: "true" }, "notify"],
      [{ ...vote, at: "soon" }, "at"],
      [{ ...vote, notifyAt: "soon" }, "notifyAt"],
      [{ ...vote, counts: 0 }, "counts"],
    ];
    const lines = [post, ...bad.map(([line]) => line)].map((line) => JSON.stringify(line));
    const { refused, counts } = await importFile(service, lines.join("\n"), { type: NDJSON });
    assertEquals(refused.map(({ field }) => field), bad.map(([, field]) => field));
    assertEquals(counts, { added: 1, refused: bad.length });
  });

  it("is 400 for what it can't read at all, and 404 for no board", async () => {
    const service = await createFilled();
    await forEachRow([
      [CSV, "a,b\n1,2\n"],
      [CSV, ""],
      [ZIP, "PK\u0003\u0004 no archive"],
      [ZIP, zip({ "a.json": "[]" })],
      [NDJSON, '[{"title":"Dark mode"}]'],
    ], async ([type, body]) => {
      const headers = { "content-type": type };
      const path = `${POSTS}/import`;
      await assertProblem(
        await service.send("POST", path, { headers, body }),
        400,
        "malformed_body",
      );
    });
    const headers = { "content-type": CSV };
    const response = await service.send("POST", "boards/none/posts/import", { headers, body: "" });
    await assertProblem(response, 404, "board_not_found");
    const key = await service.createKey(["posts:read"]);
    assertEquals((await service.send("GET", `${POSTS}/export`, { key })).status, 403);
  });
});
