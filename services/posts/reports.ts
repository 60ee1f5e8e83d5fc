import type { Position, Storage } from "../../adapters/storage.ts";
import { POSTS, REPORTS } from "../../model/kinds.ts";
import type { Post } from "../../model/posts/post.ts";
import type { Report } from "../../model/posts/report.ts";
import { voterPrefix } from "../../model/posts/vote.ts";
import { generateId } from "../../model/values/record_id.ts";
import { addMs } from "../../model/values/time.ts";
import { type Listed, listMatching, readPages } from "../records.ts";
import { removeWhere } from "../removals.ts";
import { changeWithEvents } from "../webhooks/events.ts";
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
  if (await findPost(storage, { boardId, postId }) === undefined) return false;
  const reportId = generateId();
  const all = await storage.list(REPORTS, { index: "byExpiry", limit: MAX_REPORTS });
  const type = "post.reported";
  // One transaction with the post: a post deleted meanwhile leaves no report behind.
  return await changeWithEvents<boolean>(storage, function* ({ read, put, create, tell }) {
    const post = yield* read(POSTS, postId);
    if (post?.boardId !== boardId || !isReportable(post)) return false;
    const before = isReported(post, at) ? post.reports : 0;
    if (before >= MAX_REPORTS_OF_POST || all.length === MAX_REPORTS) return true;
    const reports = before + 1;
    const place = `${voterPrefix(post.instanceId)}${at}`;
    put(POSTS, { ...post, reports, reportedAt: at });
    create(REPORTS, { reportId, place, reason, at, expiresAt: addMs(at, KEPT_MS) });
    tell({ type, at, data: { postId, boardId, reports } });
    return true;
  }, { types: [type], at });
}

/** Tells whether a post has reports at a time that the team has not dealt with. */
function isReported({ reportedAt }: Post, now: string): boolean {
  return reportedAt !== null && reportedAt >= addMs(now, -KEPT_MS);
}

/** Removes the reports of a post, which the team has dealt with: new ones are kept again. */
export async function removeReports(storage: Storage, seen: Post): Promise<void> {
  await storage.transact({ post: { kind: POSTS, key: seen.postId } }, ({ post }) => {
    const isSame = post?.instanceId === seen.instanceId && post.reportedAt !== null;
    return {
      answer: undefined,
      put: isSame ? { post: { ...post, reports: 0, reportedAt: null } } : {},
    };
  });
  await removeWhere(storage, REPORTS, { index: "byPost", within: voterPrefix(seen.instanceId) });
}

/** Reads the posts whose reports the team has not dealt with at a time: the newest 1,000. */
export async function readReported(storage: Storage, now: string): Promise<readonly Post[]> {
  const posts: Post[] = [];
  const query = { index: "byReport", reverse: true };
  const isOver = (post: Post) => !isReported(post, now);
  const matches = (post: Post) => post.mergedInto === null;
  for await (const page of readPages(storage, POSTS, query, { isOver, matches })) {
    posts.push(...page);
    if (posts.length >= MAX_REPORTS) break;
  }
  return posts;
}

/** Lists the reports of a post that are kept at a time, newest first. */
export function listReports(
  storage: Storage,
  { instanceId }: Post,
  { now, after, limit }: {
    readonly now: string;
    readonly after?: Position | undefined;
    readonly limit: number;
  },
): Promise<Listed<Report>> {
  const query = { index: "byPost", within: voterPrefix(instanceId), reverse: true, after, limit };
  // Regular work removes expired reports later.
  return listMatching(storage, REPORTS, query, { isOver: ({ expiresAt }) => expiresAt <= now });
}

export function reportPosition({ reportId, place }: Report): Position {
  return { key: reportId, by: place };
}
