import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { BOARD_TALLIES } from "../../../../model/posts/records.ts";
import { MAX_OPEN_POSTS } from "../../../../model/posts/post.ts";
import { createPost } from "../../../../services/posts/create.ts";
import { replaceRecord } from "../../../../services/records.ts";
import {
  BOARD,
  hiddenFields,
  OWN,
  POST_ID,
  startForms,
  VOTE_PATH,
} from "../../../_support/board_forms.ts";
import { START } from "../../../_support/service.ts";

const ANN = "ann@example.com";
const NEW_PATH = `/boards/${BOARD}/new`;

describe("a page with forms", () => {
  it("offers a vote in two buttons with nothing ticked, and a report", async () => {
    await using service = await startForms();
    const { text, headers } = await service.read(VOTE_PATH);
    assertEquals(headers.get("cache-control"), "public, max-age=60");
    const form = /<section class="panel" id="vote">[^]*?<\/section>/.exec(text)![0];
    assert(form.includes('name="userEmail"') && !form.includes("checked"));
    assertEquals(form.match(/<button/g)?.length, 2);
    assert(text.includes(`${VOTE_PATH}/report"`));
    const board = await service.read(`/boards/${BOARD}`);
    assert(board.text.includes(`${VOTE_PATH}#vote" aria-label="Vote for`));
    await service.call("PATCH", `boards/${BOARD}/posts/${POST_ID}`, { status: "shipped" });
    const closed = await service.read(VOTE_PATH);
    assert(!closed.text.includes("<form"));
  });

  it("asks for a title, then shows similar ideas and the rest, and is kept by nobody", async () => {
    await using service = await startForms();
    const first = await service.read(NEW_PATH);
    assert(/<form class="stack" action="[^"]*\/new">[^]*name="title"/.test(first.text));
    for (const query of ["?title=A+darker+mode", "?title=%3Cb%3E", "?title=ab"]) {
      const { status, text, headers } = await service.read(NEW_PATH + query);
      assertEquals([status, headers.get("etag")], [200, null]);
      assertEquals(headers.get("cache-control"), "private, no-store");
      assert(text.includes('name="opened"') && text.includes('name="body"'));
      assertEquals(text.includes(`${VOTE_PATH}#vote`), query === "?title=A+darker+mode");
      assert(!text.includes("<b>"));
    }
  });

  it("says that a board is full, without a form", async () => {
    await using service = await startForms();
    const [{ instanceId }] = await service.storage.list(BOARD_TALLIES, { limit: 1 });
    const full = { kind: BOARD_TALLIES, key: instanceId };
    await replaceRecord(service.storage, full, (tally) => ({ ...tally, open: MAX_OPEN_POSTS }));
    const { status, text } = await service.read(`${NEW_PATH}?title=One+more`);
    assertEquals(status, 200);
    assert(text.includes("takes no more ideas") && !text.includes("<form"));
  });

  it("needs one press to vote if the browser remembers the person, and stores no request", async () => {
    await using service = await startForms();
    const cookie = await service.remember(ANN);
    const headers = { cookie };
    const page = await service.read(`/boards/${BOARD}`, headers);
    assertEquals(page.headers.get("cache-control"), "private, no-store");
    assertEquals(page.headers.get("vary"), "Cookie");
    const path = `method="post" action="https://[^"]*${VOTE_PATH}"`;
    assert(new RegExp(`<form ${path}><button class="tally"`).test(page.text), page.text);
    assert(!page.text.includes(ANN));
    await service.submit(VOTE_PATH, { headers: { ...headers, ...OWN } });
    assertEquals(await service.votes(), 1);
    const after = await service.read(`/boards/${BOARD}`, headers);
    assert(after.text.includes('class="tally given"'));
    const own = await service.read(VOTE_PATH, headers);
    assertEquals(hiddenFields(own.text).vote, "false");
    const others = await service.read(`/boards/${BOARD}`);
    assert(!others.text.includes(`tally given"`));
  });

  it("shows a held idea to its author alone", async () => {
    await using service = await startForms({ moderation: "all" });
    await createPost(service.storage, {
      ...{ boardId: BOARD, postId: "mine", title: "Mine alone", body: null, source: "form" },
      ...{ keyId: null, at: START, author: { userEmail: ANN, userName: null, notify: false } },
    });
    const path = `/boards/${BOARD}/mine`;
    assertEquals((await service.read(path)).status, 404);
    const ann = { cookie: await service.remember(ANN) };
    assertEquals((await service.read(path, ann)).status, 200);
    const ben = { cookie: await service.remember("ben@example.com") };
    assertEquals((await service.read(path, ben)).status, 404);
  });
});
