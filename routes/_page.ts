import type { PageQuery } from "../adapters/storage.ts";
import { Refusal } from "../model/refusal.ts";
import { type Field, optional, type Values } from "./_fields.ts";
import { jsonReply, type Reply } from "./_reply.ts";

const MAX_PAGE_LIMIT = 100;
const DEFAULT_PAGE_LIMIT = 25;
const MAX_CURSOR_LENGTH = 1_000;
const utf8 = new TextDecoder();

/** The query parameters of every listing. */
export const PAGE_FIELDS: { readonly limit: Field<number>; readonly cursor: Field<string> } = {
  limit: optional(parseLimit, {
    description: "The maximum number of records to return.",
    minimum: 1,
    maximum: MAX_PAGE_LIMIT,
    default: DEFAULT_PAGE_LIMIT,
  }, { type: "integer", nullable: false }),
  cursor: optional(parseCursor, {
    description: "The `nextCursor` of the previous page; omit it for the first page.",
    maxLength: MAX_CURSOR_LENGTH,
  }, { nullable: false }),
};

/**
 * Answers one page of a listing. One record more than asked for tells whether another page
 * follows; the key of the last one shown is the cursor.
 */
export async function pageReply<T>(
  values: Values<typeof PAGE_FIELDS>,
  list: (query: PageQuery) => Promise<readonly T[]>,
  view: { readonly keyOf: (record: T) => string; readonly show?: (record: T) => unknown },
): Promise<Reply> {
  const limit = values.limit ?? DEFAULT_PAGE_LIMIT;
  const found = await list({ after: values.cursor ?? undefined, limit: limit + 1 });
  const shown = found.slice(0, limit);
  const nextCursor = found.length > limit ? encodeCursor(view.keyOf(shown[limit - 1])) : null;
  return jsonReply(200, { data: view.show ? shown.map(view.show) : shown, nextCursor });
}

function parseLimit(text: string): number | Refusal {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  return limit >= 1 && limit <= MAX_PAGE_LIMIT
    ? limit
    : new Refusal("invalid_value", `must be a whole number from 1 to ${MAX_PAGE_LIMIT}`);
}

function encodeCursor(key: string): string {
  const bytes = new TextEncoder().encode(key);
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function parseCursor(text: string): string | Refusal {
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const key = utf8.decode(Uint8Array.from(binary, (char) => char.charCodeAt(0)));
    // What is not UTF-8, it has repaired.
    const isOurs = key !== "" && !key.includes("\0") && encodeCursor(key) === text;
    if (isOurs && text.length <= MAX_CURSOR_LENGTH) return key;
  } catch {
    // Not base64url.
  }
  return new Refusal("invalid_value", "is not a nextCursor of an earlier page");
}
