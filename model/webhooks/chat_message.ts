import type { Board } from "../board.ts";
import type { ShownEntry } from "../entries/entry.ts";
import type { Post, PostStatus, ShownPost } from "../posts/post.ts";
import { entryAddress, ideaAddress } from "../public_site.ts";
import { nextTurn } from "../turns.ts";
import type { WebhookMessage } from "./webhook_message.ts";

const BEFORE: Readonly<Record<string, string>> = {
  "entry.updated": "Updated: ",
  "entry.unpublished": "No longer public: ",
};
const ABOUT_PEOPLE: Readonly<Record<string, string>> = {
  "subscriber.subscribed": "Subscribed",
  "subscriber.unsubscribed": "Unsubscribed",
  "subscriber.updated": "Changed",
  "subscriber.erased": "Erased",
};
const STATUSES: Readonly<Record<PostStatus, string>> = {
  open: "Open again",
  considering: "Under consideration",
  planned: "Planned",
  started: "In progress",
  shipped: "Shipped",
  declined: "Declined",
};

/** The present state of a post that a message tells of, for the name and the link in a chat. */
export interface ChatPost {
  readonly post: Pick<Post, "boardId" | "postId" | "title" | "state" | "mergedInto"> | undefined;
  readonly board: Pick<Board, "visibility"> | undefined;
  /** The post that it was merged into. */
  readonly target: Pick<Post, "boardId" | "postId" | "title" | "state" | "mergedInto"> | undefined;
}

/** Tells whether the text of a message needs the present state of a post. */
export function isAboutPost(type: WebhookMessage["type"]): boolean {
  return type.startsWith("post.");
}

/**
 * Writes the text that a chat shows for a message, in the markup of Slack and similar chats. If
 * there is a public URL, the title links to the page of the entry or post; the title of a post
 * without a page links to the studio.
 */
export async function chatTextFor(
  { type, body }: Pick<WebhookMessage, "type" | "body">,
  { publicUrl, about }: {
    readonly publicUrl?: string | undefined;
    readonly about?: ChatPost | undefined;
  },
): Promise<string> {
  if (type === "test") return "This is a test.";
  const { data, timestamp } = JSON.parse(body);
  if (about !== undefined) return postText(type, { data, timestamp }, { publicUrl, about });
  const person = ABOUT_PEOPLE[type];
  if (person !== undefined) {
    const { userEmail } = data as { readonly userEmail: string };
    return `${person}: ${escape(userEmail)}`;
  }
  const { entryId, title, body: words } = data as ShownEntry;
  const isLinked = publicUrl !== undefined && type !== "entry.unpublished";
  const name = linked(title, isLinked ? entryAddress({ publicUrl }, { entryId }) : undefined);
  const excerpt = type === "entry.published" ? escape(await excerptFrom(words)) : "";
  return `${BEFORE[type] ?? ""}*${name}*${excerpt && `\n${excerpt}`}`;
}

type PostData = Pick<ShownPost, "boardId" | "postId"> & Partial<ShownPost> & {
  readonly reports?: number;
};

function postText(
  type: WebhookMessage["type"],
  { data, timestamp }: { readonly data: PostData; readonly timestamp: string },
  { publicUrl, about: { post, board, target } }: {
    readonly publicUrl?: string | undefined;
    readonly about: ChatPost;
  },
): string {
  const addressOf = (one: ChatPost["post"]) => {
    if (publicUrl === undefined) return undefined;
    const hasPage = one?.state === "public" && board?.visibility === "public";
    if (hasPage) return ideaAddress({ publicUrl }, one);
    const place = one === undefined ? [] : [one.boardId, one.postId];
    return `${publicUrl}/studio#/${["ideas", ...place].map(encodeURIComponent).join("/")}`;
  };
  if (type === "post.held") return linked("An idea waits for approval", addressOf(post));
  const name = `*${linked(data.title ?? post?.title ?? data.postId, addressOf(post))}*`;
  if (type === "post.merged" && target !== undefined) {
    return `${name}\nMerged into: *${linked(target.title, addressOf(target))}*`;
  }
  return `${happened(type, data, timestamp)}: ${name}`;
}

/** Says in a few words what has happened to a post. */
function happened(type: WebhookMessage["type"], data: PostData, timestamp: string): string {
  if (type === "post.created") return "New idea";
  if (type === "post.merged") return "Merged";
  if (type === "post.reported") return `Reported (${data.reports})`;
  if (type === "post.deleted") {
    return { held: "Held again", hidden: "Hidden", public: "Deleted" }[data.state ?? "public"];
  }
  const decided = data.history?.findLast(({ at }) => at === timestamp);
  if (decided !== undefined) return STATUSES[decided.status];
  return data.answeredAt === timestamp ? "Answered" : "Changed";
}

/** Writes a name, linked to an address if it has one. */
function linked(name: string, address: string | undefined): string {
  return address === undefined ? escape(name) : `<${address}|${escape(name)}>`;
}

async function excerptFrom(body: string): Promise<string> {
  // Imported only when a chat gets a message, which keeps each start fast.
  const { excerptOf, parseMarkdown } = await import("../entries/markdown.ts");
  // Twenty chats may get the same entry at the same time, so each rendering has its own turn.
  await nextTurn();
  return excerptOf(parseMarkdown(body));
}

/**
 * Escapes the characters that start links and mentions, so that an entry's text mentions nobody.
 */
function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
