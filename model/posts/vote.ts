import {
  flag,
  hidden,
  listOf,
  object,
  oneOf,
  textOrNull,
  texts,
  time,
  timeOrNull,
  withSchema,
} from "../declare.ts";
import type { Resource, ShownOf, StoredOf } from "../resource.ts";
import { SUBSCRIPTION } from "../subscriptions/subscription.ts";
import type { Refusal } from "../values/refusal.ts";
import { NAME_MAX_CODE_POINTS, parseBoolean, parseText } from "../values/text.ts";
import { POST, type Post, POST_SOURCES } from "./post.ts";

/** Limit of a voter's reason, in code points. */
export const WHY_MAX_CODE_POINTS = 500;

const { userEmail, userName } = SUBSCRIPTION.fields;

const ASK = object("VoteAsk", "A request to be told about a post.", {
  via: textOrNull("The merged post at which it was made; `null`: this one."),
  at: time("When it was made."),
  source: oneOf(POST_SOURCES, "How it came in."),
});

/** A stored request to be told. */
export interface AskRecord {
  /** The name of the merged post at which it was made; `null`: the vote's own post. */
  readonly from: string | null;
  /** When (RFC 3339, UTC, milliseconds). */
  readonly at: string;
  readonly source: string;
  /** The person's number of opt-outs then. */
  readonly optOuts: number;
}

const NO_REQUESTS: readonly AskRecord[] = [];

/** The fields of a vote. @internal */
export const VOTE = {
  name: "votes",
  key: "voteId",
  title: "Vote",
  description: "One person's vote for a post.",
  fields: {
    // Derived from the mailbox and the post's `instanceId`, so that a mailbox has one vote.
    voteId: hidden("text"),
    postId: withSchema(POST.fields.postId, { description: "The post." }),
    postInstanceId: hidden("text"),
    userEmail: withSchema(userEmail, { description: "The voter's address, as it was given." }),
    userName: textOrNull(
      "The voter's name, if one was given. Normalised to NFC and trimmed; absent or empty keeps the " +
        "stored name.",
      "Ann",
      { rules: { maxLength: NAME_MAX_CODE_POINTS }, parse: userName.parse },
    ),
    notify: withSchema(
      flag("Whether the voter asked to be told what becomes of it.", {
        parse: parseBoolean,
        default: false,
      }),
      { examples: [false] },
    ),
    notifyAt: timeOrNull("When they asked; `null`: they did not.", null),
    // The origin of the request to be told.
    notifySource: hidden("text?"),
    why: textOrNull(
      "Why the voter wants it, for the team alone. May have several lines.",
      "I work at night.",
      { rules: { maxLength: WHY_MAX_CODE_POINTS }, parse: parseWhy },
    ),
    source: oneOf(POST_SOURCES, "How the vote came in. `form`: the voter confirmed it by mail."),
    addedBy: textOrNull(
      "The name of the key that added it for the voter; `null`: the voter cast it, or it was imported.",
      "Ann",
    ),
    // The API key that cast it.
    keyId: hidden("text?"),
    at: time("When the vote was cast."),
    own: flag("Whether the voter voted for this very post.", { default: true }),
    via: { ...texts("The merged posts from which it came, too.", []), computed: true },
    asks: {
      ...withSchema(listOf(ASK, "Each request to be told, with the post it was made at."), {
        examples: [[]],
      }),
      computed: true,
    },
    // The names of the posts in `via`, and the requests: see `vote_origins.ts`.
    origins: hidden("texts", { default: [] }),
    requests: hidden("json", { default: NO_REQUESTS }),
    isAuthor: flag("Whether the voter wrote the post.", { computed: true }),
    counts: flag("Whether it is in the number; `false`: its domain is set aside.", {
      default: true,
    }),
    // The person's number of opt-outs when they asked: a later opt-out ends the request.
    optOuts: hidden("integer", { default: 0 }),
    // The deliveries that told this voter about the post.
    told: hidden("texts", { default: [] }),
    // The post's `instanceId` and random characters. Deliveries use this order, so that their
    // cursors stay valid after an erasure.
    place: hidden("text"),
  },
  indexes: {
    byPost: { by: "place" },
    asked: { where: { notify: true }, by: "place" },
  },
  personal: true,
} as const satisfies Resource;

export type Vote = StoredOf<typeof VOTE.fields>;

/** A vote as the API shows it. */
export type ShownVote = ShownOf<typeof VOTE.fields>;

const END = "!";
// The first half of a random UUID is random enough.
const RANDOM_LENGTH = 18;

/**
 * Returns the mailbox of an address in normal form: the address without its plus tag. A mailbox has
 * one vote.
 */
export function mailboxOf(userEmail: string): string {
  const at = userEmail.lastIndexOf("@");
  const plus = userEmail.indexOf("+");
  // An address that begins with a plus would have no mailbox name.
  return plus > 0 && plus < at ? userEmail.slice(0, plus) + userEmail.slice(at) : userEmail;
}

/** Returns the domain of an address. */
export function domainOf(userEmail: string): string {
  return userEmail.slice(userEmail.lastIndexOf("@") + 1);
}

/** Returns the prefix of the keys of a mailbox's votes. */
export function votesPrefix(mailbox: string): string {
  return `${mailbox}${END}`;
}

/** Returns the key of a mailbox's vote for a post. */
export function voteIdOf(mailbox: string, { instanceId }: Pick<Post, "instanceId">): string {
  return `${votesPrefix(mailbox)}${instanceId}`;
}

/** Returns the prefix of the positions of a post's votes. */
export function voterPrefix(postInstanceId: string): string {
  return `${postInstanceId}${END}`;
}

/** Creates the position of a new vote among its post's votes. */
export function createVotePlace({ instanceId }: Pick<Post, "instanceId">): string {
  return `${voterPrefix(instanceId)}${crypto.randomUUID().slice(0, RANDOM_LENGTH)}`;
}

function parseWhy(text: string): string | null | Refusal {
  return parseText(text, { maxCodePoints: WHY_MAX_CODE_POINTS, multiline: true }) || null;
}
