import type { LeftOutKind } from "./file_entry.ts";
import { type MarkupElement, textOf } from "../html/markup.ts";

/** The readers of an item in a file: everybody, its authors, or nobody here for a reason. */
export type ItemVisibility = "public" | "draft" | LeftOutKind;

const STATUSES: Readonly<Record<string, ItemVisibility>> = {
  publish: "public",
  future: "public",
  draft: "draft",
  pending: "draft",
  private: "private",
  trash: "trashed",
  // Attachments and revisions inherit the status of their post.
  inherit: "others",
};
/**
 * The types of exported items in WordPress. All other types are parts of its pages, such as menus.
 */
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

/** Reads the visibility of an RSS item. WordPress also exports drafts, pages and menus as items. */
export function visibilityOfRssItem(item: MarkupElement): ItemVisibility {
  const values = textsByName(item, /^(?:[^:]+:)?(post_type|status|post_password)$/);
  const type = values.get("post_type");
  const kind = POST_TYPES[type ?? "post"] ?? "others";
  if (kind !== "public") return kind;
  if (values.get("post_password")) return "protected";
  // Without a type, the status may be that of another product.
  return STATUSES[values.get("status") ?? ""] ?? (type === undefined ? "public" : "others");
}

/**
 * Reads the visibility of an Atom entry from `app:draft` (RFC 5023), whatever its prefix, and from
 * Blogger's elements.
 */
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
    typeof child !== "string" && /^(?:[^:]+:)?control$/.test(child.name) &&
    textsByName(child, /^(?:[^:]+:)?(draft)$/).get("draft") === "yes"
  );
  if (isDraft) return "draft";
  const status = values.get("status");
  return status === undefined ? "public" : BLOGGER_STATUSES[status] ?? "draft";
}

/** Returns the lower-case texts of the children whose names match, by the pattern's first group. */
function textsByName({ children }: MarkupElement, pattern: RegExp): Map<string, string> {
  const texts = new Map<string, string>();
  for (const child of children) {
    const name = typeof child === "string" ? undefined : pattern.exec(child.name)?.[1];
    if (typeof child === "string" || name === undefined || texts.has(name)) continue;
    texts.set(name, textOf(child).trim().toLowerCase());
  }
  return texts;
}
