import { Refusal } from "../../values/refusal.ts";
import { parseChoice } from "../../values/text.ts";

/** The fields of a sheet of posts. */
export const POST_SHEET_FIELDS = [
  "postId",
  "title",
  "body",
  "status",
  "answer",
  "votes",
  "authorEmail",
  "createdAt",
  "userEmail",
  "userName",
  "at",
] as const;

/** One of the {@linkcode POST_SHEET_FIELDS}. */
export type PostSheetField = typeof POST_SHEET_FIELDS[number];

/**
 * Accepts the headings of a sheet, such as `title=Idea,body=Details`; refuses with `invalid_value`.
 */
export function parsePostColumns(
  text: string,
): ReadonlyMap<PostSheetField, string> | Refusal {
  const columns = new Map<PostSheetField, string>();
  // Headings may have commas.
  for (const pair of text.split(/,(?=[ \t]{0,9}[A-Za-z]{1,20}=)/)) {
    const at = pair.indexOf("=");
    const heading = pair.slice(at + 1).trim();
    if (at < 1 || heading === "") {
      return new Refusal("invalid_value", "must be like title=Idea,body=Details");
    }
    const field = parseChoice(pair.slice(0, at).trim(), POST_SHEET_FIELDS);
    if (field instanceof Refusal) {
      return new Refusal(field.code, `has a field that ${field.detail}`);
    }
    if (columns.has(field)) return new Refusal("invalid_value", `has ${field} twice`);
    columns.set(field, heading);
  }
  return columns;
}
