import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { PENDING } from "../../../../model/proof/pending.ts";
import {
  BOARD,
  type FormService,
  hiddenFields,
  linkOf,
  OWN,
  POST_ID,
  PUBLIC_URL,
  startForms,
  VOTE_PATH,
} from "../../../_support/board_forms.ts";
import { until } from "../../../_support/waiting.ts";

const ANN = "ann@example.com";
const POSTS_PATH = `boards/${BOARD}/posts`;
const VOTES_PATH = `${POSTS_PATH}/${POST_ID}/votes`;

interface Vote {
  readonly notify: boolean;
  readonly source: string;
}

async function votesOf({ call }: FormService, postId = POST_ID): Promise<readonly Vote[]> {
  return (await call<{ data: Vote[] }>("GET", `${POSTS_PATH}/${postId}/votes`)).data;
}

describe("a vote that waits for proof", () => {
  it("still asks for mail when its form is sent again without asking", async () => {
    await using service = await startForms();
    const link = await service.proofLink(ANN);
    const contents = async () => (await service.storage.list(PENDING, { limit: 9 }))[0].content;
    const first = await contents();
    await service.submit(VOTE_PATH, { form: { userEmail: ANN, notify: "true" } });
    await until(async () => await contents() !== first);
    await service.submit(VOTE_PATH, { form: { userEmail: ANN } });
    // A later form shows that the one before it was dealt with.
    await service.submit(`/boards/${BOARD}/new`, { form: { userEmail: ANN, title: "Another" } });
    await until(async () => (await service.storage.list(PENDING, { limit: 9 })).length === 2);
    await service.submit(link);
    assertEquals((await votesOf(service)).map(({ notify }) => notify), [true]);
  });

  it("is not confirmed with a wish for mail that came after its page was shown", async () => {
    await using service = await startForms();
    const link = await service.proofLink(ANN);
    const seen = hiddenFields((await service.follow(link, "GET")).text);
    const contents = async () => (await service.storage.list(PENDING, { limit: 9 }))[0].content;
    const first = await contents();
    service.advance(1_000);
    await service.submit(VOTE_PATH, { form: { userEmail: ANN, notify: "true" } });
    await until(async () => await contents() !== first);
    await service.submit(link, { form: seen });
    assertEquals(await votesOf(service), []);
    await service.submit(link);
    assertEquals((await votesOf(service)).map(({ notify }) => notify), [true]);
  });
});

describe("a person whom the browser remembers", () => {
  it("gets no more mail about a post that is closed when they say so on its page", async () => {
    await using service = await startForms();
    const cookie = await service.remember(ANN);
    await service.call("PUT", VOTES_PATH, { userEmail: ANN, vote: true, notify: true });
    const closed = { status: "declined", answer: "No" };
    await service.call("PATCH", `${POSTS_PATH}/${POST_ID}`, closed);
    const sent = { form: { notify: "false" }, headers: { cookie, ...OWN } };
    for (let time = 0; time < 2; time++) {
      assertEquals((await service.submit(VOTE_PATH, sent)).status, 200);
    }
    assertEquals((await votesOf(service)).map(({ notify }) => notify), [false]);
  });

  it("ends mail about a post, and the vote, when its board is private by then", async () => {
    await using service = await startForms();
    const cookie = await service.remember(ANN);
    await service.call("PUT", VOTES_PATH, { userEmail: ANN, vote: true });
    await service.call("PATCH", `boards/${BOARD}`, { visibility: "private" });
    const send = async (form: Record<string, string>) => {
      const sent = { form: { postId: POST_ID, ...form }, headers: { cookie, ...OWN } };
      assertEquals((await service.submit("/me/withdraw", sent)).status, 200);
      return (await votesOf(service)).map(({ notify }) => notify);
    };
    assertEquals(await send({ notify: "true" }), [false]);
    await service.call("PUT", VOTES_PATH, { userEmail: ANN, vote: true, notify: true });
    assertEquals(await send({ notify: "false" }), [false]);
    assertEquals(await send({}), []);
  });
});

describe("the link of an app", () => {
  it("leads to the post that its post was merged into", async () => {
    await using service = await startForms();
    await service.call("POST", POSTS_PATH, { postId: "night", title: "Night colours" });
    const { cookie, location } = await service.handOver(ANN, VOTE_PATH);
    await service.call("POST", `${POSTS_PATH}/${POST_ID}/merge`, { into: "night" });
    const opened = await service.read(location!.slice(PUBLIC_URL.length), { cookie });
    const moved = `${PUBLIC_URL}/boards/${BOARD}/night`;
    assertEquals([opened.status, opened.headers.get("location")], [301, moved]);
    const { text } = await service.read(moved.slice(PUBLIC_URL.length), { cookie });
    assertStringIncludes(text, `action="${moved}"`);
  });

  it("has an idea's vote counted as one of the app, as no mail proved it", async () => {
    await using service = await startForms();
    const path = `/boards/${BOARD}`;
    const { cookie } = await service.handOver(ANN, path);
    const headers = { cookie, ...OWN };
    await service.submit(`${path}/new`, { form: { title: "From the app" }, headers });
    const found = await service.call<{ data: { postId: string }[] }>(
      "GET",
      `${POSTS_PATH}?q=from%20the%20app`,
    );
    assertEquals((await votesOf(service, found.data[0].postId)).map(({ source }) => source), [
      "api",
    ]);
  });
});

describe("a title that is not public any more", () => {
  it("stands neither behind a mailed link nor on the voter's own page", async () => {
    await using service = await startForms();
    const link = linkOf(await service.mailed(VOTE_PATH, { userEmail: ANN }));
    const post = `boards/${BOARD}/posts/${POST_ID}`;
    await service.call("PATCH", post, { title: "Internal words" });
    const setAside: readonly (readonly [path: string, change: object, back: object])[] = [
      [post, { state: "hidden" }, { state: "public" }],
      [`boards/${BOARD}`, { visibility: "private" }, { visibility: "public" }],
    ];
    async function assertUnread(): Promise<void> {
      for (const [path, change, back] of setAside) {
        await service.call("PATCH", path, change);
        const { text } = await service.follow(link, "GET");
        assert(!text.includes("Internal words"), text);
        assertStringIncludes(text, "an idea that is not public");
        await service.call("PATCH", path, back);
      }
    }
    await assertUnread();
    const page = await service.follow(link, "GET");
    await service.submit(link, { form: hiddenFields(page.text) });
    await assertUnread();
    assertStringIncludes((await service.follow(link, "GET")).text, "Internal words");
  });
});
