import { decodeBase64Url, encodeBase64Url } from "../../model/crypto/encoding.ts";
import type { ListQuery, Position } from "../../adapters/storage.ts";
import { Refusal } from "../../model/values/refusal.ts";
import type { Field } from "../../model/resource.ts";
import type { QueryValues } from "./fields.ts";
import { badValue, type Problem, validationFailed } from "./problem.ts";
import { accepts } from "../../std.ts";
import { CSV_TYPE, JSON_TYPE, jsonReply, NDJSON_TYPE, type Reply } from "./reply.ts";

const MAX_PAGE_LIMIT = 100;
const DEFAULT_PAGE_LIMIT = 25;
const MAX_CURSOR_LENGTH = 1_000;

/** A position in a listing. */
export interface Cursor extends Position {
  readonly listing: string;
}

/** The query parameters of a listing. */
export type PageFields = {
  readonly limit: Parameter<number>;
  readonly cursor: Parameter<Cursor>;
};

type Parameter<V> = Field<V> & Required<Pick<Field<V>, "parse">>;

/** The query parameters of a listing in the order of its keys. */
export const PAGE_FIELDS: PageFields = pageFields(/^[\w.~-]+ [\x21-\x7e]+$/);
/** The query parameters of a listing in the order of another field. */
export const ORDERED_PAGE_FIELDS: PageFields = pageFields(/^[\w.~-]+ [\x21-\x7e]+ [\x21-\x7e]+$/);

/** The result of a listing, which may have stopped early; see `Listed` of the services. */
interface Found<T> {
  readonly records: readonly T[];
  readonly stoppedAt?: Position | undefined;
}

/**
 * Replies with one page of a listing. It reads one record more than the limit to know whether
 * another page follows. The cursor is the position of the last shown record or, if a search stopped
 * early, the position that it has reached.
 */
export async function pageReply<T>(
  values: QueryValues<PageFields>,
  list: (query: ListQuery) => Promise<readonly T[] | Found<T>>,
  view: {
    /** The name of the listing, one word. A listing accepts only its own cursors. */
    readonly listing: string;
    readonly positionOf: (record: T) => Position;
    readonly show?: (record: T) => unknown;
  },
): Promise<Reply | Problem> {
  const { listing } = view;
  const limit = values.limit ?? DEFAULT_PAGE_LIMIT;
  const refused = refuseForeign(values.cursor, listing);
  if (refused !== undefined) return refused;
  const { key, by } = values.cursor ?? {};
  const after = key === undefined ? undefined : { key, by };
  const found = await list({ after, limit: limit + 1 });
  const { records, stoppedAt } = "records" in found ? found : { records: found };
  const shown = records.slice(0, limit);
  const end = records.length > limit ? view.positionOf(shown[limit - 1]) : stoppedAt;
  const nextCursor = end === undefined ? null : encodeCursor({ listing, ...end });
  return jsonReply(200, { data: view.show ? shown.map(view.show) : shown, nextCursor });
}

/** Returns the problem for a cursor of another listing. */
export function refuseForeign(
  cursor: Cursor | undefined,
  listing: string,
): Problem | undefined {
  if (!cursor || cursor.listing === listing) return undefined;
  return validationFailed([badValue("cursor", "is a nextCursor of another listing")]);
}

function parseLimit(text: string): number | Refusal {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  return limit >= 1 && limit <= MAX_PAGE_LIMIT
    ? limit
    : new Refusal("invalid_value", `must be a whole number from 1 to ${MAX_PAGE_LIMIT}`);
}

/** Encodes a cursor for callers. */
export function encodeCursor({ listing, key, by }: Cursor): string {
  return encodeBase64Url([listing, key, ...by === undefined ? [] : [by]].join(" "));
}

function parseCursor(text: string, form: RegExp): Cursor | Refusal {
  try {
    const decoded = text.length > MAX_CURSOR_LENGTH
      ? ""
      : new TextDecoder().decode(decodeBase64Url(text));
    const [listing, key, by] = decoded.split(" ");
    // Several base64 texts decode to the same bytes, and only one of them is a cursor.
    const isWhole = form.test(decoded) && encodeCursor({ listing, key, by }) === text;
    if (isWhole) return { listing, key, by };
  } catch {
    // The text is not base64url.
  }
  return new Refusal("invalid_value", "is not a nextCursor of an earlier page");
}

/** Creates the query parameters of a listing whose decoded cursors match a pattern. */
export function pageFields(cursorForm: RegExp): PageFields {
  return {
    limit: {
      schema: {
        description: "The maximum number of records to return.",
        type: "integer",
        minimum: 1,
        maximum: MAX_PAGE_LIMIT,
        default: DEFAULT_PAGE_LIMIT,
      },
      parse: parseLimit,
    },
    cursor: {
      schema: {
        description: "The `nextCursor` of the previous page; omit it for the first page.",
        type: "string",
        maxLength: MAX_CURSOR_LENGTH,
      },
      parse: (text) => parseCursor(text, cursorForm),
    },
  };
}

/** Returns the media type that a client prefers for a list. */
export function negotiateList(request: Request): string {
  const accept = request.headers.get("accept")?.toLowerCase() ?? "";
  if (!accept.includes(NDJSON_TYPE) && !accept.includes(CSV_TYPE)) return JSON_TYPE;
  return accepts(request, JSON_TYPE, NDJSON_TYPE, CSV_TYPE) ?? JSON_TYPE;
}

/** Tells whether a client prefers CSV to NDJSON. */
export function prefersCsv(request: Request): boolean {
  const accept = request.headers.get("accept")?.toLowerCase() ?? "";
  return accept.includes(CSV_TYPE) && accepts(request, NDJSON_TYPE, CSV_TYPE) === CSV_TYPE;
}
