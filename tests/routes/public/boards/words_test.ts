import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { BOARD, PUBLIC_URL, startForms, VOTE_PATH } from "../../../_support/board_forms.ts";
import { createBoardService } from "../../../_support/boards.ts";
import { forEachRow } from "../../../_support/rows.ts";

describe("pages of boards without a mailer", () => {
  it("have no word of voting and adding ideas", async () => {
    const { send, call, add } = await createBoardService({ publicUrl: PUBLIC_URL });
    await call("POST", "boards", { boardId: "none", name: "Empty", visibility: "public" });
    await add("dark");
    const paths = ["/boards", "/boards/ideas", "/boards/none", "/boards/ideas?q=x"];
    await forEachRow([...paths, "/boards/ideas/dark"].map((path) => [path]), async ([path]) => {
      const text = await (await send("GET", path, { key: null })).text();
      const shown = text.replace(/<(style|head)>[^]*?<\/\1>/g, "");
      assert(
        !/\bvote\b|add (?:an|your|it)|Ideas and votes/i.test(
          shown.replace(/aria-label="[^"]*"/g, ""),
        ),
        shown,
      );
    });
  });
});

describe("a mail that proves an address", () => {
  it("names the product, the board and the kind of request, and no idea", async () => {
    await using service = await startForms();
    const vote = await service.mailed(VOTE_PATH, { userEmail: "ann@example.com" });
    assertMatch(vote.subject, /^Please confirm your vote: .+, Wishes$/);
    assert(!vote.text.includes("Dark mode"));
    const form = { userEmail: "ben@example.com", title: "Larger letters" };
    const idea = await service.mailed(`/boards/${BOARD}/new`, form);
    assertMatch(idea.subject, /^Please confirm your idea: .+, Wishes$/);
  });
});

describe("the page of an idea", () => {
  it("names no author in its metadata but the team, of ideas of its own", async () => {
    await using service = await startForms();
    await service.call("POST", `boards/${BOARD}/posts`, {
      ...{ postId: "anns", title: "By Ann", userEmail: "ann@example.com" },
    });
    const hasAuthor = async (path: string) => (await service.read(path)).text.includes('"author":');
    assertEquals(await hasAuthor(VOTE_PATH), true);
    assertEquals(await hasAuthor(`/boards/${BOARD}/anns`), false);
  });
});

describe("the page of a report", () => {
  it("names the idea, and leads to the board when there is none", async () => {
    await using service = await startForms();
    assertStringIncludes((await service.read(`${VOTE_PATH}/report`)).text, "<p>Dark mode</p>");
    await service.call("PATCH", `boards/${BOARD}/posts/dark-mode`, { state: "hidden" });
    const { status, text } = await service.read(`${VOTE_PATH}/report`);
    assertEquals([status, text.includes("Dark mode")], [404, false]);
    assertStringIncludes(text, `href="${PUBLIC_URL}/boards/${BOARD}" dir="auto"`);
  });
});
