import type { LeftOutKind } from "./file_entry.ts";
import { type MarkupElement, textOf } from "../html/markup.ts";

/** Says who may see an item of a file: everybody, its authors, or nobody here. */
export type ItemVisibility = "public" | "draft" | LeftOutKind;

const STATUSES: Readonly<Record<string, ItemVisibility>> = {
  publish: "public",
  future: "public",
  draft: "draft",
  pending: "draft",
  private: "private",
  trash: "trashed",
  // Attachments and revisions have the status of their post.
  inherit: "others",
};
/** The types of what WordPress exports; all others are parts of its pages, such as menus. */
const POST_TYPES: Readonly<Record<string, ItemVisibility>> = {
  post: "public",
  page: "pages",
  attachment: "attachments",
};
const BLOGGER_KIND = /^https?:\/\/schemas\.google\.com\/blogger\/2008\/kind#(\w+)$/;
const BLOGGER_KINDS: Readonly<Record<string, ItemVisibility>> = { post: "public", page: "pages" };
const BLOGGER_STATUSES: Readonly<Record<string, ItemVisibility>> = {
  live: "public",
  scheduled: "public",
  draft: "draft",
  soft_trashed: "trashed",
  hard_trashed: "trashed",
};

/** Reads who may see an item of RSS; WordPress exports drafts, pages and menus beside its posts. */
export function visibilityOfRssItem(item: MarkupElement): ItemVisibility {
  const values = textsByName(item, /^\w+:(post_type|status|post_password)$/);
  const type = values.get("post_type");
  if (type === undefined) return "public";
  const kind = POST_TYPES[type] ?? "others";
  if (kind !== "public") return kind;
  if (values.get("post_password")) return "protected";
  return STATUSES[values.get("status") ?? ""] ?? "others";
}

/** Reads who may see an entry of Atom: `app:draft` (RFC 5023), and what Blogger's exports say. */
export function visibilityOfAtomEntry(entry: MarkupElement): ItemVisibility {
  const values = textsByName(entry, /^blogger:(type|status)$/);
  const terms = entry.children.flatMap((child) =>
    typeof child === "string"
      ? []
      : BLOGGER_KIND.exec(child.attributes.get("term") ?? "")?.[1] ?? []
  );
  const kind = terms.at(0) ?? values.get("type") ?? "post";
  const visibility = BLOGGER_KINDS[kind] ?? "others";
  if (visibility !== "public") return visibility;
  const isDraft = entry.children.some((child) =>
    typeof child !== "string" && /^\w+:control$/.test(child.name) &&
    textsByName(child, /^\w+:(draft)$/).get("draft") === "yes"
  );
  if (isDraft) return "draft";
  const status = values.get("status");
  return status === undefined ? "public" : BLOGGER_STATUSES[status] ?? "draft";
}

/**
 * Returns the texts of the children whose name matches, in lower case, by the group of the pattern.
 */
function textsByName({ children }: MarkupElement, pattern: RegExp): Map<string, string> {
  const texts = new Map<string, string>();
  for (const child of children) {
    const name = typeof child === "string" ? undefined : pattern.exec(child.name)?.[1];
    if (typeof child === "string" || name === undefined || texts.has(name)) continue;
    texts.set(name, textOf(child).trim().toLowerCase());
  }
  return texts;
}
