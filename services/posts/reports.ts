import type { Position, Storage } from "../../adapters/storage.ts";
import { POSTS } from "../../model/kinds.ts";
import type { Post } from "../../model/posts/post.ts";
import { type Report, REPORTS } from "../../model/posts/records.ts";
import { voterPrefix } from "../../model/posts/vote.ts";
import { generateId } from "../../model/values/record_id.ts";
import { addMs } from "../../model/values/time.ts";
import { type Listed, listMatching, newRecord, removeRecord } from "../records.ts";
import { transactWithEvents } from "../webhooks/events.ts";
import { findPost } from "./posts.ts";

/** Number of reports kept per post: the first. */
export const MAX_REPORTS_OF_POST = 20;
/** Number of reports kept in total: the first ones. */
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
 * Stores a report for the team, and tells webhooks. Drops it if the post has enough of them, or all
 * posts together. Returns whether there is such a post.
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
  const own = await listOwn(storage, seen, MAX_REPORTS_OF_POST);
  const all = await storage.list(REPORTS, { index: "byExpiry", limit: MAX_REPORTS });
  if (own.length === MAX_REPORTS_OF_POST || all.length === MAX_REPORTS) return true;
  const type = "post.reported";
  const data = { postId, boardId, reports: own.length + 1 };
  // One transaction with the post: a post deleted meanwhile leaves no report behind.
  const refs = { post: { kind: POSTS, key: postId } };
  const isKept = await transactWithEvents(storage, refs, ({ post }) => {
    const isSame = post?.instanceId === seen.instanceId && isReportable(post);
    if (!isSame) return { answer: false };
    return {
      answer: true,
      create: [newRecord(REPORTS, report)],
      events: [{ type, at, data } as const],
    };
  }, { types: [type], at });
  // Reports that come at the same time see room for each of them.
  const kept = await listOwn(storage, seen, MAX_REPORTS);
  for (const { reportId } of kept.slice(MAX_REPORTS_OF_POST)) {
    await removeRecord(storage, REPORTS, reportId);
  }
  return isKept;
}

/** Lists the first reports of a post. */
async function listOwn(
  storage: Storage,
  { instanceId }: Post,
  limit: number,
): Promise<readonly Report[]> {
  const prefix = voterPrefix(instanceId);
  const page = await storage.list(REPORTS, {
    index: "byPost",
    after: { by: prefix, key: "" },
    limit,
  });
  return page.filter(({ place }) => place.startsWith(prefix));
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
