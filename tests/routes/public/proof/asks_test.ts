import { assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import {
  BOARD,
  type FormService,
  hiddenFields,
  POST_ID,
  PUBLIC_URL,
  startForms,
  VOTE_PATH,
} from "../../../_support/board_forms.ts";

const ANN = "ann@example.com";
const POSTS_PATH = `boards/${BOARD}/posts`;

interface Vote {
  readonly source: string;
}

async function votesOf({ call }: FormService, postId = POST_ID): Promise<readonly Vote[]> {
  return (await call<{ data: Vote[] }>("GET", `${POSTS_PATH}/${postId}/votes`)).data;
}

describe("the link of an app", () => {
  const LINK = { userEmail: ANN, path: VOTE_PATH };

  it("leads to the post that its post was merged into", async () => {
    await using service = await startForms();
    await service.call("POST", POSTS_PATH, { postId: "night", title: "Night colours" });
    const { url } = await service.call<{ url: string }>("POST", "people/link", LINK);
    await service.call("POST", `${POSTS_PATH}/${POST_ID}/merge`, { into: "night" });
    const { status, text } = await service.read(url.slice(PUBLIC_URL.length));
    assertEquals(status, 200);
    assertStringIncludes(text, `action="${PUBLIC_URL}/boards/${BOARD}/night"`);
  });

  it("has an idea's vote counted as one of the app, as no mail proved it", async () => {
    await using service = await startForms();
    const path = `/boards/${BOARD}`;
    const { url } = await service.call<{ url: string }>("POST", "people/link", { ...LINK, path });
    const { person } = hiddenFields((await service.read(url.slice(PUBLIC_URL.length))).text);
    await service.submit(`${path}/new`, { form: { person, title: "From the app" } });
    const found = await service.call<{ data: { postId: string }[] }>(
      "GET",
      `${POSTS_PATH}?q=from%20the%20app`,
    );
    assertEquals((await votesOf(service, found.data[0].postId)).map(({ source }) => source), [
      "api",
    ]);
  });
});
