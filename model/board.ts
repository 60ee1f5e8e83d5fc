import { parseHttpUrl, URL_MAX_LENGTH } from "./values/http_url.ts";
import { NAME_MAX_CODE_POINTS, parseName, parseText } from "./values/text.ts";
import { generateId, ID_PATTERN, parsePageId } from "./values/record_id.ts";
import type { Refusal } from "./values/refusal.ts";
import { choice, hidden, text, textOrNull, time } from "./declare.ts";
import { fillRecord, type Resource, type ShownOf, showRecord } from "./resource.ts";

/** Whether a board has public pages. */
export const BOARD_VISIBILITIES = ["private", "public"] as const;

/** One of the {@linkcode BOARD_VISIBILITIES}. */
export type BoardVisibility = typeof BOARD_VISIBILITIES[number];

/** The ideas that wait for approval: each person's first, all, or none. */
export const MODERATIONS = ["first", "all", "none"] as const;

/** One of the {@linkcode MODERATIONS}. */
export type Moderation = typeof MODERATIONS[number];

/** A feedback board. */
export interface Board {
  /** The identifier, case-sensitive: `[A-Za-z0-9][A-Za-z0-9._~-]{0,127}`. */
  readonly boardId: string;
  /** The name for people, 1 to 200 code points. */
  readonly name: string;
  /** Its purpose, 1 to 4,000 code points; `null` if there is none. */
  readonly description: string | null;
  /**
   * The page on which the product shows the board: an absolute http or https URL, up to 2,000
   * characters; or `null`.
   */
  readonly url: string | null;
  /** Whether it has public pages. */
  readonly visibility: BoardVisibility;
  /** The ideas that wait for approval. */
  readonly moderation: Moderation;
  /**
   * Random; distinguishes the board from an earlier one with this `boardId`, whose posts may still
   * exist.
   */
  readonly instanceId: string;
  /** When the board was created (RFC 3339, UTC, milliseconds). */
  readonly createdAt: string;
  /** When the board last changed (RFC 3339, UTC, milliseconds). */
  readonly updatedAt: string;
}

const DESCRIPTION_MAX_CODE_POINTS = 4_000;

/** The fields of a board. @internal */
export const BOARD = {
  name: "boards",
  key: "boardId",
  title: "Board",
  description: "A feedback board.",
  fields: {
    boardId: text("The identifier, case-sensitive. Generated if absent.", "feature-requests", {
      rules: { pattern: ID_PATTERN },
      parse: parsePageId,
    }),
    name: text("The name for people. Normalised to NFC and trimmed.", "Feature requests", {
      rules: { minLength: 1, maxLength: NAME_MAX_CODE_POINTS },
      parse: parseName,
    }),
    description: textOrNull(
      "What the board is for. Normalised to NFC and trimmed; may have several lines.",
      "What should we build next?",
      { rules: { maxLength: DESCRIPTION_MAX_CODE_POINTS }, parse: parseDescription },
    ),
    url: textOrNull(
      "Where the board is shown: an absolute http or https URL. " +
        "In ASCII (RFC 3986): percent-encode other characters, and write a non-ASCII host " +
        "as `xn--…`.",
      "https://example.com/feedback",
      { rules: { format: "uri", maxLength: URL_MAX_LENGTH }, parse: parseHttpUrl },
    ),
    visibility: choice(
      BOARD_VISIBILITIES,
      "`public`: the board has pages. `private`: only the API shows it.",
      { default: "private" },
    ),
    moderation: choice(
      MODERATIONS,
      "Which ideas from the form wait for approval: those of each person until the `first` " +
        "one is approved, `all` or `none`.",
      { default: "first" },
    ),
    instanceId: hidden("text", { default: "" }),
    createdAt: time("When the board was created."),
    updatedAt: time("When the board last changed."),
  },
} as const satisfies Resource;

/** @internal A board as the API shows it. */
export type ShownBoard = ShownOf<typeof BOARD.fields>;

/** Creates a board from values, at a time (RFC 3339, UTC, milliseconds). */
export function createBoard(
  values: Pick<Board, "boardId" | "name"> & { readonly [F in keyof Board]?: Board[F] | null },
  at: string,
): Board {
  const made = { instanceId: generateId(), createdAt: at, updatedAt: at };
  return fillRecord<Board>(BOARD, { ...values, ...made });
}

/** @internal Returns a board as the API shows it. */
export function showBoard(board: Board): ShownBoard {
  return showRecord(BOARD, board, {});
}

/** Accepts a description: NFC, trimmed, up to 4,000 code points, line breaks allowed. */
function parseDescription(text: string): string | null | Refusal {
  return parseText(text, { maxCodePoints: DESCRIPTION_MAX_CODE_POINTS, multiline: true }) || null;
}
