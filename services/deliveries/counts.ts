import type { Storage } from "../../adapters/storage.ts";
import type { Delivery, ToldPost } from "../../model/deliveries/delivery.ts";
import { ENTRIES, SUBSCRIPTIONS, VOTES } from "../../model/kinds.ts";
import type { Entry } from "../../model/entries/entry.ts";
import { PEOPLE } from "../../model/posts/records.ts";
import { mailboxOf, voterPrefix } from "../../model/posts/vote.ts";
import { wants } from "../../model/subscriptions/choices.ts";
import { createYielder } from "../../model/turns.ts";
import { isTold } from "../posts/votes/vote_counts.ts";
import { countRecords, readPages } from "../records.ts";
import { toldPosts } from "./rounds.ts";

/** The people whom a delivery sets out to mail. */
export interface RecipientCounts extends Pick<Asked, "posts"> {
  /** The number of people, each counted once. */
  readonly recipients: number;
  /** The number of those who asked about the posts. */
  readonly asked: number;
}

/** Counts the people whom a delivery would mail if it began now. */
export async function countRecipients(
  storage: Storage,
  { entryId, week, postId, posts }: Delivery,
): Promise<RecipientCounts> {
  const weekly = () => countRecords(storage, SUBSCRIPTIONS, "weekly");
  if (week !== null) return { recipients: await weekly(), asked: 0, posts };
  if (postId !== null) {
    const told = await countAsked(storage, posts);
    return { recipients: told.people, asked: told.people, posts: told.posts };
  }
  const entry = await storage.get(ENTRIES, entryId);
  const shipped = await toldPosts(storage, entry?.posts ?? []);
  const { people: asked, addresses, ...told } = await countAsked(storage, shipped);
  const both = await countSubscribed(storage, addresses);
  const ofWeek = await weekly();
  const subscribed = await countRecords(storage, SUBSCRIPTIONS, "subscribed") - ofWeek;
  // A change between the counts may make the difference negative.
  return { recipients: asked + Math.max(0, subscribed - both), asked, ...told };
}

/** The people who asked to be told about some posts. */
interface Asked {
  /** The number of people, each counted once. */
  readonly people: number;
  /** The posts, with the number of people who asked about each. */
  readonly posts: readonly ToldPost[];
  /** The addresses at which they asked, with and without plus tags. */
  readonly addresses: ReadonlySet<string>;
}

/**
 * Counts the people who asked about the posts that an entry ships, each person once, and those of
 * them who would get the entry as subscribers, too.
 */
export async function countAskers(
  storage: Storage,
  { posts, labels }: Pick<Entry, "posts" | "labels">,
  options: { readonly isGone: () => boolean },
): Promise<{ readonly asked: number; readonly askedSubscribed: number }> {
  const shipped = await toldPosts(storage, posts);
  const { people: asked, addresses } = await countAsked(storage, shipped, options);
  return { asked, askedSubscribed: await countSubscribed(storage, addresses, labels) };
}

// A large page would continue into the votes for other posts.
const COUNTED_AT_ONCE = 250;

/** Counts the mailboxes with an active request to be told about some posts. */
async function countAsked(
  storage: Storage,
  posts: readonly ToldPost[],
  { isGone = () => false }: {
    /** Tells whether the client has disconnected; if so, the count ends early. */
    readonly isGone?: () => boolean;
  } = {},
): Promise<Asked> {
  const mailboxes = new Set<string>();
  const addresses = new Set<string>();
  const counted: ToldPost[] = [];
  for (const post of posts) {
    let asked = 0;
    const within = voterPrefix(post.instanceId);
    const query = { index: "asked", within, limit: COUNTED_AT_ONCE };
    for await (const page of readPages(storage, VOTES, query)) {
      const people = await Promise.all(
        page.map(({ userEmail }) => storage.get(PEOPLE, mailboxOf(userEmail))),
      );
      for (const [index, vote] of page.entries()) {
        if (!isTold(vote, people[index])) continue;
        const mailbox = mailboxOf(vote.userEmail);
        mailboxes.add(mailbox);
        addresses.add(mailbox).add(vote.userEmail);
        asked++;
      }
      if (isGone()) break;
    }
    counted.push({ ...post, asked });
  }
  return { people: mailboxes.size, posts: counted, addresses };
}

/**
 * Counts the addresses, among those of people who asked, at which the mail of an entry would also
 * go to a subscriber, whatever their choice of labels if none are given. An address of theirs with
 * another plus tag is not found.
 */
async function countSubscribed(
  storage: Storage,
  addresses: ReadonlySet<string>,
  labels?: readonly string[],
): Promise<number> {
  const yieldIfBusy = createYielder();
  const all = [...addresses];
  let count = 0;
  for (let start = 0; start < all.length; start += COUNTED_AT_ONCE) {
    await yieldIfBusy();
    const some = all.slice(start, start + COUNTED_AT_ONCE);
    const found = await Promise.all(some.map((address) => storage.get(SUBSCRIPTIONS, address)));
    count += found.filter((person) =>
      person?.subscribed && person.pace === "each" &&
      (labels === undefined || wants(person, labels))
    ).length;
  }
  return count;
}
