import type { Refusal } from "./refusal.ts";
import { parseText } from "./text.ts";

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

/** A change requested for a board; a field that is `undefined` stays unchanged. */
export interface BoardChange {
  readonly name?: string;
  /** `null` or empty for none. */
  readonly description?: string | null;
  readonly url?: string | null;
  readonly at: string;
}

export const BOARD_DESCRIPTION_MAX_CODE_POINTS = 4_000;

/**
 * Applies a change to a board. Returns `current` itself if nothing changes, so that comparing
 * references shows whether anything has to be stored.
 */
export function applyBoardChange(current: Board, change: BoardChange): Board {
  // The type has the compiler refuse a field that is left out.
  const next: Pick<Board, Exclude<keyof BoardChange, "at">> = {
    name: change.name ?? current.name,
    description: change.description === undefined
      ? current.description
      : change.description || null,
    url: change.url === undefined ? current.url : change.url,
  };
  const names = Object.keys(next) as (keyof typeof next)[];
  const isSame = names.every((name) => next[name] === current[name]);
  return isSame ? current : { ...current, ...next, updatedAt: change.at };
}

/** Accepts the description of a board: NFC, trimmed, up to 4,000 code points, line breaks allowed. */
export function parseDescription(text: string): string | Refusal {
  return parseText(text, { maxCodePoints: BOARD_DESCRIPTION_MAX_CODE_POINTS, multiline: true });
}
