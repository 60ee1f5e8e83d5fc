import type { Position, Storage } from "../../adapters/storage.ts";
import { POSTS } from "../../model/kinds.ts";
import type { Post } from "../../model/posts/post.ts";
import { type Report, REPORTS } from "../../model/posts/records.ts";
import { voterPrefix } from "../../model/posts/vote.ts";
import { generateId } from "../../model/values/record_id.ts";
import { addMs } from "../../model/values/time.ts";
import { type Listed, listMatching, newRecord, removeRecord } from "../records.ts";
import { findPost } from "./posts.ts";

/** Number of reports kept per post: the newest. */
export const MAX_REPORTS_OF_POST = 20;
/** Number of reports kept in total: the newest. */
export const MAX_REPORTS = 1_000;

const KEPT_MS = 90 * 24 * 3_600_000;

/** A report of a post. */
export interface ReportRequest {
  readonly boardId: string;
  readonly postId: string;
  readonly reason: string;
  /** When (RFC 3339, UTC, milliseconds). */
  readonly at: string;
}

/** Tells whether visitors can report a post: it is public, and was not merged. */
export function isReportable({ state, mergedInto }: Post): boolean {
  return state === "public" && mergedInto === null;
}

/**
 * Stores a report for the team, and removes the oldest reports beyond the limits. Returns whether
 * there is such a post.
 */
export async function addReport(
  storage: Storage,
  { boardId, postId, reason, at }: ReportRequest,
): Promise<boolean> {
  const seen = (await findPost(storage, { boardId, postId }))?.post;
  if (seen === undefined || !isReportable(seen)) return false;
  const reportId = generateId();
  const place = `${voterPrefix(seen.instanceId)}${at}`;
  const report: Report = { reportId, place, reason, at, expiresAt: addMs(at, KEPT_MS) };
  // One transaction with the post: a post deleted meanwhile leaves no report behind.
  const isKept = await storage.transact({ post: { kind: POSTS, key: postId } }, ({ post }) => {
    const isSame = post?.instanceId === seen.instanceId && isReportable(post);
    return { answer: isSame, create: isSame ? [newRecord(REPORTS, report)] : [] };
  });
  if (isKept) await removeExcess(storage, seen);
  return isKept;
}

async function removeExcess(storage: Storage, post: Post): Promise<void> {
  const own = await listReports(storage, post, { limit: MAX_REPORTS_OF_POST + 1 });
  const oldest = await storage.list(REPORTS, { index: "byExpiry", limit: MAX_REPORTS });
  const excess = [...own.records.slice(MAX_REPORTS_OF_POST)];
  if (oldest.length === MAX_REPORTS) {
    const { expiresAt, reportId } = oldest[MAX_REPORTS - 1];
    const after = { by: expiresAt, key: reportId };
    const newer = await storage.list(REPORTS, { index: "byExpiry", after, limit: MAX_REPORTS });
    excess.push(...oldest.slice(0, newer.length));
  }
  for (const { reportId } of excess) await removeRecord(storage, REPORTS, reportId);
}

/** Lists the reports of a post, newest first. */
export function listReports(
  storage: Storage,
  { instanceId }: Post,
  { after, limit }: { readonly after?: Position | undefined; readonly limit: number },
): Promise<Listed<Report>> {
  const prefix = voterPrefix(instanceId);
  const query = { index: "byPost", reverse: true, after: after ?? { by: `${prefix}~`, key: "" } };
  const isOver = ({ place }: Report) => !place.startsWith(prefix);
  return listMatching(storage, REPORTS, { ...query, limit }, { isOver });
}

/** Returns the position of a report in their list. */
export function reportPosition({ reportId, place }: Report): Position {
  return { key: reportId, by: place };
}
