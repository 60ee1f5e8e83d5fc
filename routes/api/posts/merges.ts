import { count, object, sentFlag, text, time } from "../../../model/declare.ts";
import type { Post } from "../../../model/posts/post.ts";
import { POST_SHOWN } from "../../../model/posts/post_shown.ts";
import { domainOf } from "../../../model/posts/vote.ts";
import { parseEmailAddress } from "../../../model/values/email_address.ts";
import { isId } from "../../../model/values/record_id.ts";
import { Refusal } from "../../../model/values/refusal.ts";
import { parseInstant } from "../../../model/values/time.ts";
import { setDomainAside, withdrawVotesOfKey } from "../../../services/posts/votes/asides.ts";
import {
  foreseeMerge,
  type MergeFault,
  mergePost,
  unmergePost,
} from "../../../services/posts/merge.ts";
import { showPost } from "../../../services/posts/posts.ts";
import { changeReply } from "../../_http/conditions.ts";
import { readablePart } from "../../_http/credentials.ts";
import { type Context, type Operation, operation } from "../../_http/operation.ts";
import { badValue, type FieldProblem, validationFailed } from "../../_http/problem.ts";
import { jsonReply, type Reply } from "../../_http/reply.ts";
import { flagParameter } from "../../../model/imports/parameters.ts";
import { deliveryFor, POST_PATH, readPost } from "./_posts.ts";

/** The fields that a merge changes, or the list of domains whose votes don't count. */
const FOLLOWING_FIELDS = ["postId", "boardId", "votes", "mergedInto"];
const UNREAD = " Without `posts:read`, the response has only `postId`, `boardId`, " +
  "`votes` and `mergedInto`.";

const WITHDRAWN = object("WithdrawnVotes", "The result of withdrawing the votes of a key.", {
  withdrawn: count("How many votes were withdrawn.", 12),
});

const FAULTS: Readonly<Record<Exclude<MergeFault, "not_found">, FieldProblem>> = {
  bad_target: badValue("into", "is no other public post of this board"),
  merged_elsewhere: badValue("into", "differs from the post that this one was merged into"),
};

/** The operations that merge posts, or exclude votes from the count. */
export const operations = (): readonly Operation[] => [
  operation("POST", `${POST_PATH}/merge`, {
    operationId: "mergePost",
    summary: "Merge a post into another",
    description:
      "Moves the voters to another post, each counted once. The id of the merged post then " +
      "leads there. `unmerge` gives back exactly the moved votes. Merging again changes nothing. " +
      "With `dryRun`, changes nothing and returns the other post, with its `votes` as they would " +
      "be." + UNREAD,
    scope: "posts:publish",
    body: {
      into: text(
        "Another public post of the same board; of a merged one, where it went.",
        "q7w2c5tn",
        { parse: parsePostId },
      ),
      dryRun: sentFlag("Whether nothing is changed.", { default: false }),
    },
    query: { dryRun: flagParameter("The same as `dryRun` in the body.") },
    required: ["into"],
    successes: [{ status: 200, schema: POST_SHOWN, headers: ["ETag"] }],
    async run(context) {
      const { storage, params: [boardId, postId], body: { into, dryRun }, query, now } = context;
      const merge = dryRun || query.dryRun ? foreseeMerge : mergePost;
      const post = await merge(storage, { boardId, postId, into, at: now.text });
      if (post === "not_found") return await missing(context);
      if (typeof post === "string") return validationFailed([FAULTS[post]]);
      return await replyWith(context, post);
    },
  }),

  operation("POST", `${POST_PATH}/unmerge`, {
    operationId: "unmergePost",
    summary: "Unmerge a post",
    description:
      "Moves the votes back. A vote that was cast meanwhile stays with the other post, and " +
      "a withdrawn vote stays withdrawn." + UNREAD,
    scope: "posts:publish",
    successes: [{ status: 200, schema: POST_SHOWN, headers: ["ETag"] }],
    async run(context) {
      const { storage, params: [boardId, postId], now } = context;
      const post = await unmergePost(storage, { boardId, postId, at: now.text });
      if (post === "not_found") return await missing(context);
      return await replyWith(context, post);
    },
  }),

  operation("PUT", `${POST_PATH}/domains/:domain`, {
    operationId: "setDomainAside",
    summary: "Set the votes of a domain aside",
    description:
      "Keeps the votes from addresses of a domain, but does not count them while the domain " +
      "is set aside." +
      UNREAD,
    scope: "posts:publish",
    alsoScopes: ["subscriptions:read"],
    body: {
      aside: sentFlag("`true` sets the domain aside, `false` counts its votes again."),
    },
    required: ["aside"],
    successes: [{ status: 200, schema: POST_SHOWN, headers: ["ETag"] }],
    async run(context) {
      const { storage, params: [boardId, postId, name], body: { aside } } = context;
      const address = parseEmailAddress(`a@${name}`);
      if (address instanceof Refusal) {
        return validationFailed([badValue("domain", "is not the domain of an e-mail address")]);
      }
      const domain = domainOf(address);
      const post = await setDomainAside(storage, { boardId, postId, domain, aside });
      if (post === undefined) return await missing(context);
      return await replyWith(context, post);
    },
  }),

  operation("DELETE", "/api/v1/posts/votes", {
    operationId: "withdrawVotesOfKey",
    summary: "Withdraw the votes that a key cast",
    description: "For a key that was stolen: withdraws all votes that it cast since a time.",
    scope: "posts:publish",
    alsoScopes: ["subscriptions:read"],
    query: {
      keyId: text("The key.", "0123456789abcdef", { parse: (text: string) => text }),
      since: time("The time from which on votes are withdrawn (RFC 3339).", {
        parse: parseInstant,
      }),
    },
    required: ["keyId", "since"],
    successes: [{ status: 200, schema: WITHDRAWN }],
    async run({ storage, query: { keyId, since }, now }) {
      const withdrawn = await withdrawVotesOfKey(storage, { keyId, since, at: now.text });
      return jsonReply(200, { withdrawn });
    },
  }),
];

/** Replies with a changed post, of which a key that can't read posts sees the numbers alone. */
async function replyWith(
  { storage, caller, now }: Pick<Context, "storage" | "caller" | "now">,
  post: Post,
): Promise<Reply> {
  return changeReply(await showPost(storage, post, now.text), {
    also: deliveryFor(caller, post),
    show: (shown) => readablePart(shown, caller, { scope: "posts:read", fields: FOLLOWING_FIELDS }),
  });
}

/** Returns the problem for a board or post that does not exist. */
async function missing(
  context: Parameters<typeof readPost>[0],
): Promise<"board_not_found" | "post_not_found"> {
  return await readPost(context) === "board_not_found" ? "board_not_found" : "post_not_found";
}

function parsePostId(text: string): string | Refusal {
  return isId(text) ? text : new Refusal(
    "invalid_value",
    "is not the identifier of a post: 1 to 128 letters, digits and . _ ~ -",
  );
}
