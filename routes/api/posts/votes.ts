import type { BrandContext } from "../../branded.ts";
import type { ListQuery } from "../../../adapters/storage.ts";
import { count, flag, object, sentFlag, settable, withSchema } from "../../../model/declare.ts";
import { POST } from "../../../model/posts/post.ts";
import { type ShownVote, VOTE } from "../../../model/posts/vote.ts";
import { formatVoteRow, VOTES_CSV_HEADER } from "../../../model/posts/vote_rows.ts";
import { VOTES_SUMMARY } from "../../../model/posts/votes_summary.ts";
import { formatNdjson } from "../../../model/values/text.ts";
import {
  listVotes,
  readVotes,
  showVotes,
  summarizeVotes,
  votePosition,
} from "../../../services/posts/votes/voters.ts";
import { castVote } from "../../../services/posts/votes/votes.ts";
import { negotiateList, ORDERED_PAGE_FIELDS, pageReply } from "../../_http/page.ts";
import { type Operation, operation } from "../../_http/operation.ts";
import { badValue, type ProblemCode } from "../../_http/problem.ts";
import { CSV_TYPE, JSON_TYPE, jsonReply, NDJSON_TYPE } from "../../_http/reply.ts";
import { POST_PATH, readPost } from "./_posts.ts";

const VOTES_PATH = `${POST_PATH}/votes`;
const { userEmail, notify } = VOTE.fields;
const { postId: _, ...VOTE_FIELDS } = settable(VOTE.fields);

const RESULT = object("VoteResult", "A vote after a call.", {
  postId: withSchema(POST.fields.postId, {
    description: "The post; instead of a merged post, the one that it was merged into.",
  }),
  userEmail: withSchema(userEmail, { description: "The normalised address." }),
  vote: flag("Whether the vote stands."),
  notify,
  changed: flag("Whether the call changed the vote, `notify`, `why` or the name."),
  votes: count("The number of votes after the call.", 12),
});

/**
 * Creates the operations on the votes of a post. `timeZone` is that of the days by which they are
 * counted.
 */
export const operations = (
  { brand: { timeZone } }: BrandContext,
): readonly Operation[] => [
  operation("PUT", VOTES_PATH, {
    operationId: "putVote",
    summary: "Cast or withdraw a vote",
    description:
      "Sets whether a person's vote stands. Repeating the call changes nothing. One mailbox " +
      "has one vote, whatever its plus tag. If `notify`, `why` or `userName` is left out, " +
      "it keeps its value.",
    scope: "posts:write",
    body: {
      ...VOTE_FIELDS,
      vote: sentFlag("`true` casts the vote, `false` withdraws it; in a form, in any case."),
      notify: withSchema(sentFlag("Whether the person asks to be told what becomes of the post."), {
        examples: [false],
      }),
    },
    required: ["userEmail", "vote"],
    check: ({ vote, notify }) =>
      vote === false && notify === true
        ? [badValue("notify", "can't be true while the vote is withdrawn")]
        : [],
    successes: [{ status: 200, schema: RESULT }],
    problems: ["post_closed"],
    async run(context) {
      const { storage, params: [boardId, postId], body, caller, now } = context;
      const outcome = await castVote(storage, {
        ...body,
        boardId,
        postId,
        notify: body.notify ?? undefined,
        source: "api",
        keyId: caller.keyId,
        addedBy: caller.name,
        at: now.text,
      });
      if (outcome === "post_not_found") {
        const found = await readPost(context);
        return typeof found === "string" ? found : outcome;
      }
      if (typeof outcome === "string") return outcome as ProblemCode;
      const { post, vote, notify, changed } = outcome;
      return jsonReply(200, {
        postId: post.postId,
        userEmail: body.userEmail,
        vote,
        notify,
        changed,
        votes: post.votes,
      });
    },
  }),

  operation("GET", VOTES_PATH, {
    operationId: "listVotes",
    summary: "List who voted",
    description: "The order is fixed, but has no meaning. With `Accept: application/x-ndjson` or " +
      "`text/csv`, without `limit` and `cursor`, streams all votes.",
    scope: "posts:read",
    alsoScopes: ["subscriptions:read"],
    query: ORDERED_PAGE_FIELDS,
    successes: [{
      status: 200,
      description: "A page of votes, or all of them.",
      page: VOTE,
      others: { [NDJSON_TYPE]: "VoteLines", [CSV_TYPE]: "VoteTable" },
    }],
    async run(context) {
      const { storage, request, query } = context;
      const found = await readPost(context);
      if (typeof found === "string") return found;
      const { post } = found;
      const isPage = query.limit !== undefined || query.cursor !== undefined;
      const contentType = isPage ? JSON_TYPE : negotiateList(request);
      if (contentType !== JSON_TYPE) {
        const pages = readVotes(storage, post);
        const body = contentType === CSV_TYPE ? writeCsv(pages) : writeNdjson(pages);
        return { status: 200, contentType, body };
      }
      return await pageReply(query, async (page: ListQuery) => {
        const { records, stoppedAt } = await listVotes(storage, post, page);
        const shown = await showVotes(storage, post, records);
        return { records: records.map((vote, at) => ({ vote, shown: shown[at] })), stoppedAt };
      }, {
        listing: `votes-${post.postId}`,
        positionOf: ({ vote }) => votePosition(vote),
        show: ({ shown }) => shown,
      });
    },
  }),

  operation("GET", `${VOTES_PATH}/summary`, {
    operationId: "summarizeVotes",
    summary: "Count the votes by source, domain and day",
    description:
      "Counts the votes by how they came in, by the domains of the addresses, and by the days of " +
      "the last four weeks.",
    scope: "posts:read",
    alsoScopes: ["subscriptions:read"],
    query: { asked: sentFlag("Whether to count the people who asked to be told, too.") },
    successes: [{ status: 200, schema: VOTES_SUMMARY }],
    async run(context) {
      const found = await readPost(context);
      if (typeof found === "string") return found;
      const { storage, query, isGone, now } = context;
      const options = { countsAsked: query.asked === true, now: now.text, timeZone, isGone };
      return jsonReply(200, await summarizeVotes(storage, found.post, options));
    },
  }),
];

type Pages = AsyncIterable<readonly ShownVote[]>;

async function* writeCsv(pages: Pages): AsyncGenerator<string> {
  yield VOTES_CSV_HEADER;
  for await (const page of pages) yield page.map(formatVoteRow).join("");
}

async function* writeNdjson(pages: Pages): AsyncGenerator<string> {
  for await (const page of pages) yield formatNdjson(page);
}
