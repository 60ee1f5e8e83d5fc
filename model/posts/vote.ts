import { flag, hidden, text, textOrNull, time, timeOrNull, withSchema } from "../declare.ts";
import type { AnswerOf, Resource, StoredOf } from "../resource.ts";
import { SUBSCRIPTION } from "../subscriptions/subscription.ts";
import type { Refusal } from "../values/refusal.ts";
import { NAME_MAX_CODE_POINTS, parseBoolean, parseText } from "../values/text.ts";
import { POST, type Post, POST_SOURCES } from "./post.ts";

/** The greatest length of what a voter says, in code points. */
export const WHY_MAX_CODE_POINTS = 500;

const { userEmail, userName } = SUBSCRIPTION.fields;

/** All that is known of a vote. @internal */
export const VOTE = {
  name: "votes",
  key: "voteId",
  title: "Vote",
  description: "One person's vote for a post.",
  fields: {
    // The mailbox and the instance of the post, so that one mailbox has one vote.
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
    // How the wish to be told came in.
    notifySource: hidden("text?", { rules: { enum: POST_SOURCES } }),
    why: textOrNull(
      "Why the voter wants it, for the team alone. May have several lines.",
      "I work at night.",
      { rules: { maxLength: WHY_MAX_CODE_POINTS }, parse: parseWhy },
    ),
    source: text("How the vote came in: `form` was confirmed by mail.", "api", {
      rules: { enum: POST_SOURCES },
    }),
    // The API key that cast it.
    keyId: hidden("text?"),
    at: time("When the vote was cast."),
    via: textOrNull("The merged post that it came from; `null`: it was cast here."),
    // The merged post at which they asked to be told: unmerging it ends the wish here.
    notifyVia: hidden("text?"),
    isAuthor: flag("Whether the voter wrote the post.", { computed: true }),
    counts: flag("Whether it is in the number; `false`: its domain is set aside.", {
      default: true,
    }),
    // The opt-outs of the person when they asked: later ones end what was asked.
    optOuts: hidden("integer", { default: 0 }),
    // The deliveries that told this voter.
    told: hidden("texts", { default: [] }),
    // The instance of the post, and random characters: deliveries go by this order, so that what
    // they remember outlives an erasure.
    place: hidden("text"),
  },
  indexes: {
    byPost: { by: "place" },
    asked: { where: { notify: true }, by: "place" },
  },
  personal: true,
} as const satisfies Resource;

/** A vote as it is stored. */
export type Vote = StoredOf<typeof VOTE.fields>;

/** A vote as the API shows it. */
export type ShownVote = AnswerOf<typeof VOTE.fields>;

const END = "!";
// Random UUIDs differ in their first half.
const RANDOM_LENGTH = 18;

/**
 * Returns the mailbox of an address in its normal form: without the plus tag, which people add to
 * what is one mailbox. One mailbox has one vote.
 */
export function mailboxOf(userEmail: string): string {
  const at = userEmail.lastIndexOf("@");
  const plus = userEmail.indexOf("+");
  // An address that begins with a plus has nothing before its tag.
  return plus > 0 && plus < at ? userEmail.slice(0, plus) + userEmail.slice(at) : userEmail;
}

/** Returns the domain of an address. */
export function domainOf(userEmail: string): string {
  return userEmail.slice(userEmail.lastIndexOf("@") + 1);
}

/** Returns what the keys of all votes of a mailbox begin with. */
export function votesPrefix(mailbox: string): string {
  return `${mailbox}${END}`;
}

/** Returns the key of a mailbox's vote for a post. */
export function voteIdOf(mailbox: string, { instanceId }: Pick<Post, "instanceId">): string {
  return `${votesPrefix(mailbox)}${instanceId}`;
}

/** Returns what the places of all votes for a post begin with. */
export function voterPrefix(postInstanceId: string): string {
  return `${postInstanceId}${END}`;
}

/** Creates the place of a new vote among those for its post. */
export function createVotePlace({ instanceId }: Pick<Post, "instanceId">): string {
  return `${voterPrefix(instanceId)}${crypto.randomUUID().slice(0, RANDOM_LENGTH)}`;
}

function parseWhy(text: string): string | null | Refusal {
  return parseText(text, { maxCodePoints: WHY_MAX_CODE_POINTS, multiline: true }) || null;
}
