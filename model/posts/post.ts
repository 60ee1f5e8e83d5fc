import { choice, count, hidden, oneOf, text, textOrNull, time, timeOrNull } from "../declare.ts";
import { firstImage, parseMarkdown } from "../entries/markdown.ts";
import type { Field, Resource, ShownOf, StoredOf } from "../resource.ts";
import { ID_PATTERN, parsePageId } from "../values/record_id.ts";
import { Refusal } from "../values/refusal.ts";
import { parseMarkdownText, parseText, requireVisible } from "../values/text.ts";
import { EXAMPLE_TIME } from "../values/time.ts";
import { NO_VOTE_DAYS } from "./vote_days.ts";

/** The statuses of a post, in their usual order. */
export const POST_STATUSES = [
  "open",
  "considering",
  "planned",
  "started",
  "shipped",
  "declined",
] as const;

/** One of the {@linkcode POST_STATUSES}. */
export type PostStatus = typeof POST_STATUSES[number];

/** The states of a post: held until approval, public, or hidden by the team. */
export const POST_STATES = ["held", "public", "hidden"] as const;

/** One of the {@linkcode POST_STATES}. */
export type PostState = typeof POST_STATES[number];

/** The origins of posts and votes. */
export const POST_SOURCES = ["api", "form", "import"] as const;

/** One of the {@linkcode POST_SOURCES}; `form` is confirmed by mail. */
export type PostSource = typeof POST_SOURCES[number];

/** A status of a post, and the time since which it applied (RFC 3339, UTC, milliseconds). */
export interface StatusChange {
  readonly at: string;
  readonly status: PostStatus;
}

const TITLE_MIN_CODE_POINTS = 3;
/** Limit of a title, in code points. */
export const TITLE_MAX_CODE_POINTS = 120;
/** Limit of a body or an answer, in bytes of UTF-8. */
export const POST_TEXT_MAX_BYTES = 8_192;
/** Size limit of request bodies with a post's texts, in bytes. */
export const POST_BODY_MAX_BYTES = 65_536;
/** Limit of a board's posts that are neither shipped nor declined. */
export const MAX_OPEN_POSTS = 10_000;
/** Limit of status changes that a post keeps. */
export const MAX_STATUS_CHANGES = 50;

// Paths contain these words in place of an identifier.
const RESERVED_IDS = ["new", "similar", "export", "import", "votes"];

const HISTORY: Field<readonly StatusChange[]> = {
  schema: {
    description: `The newest ${MAX_STATUS_CHANGES} changes of status, oldest first.`,
    type: "array",
    items: {
      type: "object",
      properties: {
        at: { description: "When.", type: "string", format: "date-time" },
        status: {
          description: "The status from then on.",
          type: "string",
          enum: POST_STATUSES,
        },
      },
      required: ["at", "status"],
    },
    examples: [[{ at: EXAMPLE_TIME, status: "open" }]],
  },
  default: [],
};

/** The fields of a post. @internal */
export const POST = {
  name: "posts",
  key: "postId",
  title: "Post",
  description: "An idea on a board.",
  fields: {
    postId: text(
      "The identifier, case-sensitive, unique among all boards. Generated if absent.",
      "k3v9x2mp",
      { rules: { pattern: ID_PATTERN }, parse: parsePostId },
    ),
    boardId: text("The board that it stands on.", "feature-requests"),
    title: text("The title, on one line. Normalised to NFC and trimmed.", "Dark mode", {
      rules: { minLength: TITLE_MIN_CODE_POINTS, maxLength: TITLE_MAX_CODE_POINTS },
      parse: parseTitle,
    }),
    body: textOrNull(
      "What the post says, in Markdown, as it came. " +
        `Up to ${POST_TEXT_MAX_BYTES} bytes of UTF-8, without images.`,
      "At night the white hurts.",
      { maxBytes: POST_TEXT_MAX_BYTES, parse: parseBody },
    ),
    status: choice(
      POST_STATUSES,
      "What the team plans. It is `shipped` while the entry that ships the post is public.",
      { default: "open" },
    ),
    answer: textOrNull(
      "What the team answers, in Markdown, as it came. " +
        `Up to ${POST_TEXT_MAX_BYTES} bytes of UTF-8.`,
      null,
      { maxBytes: POST_TEXT_MAX_BYTES, parse: parseAnswer },
    ),
    answeredAt: timeOrNull("When the words of the answer last changed.", null),
    votes: count("How many votes count.", 12, { default: 0, limits: { minimum: 0 } }),
    state: choice(POST_STATES, "`held` until it is approved, `public`, or `hidden`.", {
      example: "public",
      default: "public",
    }),
    source: oneOf(POST_SOURCES, "How the post came in. `form`: a visitor confirmed it by mail."),
    importedVotes: count("A number of votes from another product, without the voters.", 0, {
      default: 0,
      limits: { minimum: 0 },
    }),
    history: HISTORY,
    mergedInto: textOrNull("The post that it was merged into; `null`: it was not."),
    entryId: textOrNull("The entry that ships the post; `null`: none does."),
    createdAt: time("When it was created."),
    updatedAt: time("When its words, its status or its answer last changed."),
    // Random; distinguishes the post from an earlier one with the same postId, whose votes may
    // still exist.
    instanceId: hidden("text"),
    // The `instanceId` of its board.
    boardInstanceId: hidden("text"),
    // The author's address and mailbox; `null` for the team's own post, and after an erasure.
    authorEmail: hidden("text?"),
    authorMailbox: hidden("text?"),
    // Whether its text contains the address of an author who was erased.
    namesErased: hidden("boolean", { default: false }),
    // The API key that created it.
    keyId: hidden("text?"),
    // Domains whose votes stay but don't count.
    asideDomains: hidden("texts", { default: [] }),
    // Number of its votes without an address.
    formerVotes: hidden("integer", { default: 0 }),
    // The merged post that lends such votes to it, and the instances of those where they were cast:
    // see `services/posts/votes/lent_votes.ts`.
    lender: hidden("text?"),
    lentFrom: hidden("texts", { default: [] }),
    // Whether an unfinished import still has to add such votes.
    lacksFormerVotes: hidden("boolean", { default: false }),
    // The former target from which its votes are being taken back; `null` otherwise.
    unmergedFrom: hidden("text?"),
    // Number of merges into it so far: its deletion depends on none that comes meanwhile.
    mergeCount: hidden("integer", { default: 0 }),
    // The entry that it left with its merge, and whether its target took its place there; number of
    // merged posts whose place in an entry it took: see `services/posts/merged_entries.ts`.
    entryBefore: hidden("text?"),
    isEntryLent: hidden("boolean", { default: false }),
    entryMerges: hidden("integer", { default: 0 }),
    // The position after which votes still need moving or recounting: see `vote_work.ts`.
    voteCursor: hidden("text?"),
    // Number of its reports since the team last dealt with them, and when the last one came.
    reports: hidden("integer", { default: 0 }),
    reportedAt: hidden("time?"),
    // The publication time of its entry, if the entry is public and this was stored.
    shippedAt: hidden("time?"),
    // Its newest delivery; `null` before the first.
    deliveryKey: hidden("text?"),
    // The weight of its votes: see `hot_score.ts`.
    hotScore: hidden("integer", { default: 0 }),
    // The numbers of its votes by day.
    voteDays: hidden("json", { default: NO_VOTE_DAYS }),
    // Its positions in lists: see `place.ts`. `null` if it is in no list.
    votesPlace: hidden("text?"),
    hotPlace: hidden("text?"),
    newPlace: hidden("text?"),
    // Its position in a column of the roadmap; `null` if it is in none.
    roadmapPlace: hidden("text?"),
    // Its position among the changes of its board: see `services/posts/tally.ts`.
    changePlace: hidden("text?"),
  },
  indexes: {
    byVotes: { by: "votesPlace" },
    byHot: { by: "hotPlace" },
    byNew: { by: "newPlace" },
    byRoadmap: { by: "roadmapPlace" },
    byBoard: { by: "boardInstanceId" },
    byAuthor: { by: "authorMailbox" },
    byMerge: { by: "mergedInto" },
    // The posts whose entry is a draft, scheduled, or was published a moment ago.
    unshipped: { where: { shippedAt: null }, by: "entryId" },
    unanswered: { where: { answer: null }, by: "votesPlace" },
    byChange: { by: "changePlace" },
    byVoteCursor: { by: "voteCursor" },
    byReport: { by: "reportedAt" },
    namingErased: { where: { namesErased: true } },
  },
  changesOften: true,
  personal: true,
} as const satisfies Resource;

/** A stored post; its status is the one given by the team, regardless of its entry. */
export type Post = StoredOf<typeof POST.fields>;

/** A post as the API shows it. */
export type ShownPost = ShownOf<typeof POST.fields>;

/** Tells whether a status ends the voting. */
export function isClosing(status: PostStatus): boolean {
  return status === "shipped" || status === "declined";
}

/** Accepts the identifier of a new post; refuses with `too_long` or `invalid_value`. */
function parsePostId(text: string): string | Refusal {
  if (!RESERVED_IDS.includes(text)) return parsePageId(text);
  return new Refusal("invalid_value", "is a word that the API itself has in its paths");
}

/** Accepts a title: NFC, trimmed, on one line. */
function parseTitle(text: string): string | Refusal {
  const title = parseText(text, { maxCodePoints: TITLE_MAX_CODE_POINTS });
  if (title instanceof Refusal) return title;
  if ([...title].length >= TITLE_MIN_CODE_POINTS) return requireVisible(title);
  return new Refusal("invalid_value", `has less than ${TITLE_MIN_CODE_POINTS} characters`);
}

/** Accepts a body unchanged; a body of white space is `null`. */
function parseBody(text: string): string | null | Refusal {
  const body = parseAnswer(text);
  if (typeof body !== "string") return body;
  return firstImage(parseMarkdown(body, { imageBase: "/" })) === undefined
    ? body
    : new Refusal("invalid_value", "has an image: a post may link to one, but not show it");
}

/** Accepts an answer unchanged; an answer of white space is `null`. */
function parseAnswer(text: string): string | null | Refusal {
  return text.trim() === "" ? null : parseMarkdownText(text, POST_TEXT_MAX_BYTES);
}
