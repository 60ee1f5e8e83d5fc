import { parseHttpUrl, URL_MAX_LENGTH } from "./values/http_url.ts";
import { NAME_MAX_CODE_POINTS, parseName, parseText } from "./values/text.ts";
import { ID_PATTERN, parseId } from "./values/record_id.ts";
import type { Refusal } from "./values/refusal.ts";
import { text, textOrNull, time } from "./declare.ts";
import type { Resource } from "./resource.ts";

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

/** All that is known of a board. @internal */
export const BOARD = {
  name: "boards",
  key: "boardId",
  title: "Board",
  description: "A feedback board.",
  fields: {
    boardId: text("The identifier, case-sensitive.", "feature-requests", {
      inputRemark: "Generated if absent.",
      rules: { pattern: ID_PATTERN },
      parse: parseId,
      column: "ID",
    }),
    name: text("The name for people.", "Feature requests", {
      inputRemark: "Normalised to NFC and trimmed.",
      rules: { minLength: 1, maxLength: NAME_MAX_CODE_POINTS },
      parse: parseName,
      column: "NAME",
    }),
    description: textOrNull("What the board is for.", "What should we build next?", {
      inputRemark: "Normalised to NFC and trimmed; may have several lines.",
      rules: { maxLength: DESCRIPTION_MAX_CODE_POINTS },
      parse: parseDescription,
    }),
    url: textOrNull(
      "Where the board is shown: an absolute http or https URL.",
      "https://example.com/feedback",
      {
        inputRemark:
          "In ASCII (RFC 3986): percent-encode other characters, and write a non-ASCII host " +
          "as `xn--…`.",
        rules: { format: "uri", maxLength: URL_MAX_LENGTH },
        parse: parseHttpUrl,
        column: "URL",
      },
    ),
    createdAt: time("When the board was created."),
    updatedAt: time("When the board last changed.", { column: "UPDATED" }),
  },
} as const satisfies Resource<Board>;

/** Accepts the description of a board: NFC, trimmed, up to 4,000 code points, line breaks allowed. */
function parseDescription(text: string): string | null | Refusal {
  return parseText(text, { maxCodePoints: DESCRIPTION_MAX_CODE_POINTS, multiline: true }) || null;
}
