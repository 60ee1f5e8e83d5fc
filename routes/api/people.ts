import type { RouteContext } from "../branded.ts";
import { object, text, time } from "../../model/declare.ts";
import { BOARDS } from "../../model/kinds.ts";
import { SUBSCRIPTION } from "../../model/subscriptions/subscription.ts";
import { Refusal } from "../../model/values/refusal.ts";
import { createAppLink } from "../../services/people/app_links.ts";
import { findPost } from "../../services/posts/posts.ts";
import type { Storage } from "../../adapters/storage.ts";
import { type Operation, operation } from "../_http/operation.ts";
import { badValue, validationFailed } from "../_http/problem.ts";
import { jsonReply } from "../_http/reply.ts";
import { rotatePeopleKeys } from "../../services/privacy/sealed.ts";

const PATH = "/api/v1/people";
const PAGE = /^\/(?:roadmap|boards(?:\/([^/?#]+)(?:\/([^/?#]+))?)?)$/;
const NO_PAGE = "is not /boards, /roadmap, or the page of a public board or post, like /boards/ID";
const { userEmail, userName } = SUBSCRIPTION.fields;

const LINK = object("PersonLink", "A link that opens a page as a person.", {
  url: text("The link, for one use.", "https://updates.example.com/open/0123456789abcdef", {
    rules: { format: "uri" },
  }),
  expiresAt: time("Until when it can be opened."),
});

/** Creates the operations on an app's people. */
export function operations({ publicUrl = "" }: RouteContext): readonly Operation[] {
  return [
    operation("POST", `${PATH}/link`, {
      operationId: "createPersonLink",
      summary: "Hand a person over to a page",
      description:
        "Creates a link that opens a page of boards for a user of your app. It works once, within " +
        "10 minutes. For an hour, their browser then votes and posts on public boards without a mail.",
      scope: "posts:write",
      body: {
        userEmail,
        userName,
        path: {
          ...text(
            "The page: `/boards`, `/roadmap`, `/boards/ID`, or `/boards/ID/POST`.",
            "/boards/feature-requests",
          ),
          parse: (path: string) => PAGE.test(path) ? path : new Refusal("invalid_value", NO_PAGE),
        },
      },
      required: ["userEmail", "path"],
      successes: [{ status: 201, schema: LINK }],
      async run({ storage, body, caller, now }) {
        const { userEmail, userName = null, path } = body;
        if (!await isPublic(storage, path)) return validationFailed([badValue("path", NO_PAGE)]);
        const person = { path, userEmail, userName: userName || null, keyId: caller.keyId };
        const { token, expiresAt } = await createAppLink(storage, person, now.text);
        return jsonReply(201, { url: `${publicUrl}/open/${token}`, expiresAt });
      },
    }),

    operation("POST", `${PATH}/rotate`, {
      operationId: "rotatePeopleKeys",
      summary: "End all cookies and links that prove an address",
      description: "Links to unsubscribe stay valid.",
      scope: "keys:write",
      successes: [{ status: 204 }],
      async run({ storage, now }) {
        await rotatePeopleKeys(storage, now.text);
        return { status: 204 };
      },
    }),
  ];
}

/** Tells whether anybody can see the board and the post that a path names, if it names any. */
async function isPublic(storage: Storage, path: string): Promise<boolean> {
  const [boardId, postId] = (PAGE.exec(path) ?? []).slice(1).map(decode);
  if (boardId === undefined) return path === "/boards" || path === "/roadmap";
  if (path.split("/").length === 3) {
    return (await storage.get(BOARDS, boardId))?.visibility === "public";
  }
  const found = postId === undefined ? undefined : await findPost(storage, { boardId, postId });
  return found?.board.visibility === "public" && found.post.state === "public";
}

function decode(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
