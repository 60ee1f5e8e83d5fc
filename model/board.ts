import { parseHttpUrl, URL_MAX_LENGTH } from "./values/http_url.ts";
import { NAME_MAX_CODE_POINTS, parseName, parseText } from "./values/text.ts";
import { ID_PATTERN, parseId } from "./values/record_id.ts";
import type { Refusal } from "./values/refusal.ts";
import type { Resource } from "./resource.ts";
import { EXAMPLE_TIME } from "./values/time.ts";

/** A feedback board. */
export interface Board {
  /** The identifier, case-sensitive: `[A-Za-z0-9][A-Za-z0-9._~-]{0,127}`. */
  readonly boardId: string;
  /** The name for people, 1 to 200 code points. */
  readonly name: string;
  /** What the board is for, 1 to 4,000 code points; `null` for nothing. */
  readonly description: string | null;
  /** Where the board is shown: an absolute http or https URL, up to 2,000 characters; or `null`. */
  readonly url: string | null;
  /** When the board was created (RFC 3339, UTC, milliseconds). */
  readonly createdAt: string;
  /** When the board last changed (RFC 3339, UTC, milliseconds). */
  readonly updatedAt: string;
}

const DESCRIPTION_MAX_CODE_POINTS = 4_000;

/**
 * All that is known of a board.
 *
 * @internal It has no type of its own, which the package would need.
 */
export const BOARD = {
  name: "boards",
  key: "boardId",
  title: "Board",
  description: "A feedback board.",
  fields: {
    boardId: {
      type: "text",
      description: "The identifier, case-sensitive.",
      inputRemark: "Generated if absent.",
      example: "feature-requests",
      rules: { pattern: ID_PATTERN },
      parse: parseId,
      column: "ID",
    },
    name: {
      type: "text",
      description: "The name for people.",
      inputRemark: "Normalised to NFC and trimmed.",
      example: "Feature requests",
      rules: { minLength: 1, maxLength: NAME_MAX_CODE_POINTS },
      parse: parseName,
      column: "NAME",
    },
    description: {
      type: "text?",
      description: "What the board is for.",
      inputRemark: "Normalised to NFC and trimmed; may have several lines.",
      example: "What should we build next?",
      rules: { maxLength: DESCRIPTION_MAX_CODE_POINTS },
      parse: parseDescription,
    },
    url: {
      type: "text?",
      description: "Where the board is shown: an absolute http or https URL.",
      inputRemark:
        "In ASCII (RFC 3986): percent-encode other characters, and write a non-ASCII host " +
        "as `xn--…`.",
      example: "https://example.com/feedback",
      rules: { format: "uri", maxLength: URL_MAX_LENGTH },
      parse: parseHttpUrl,
      column: "URL",
    },
    createdAt: {
      type: "time",
      description: "When the board was created.",
      example: EXAMPLE_TIME,
    },
    updatedAt: {
      type: "time",
      description: "When the board last changed.",
      example: EXAMPLE_TIME,
      column: "UPDATED",
    },
  },
} as const satisfies Resource<Board>;

/** Accepts the description of a board: NFC, trimmed, up to 4,000 code points, line breaks allowed. */
function parseDescription(text: string): string | null | Refusal {
  return parseText(text, { maxCodePoints: DESCRIPTION_MAX_CODE_POINTS, multiline: true }) || null;
}
