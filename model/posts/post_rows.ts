import { columnsOf, formatHeader, formatRow } from "../imports/file_values.ts";
import { POST, type ShownPost } from "./post.ts";

export interface ExportedPost extends ShownPost {
  readonly authorEmail: string | null;
}

const COLUMNS = [...columnsOf(POST), "authorEmail"];

export const POSTS_CSV_HEADER: string = formatHeader(COLUMNS);

/** Formats a post as a row of CSV. */
export function formatPostRow(post: ExportedPost): string {
  return formatRow(COLUMNS, post);
}
