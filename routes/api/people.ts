import { answer, text, time } from "../../model/declare.ts";
import { BOARDS } from "../../model/kinds.ts";
import type { PublicSite } from "../../model/public_site.ts";
import { SUBSCRIPTION } from "../../model/subscriptions/subscription.ts";
import { Refusal } from "../../model/values/refusal.ts";
import { createAppLink } from "../../services/people/app_links.ts";
import { rotatePeopleKeys } from "../../services/people/keys.ts";
import { findPost } from "../../services/posts/posts.ts";
import type { Storage } from "../../adapters/storage.ts";
import { type Operation, operation } from "../_http/operation.ts";
import { badValue, validationFailed } from "../_http/problem.ts";
import { jsonReply } from "../_http/reply.ts";

const PATH = "/api/v1/people";
const PAGE = /^\/boards\/([^/?#]+)(?:\/([^/?#]+))?$/;
const NO_PAGE = "is not the page of a public board or of one of its posts, like /boards/ID";
const { userEmail, userName } = SUBSCRIPTION.fields;

const LINK = answer("PersonLink", "A link that opens a page as a person.", {
  url: text("The link, for one use.", "https://updates.example.com/open/0123456789abcdef", {
    rules: { format: "uri" },
  }),
  expiresAt: time("Until when it can be opened."),
});

/** Creates the operations on an app's people. */
export function peopleOperations(site: PublicSite): readonly Operation[] {
  return [
    operation("POST", `${PATH}/link`, {
      operationId: "createPersonLink",
      summary: "Hand a person over to a page",
      description:
        "Creates a link that opens the page of a public board or of a post for a user of your " +
        "app. They vote and post there without confirming by mail. The link works once, " +
        "within 10 minutes.",
      scope: "posts:write",
      body: {
        userEmail,
        userName,
        path: {
          ...text("The page: `/boards/ID`, or `/boards/ID/POST`.", "/boards/feature-requests"),
          parse: (path: string) => PAGE.test(path) ? path : new Refusal("invalid_value", NO_PAGE),
        },
      },
      required: ["userEmail", "path"],
      successes: [{ status: 201, schema: LINK }],
      async run({ storage, body, caller, now }) {
        const page = await findPage(storage, body.path);
        if (page === undefined) return validationFailed([badValue("path", NO_PAGE)]);
        const { userEmail, userName = null } = body;
        const person = { ...page, userEmail, userName: userName || null, keyId: caller.keyId };
        const { token, expiresAt } = await createAppLink(storage, person, now.text);
        return jsonReply(201, { url: `${site.publicUrl}/open/${token}`, expiresAt });
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

/** Returns the public board in a path, and its public post if the path names one. */
async function findPage(
  storage: Storage,
  path: string,
): Promise<{ readonly boardId: string; readonly postId: string | null } | undefined> {
  const [, board, post] = PAGE.exec(path) ?? [];
  if (board === undefined) return undefined;
  const [boardId, postId] = [board, post].map(decode);
  if (boardId === undefined) return undefined;
  if (post === undefined) {
    const isPublic = (await storage.get(BOARDS, boardId))?.visibility === "public";
    return isPublic ? { boardId, postId: null } : undefined;
  }
  if (postId === undefined) return undefined;
  const found = await findPost(storage, { boardId, postId });
  const isPublic = found?.board.visibility === "public" && found.post.state === "public";
  return isPublic ? { boardId, postId } : undefined;
}

function decode(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
