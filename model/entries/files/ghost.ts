import { readTime } from "./entry_date.ts";
import { type FeedItem, readItems } from "./feed_item.ts";
import {
  type FileOptions,
  type LeftOut,
  type LeftOutKind,
  type ReadEntry,
  toEntryId,
} from "./file_entry.ts";
import { addMedia } from "./feed_media.ts";
import { readEditorText } from "./ghost_text.ts";
import { htmlToMarkdown, plainToMarkdown } from "../html/html_to_markdown.ts";
import { type JsonItem, objectsOf, stringOf } from "./json_item.ts";

/** Placeholder for the site's address in exports of Ghost. */
const SITE_ADDRESS = /__GHOST_URL__/g;

/** Returns the tables in an export of Ghost; `undefined` for any other object. */
export function ghostTables(value: JsonItem): JsonItem | undefined {
  const [first = value] = objectsOf(value.db);
  const data = first.data as JsonItem | null | undefined;
  return Array.isArray(data?.posts) ? data : undefined;
}

/** Reads the posts in an export of Ghost, with pauses. */
export function* readGhost(
  tables: JsonItem,
  options: FileOptions,
): Generator<void, readonly ReadEntry[]> {
  const names = new Map(
    objectsOf(tables.tags).map(({ id, name }) => [`${id}`, stringOf(name)] as const),
  );
  yield;
  const labels = new Map<string, string[]>();
  for (const { post_id: postId, tag_id: tagId } of objectsOf(tables.posts_tags)) {
    const name = names.get(`${tagId}`) ?? "";
    // Ghost hides tags that begin with this character.
    if (name === "" || name.startsWith("#")) continue;
    const known = labels.get(`${postId}`);
    if (known === undefined) labels.set(`${postId}`, [name]);
    else known.push(name);
  }
  yield;
  const mailOnly = new Set(
    objectsOf(tables.posts_meta).filter(({ email_only: mailOnly }) => isTrue(mailOnly))
      .map(({ post_id: postId }) => `${postId}`),
  );
  yield;
  return yield* readItems(objectsOf(tables.posts), (post) => {
    const isMailOnly = isTrue(post.email_only) || mailOnly.has(`${post.id}`);
    return readPost(post, { labels: labels.get(`${post.id}`) ?? [], isMailOnly }, options);
  });
}

/** Tells whether a database column holds a yes. */
function isTrue(value: unknown): boolean {
  return value === true || value === 1;
}

function* readPost(
  post: JsonItem,
  { labels, isMailOnly }: { readonly labels: readonly string[]; readonly isMailOnly: boolean },
  { baseUrl }: FileOptions,
): Generator<void, FeedItem | LeftOut> {
  const text = (name: string) => stringOf(post[name]);
  const hidden = hiddenKindOf(post, isMailOnly);
  if (hidden !== undefined) return { leftOut: hidden, title: text("title") };
  const site = baseUrl?.replace(/\/$/, "") ?? "";
  const written = { lexical: text("lexical"), mobiledoc: text("mobiledoc") };
  const own = text("html") === "" && `${written.lexical}${written.mobiledoc}` !== ""
    ? readEditorText(written)
    : undefined;
  const html = (own?.html ?? text("html")).replace(SITE_ADDRESS, site);
  const id = `${post.id ?? ""}`;
  const converted = html === ""
    ? yield* plainToMarkdown(text("plaintext"))
    : yield* htmlToMarkdown(html, { base: baseUrl });
  const content = own === undefined
    ? converted
    : { ...converted, leftOut: [...own.leftOut, ...converted.leftOut] };
  const address = text("feature_image").replace(SITE_ADDRESS, site);
  const picture = { address, isPicture: true, alt: text("feature_image_alt") };
  return {
    id,
    entryId: toEntryId(text("slug")) || toEntryId(id),
    title: text("title"),
    ...content,
    ...addMedia(content, address === "" ? [] : [picture], baseUrl),
    labels,
    ...text("status") === "draft" ? { publishedAt: null } : readTime(text("published_at")),
  };
}

/** Returns the reason to leave out a post; `undefined` if it is public, scheduled or a draft. */
function hiddenKindOf(post: JsonItem, isMailOnly: boolean): LeftOutKind | undefined {
  const type = post.type ?? (post.page === true || post.page === 1 ? "page" : "post");
  if (type !== "post") return type === "page" ? "pages" : "others";
  if (!/^(?:published|scheduled|draft)$/.test(`${post.status}`)) return "private";
  if (isMailOnly && post.status !== "draft") return "private";
  return (post.visibility ?? "public") === "public" ? undefined : "private";
}
