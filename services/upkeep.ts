import type { Storage } from "../adapters/storage.ts";
import {
  BOUNCE_COUNTS,
  IMAGE_UPLOADS,
  REPORTS,
  SETTINGS,
  WEBHOOK_MESSAGES,
} from "../model/kinds.ts";
import { APP_LINKS } from "../model/proof/app_link.ts";
import { PENDING, PROOF_MAILS } from "../model/proof/pending.ts";
import { hasUnshipped, moveShippedPosts } from "./entries/shipped_posts.ts";
import { removeLeftovers } from "./images/images.ts";
import type { FencedTransact } from "./leases.ts";
import { finishRemovals, hasRemovals } from "./posts/removal.ts";
import { hasIdlePeople, removeIdlePeople } from "./posts/votes/idle_people.ts";
import { forgetVoters } from "./posts/votes/retention.ts";
import { finishAllVoteWork, hasVoteWork } from "./posts/votes/vote_work.ts";
import { hasExpired, removeExpired } from "./removals.ts";

/** The options of regular work. */
export interface UpkeepOptions {
  /** The time to keep voters' addresses after their post was closed, in milliseconds. */
  readonly retentionMs: number | false;
  /** The present time (RFC 3339, UTC, milliseconds). */
  readonly now: string;
  readonly transact: FencedTransact;
  readonly isStopped: () => boolean;
}

/** A failure of regular work. */
export interface UpkeepFailure {
  /** The work that failed, as in `remove expired records`. */
  readonly job: string;
  readonly error: unknown;
}

/** Does one part of some work; a failure ends that part alone. */
type Attempt = (part: () => Promise<unknown>) => Promise<void>;

/** The setting with the regular work that failed last; empty if all succeeded. */
export const UPKEEP_FAILURE = "upkeepFailure";

const EXPIRING = [WEBHOOK_MESSAGES, BOUNCE_COUNTS, PENDING, PROOF_MAILS, APP_LINKS, REPORTS];
// A storage that is down would fail each part after its deadline.
const MAX_FAILURES_OF_JOB = 10;

/** Tells whether there is regular work. */
export async function hasUpkeep(
  storage: Storage,
  { retentionMs, now }: Pick<UpkeepOptions, "retentionMs" | "now">,
): Promise<boolean> {
  return retentionMs !== false || await hasExpired(storage, [...EXPIRING, IMAGE_UPLOADS], now) ||
    await hasRemovals(storage) || await hasVoteWork(storage) || await hasUnshipped(storage) ||
    await hasIdlePeople(storage);
}

/**
 * Does all regular work: removes what has expired or was deleted, finishes changes of posts that a
 * crash interrupted, and removes the addresses of voters after their time. If a job or a post
 * fails, the others still run. Returns the first failure of each job, and stores whether there was
 * any.
 */
export async function runUpkeep(
  storage: Storage,
  { retentionMs, now, transact, isStopped }: UpkeepOptions,
): Promise<readonly UpkeepFailure[]> {
  const jobs: Readonly<Record<string, (attempt: Attempt) => Promise<unknown>>> = {
    "remove expired records": () => removeExpired(storage, { kinds: EXPIRING, transact }, now),
    "remove unfinished uploads": () => removeLeftovers(storage, now),
    "remove deleted boards and posts": (attempt) => finishRemovals(storage, { isStopped, attempt }),
    "move shipped posts": (attempt) => moveShippedPosts(storage, { now, isStopped, attempt }),
    "finish merges of posts": (attempt) => finishAllVoteWork(storage, { isStopped, attempt }),
    "remove people without votes": (attempt) => removeIdlePeople(storage, { isStopped, attempt }),
    ...retentionMs !== false && {
      "remove the addresses of voters": (attempt) =>
        forgetVoters(storage, { retentionMs, now, isStopped, attempt }),
    },
  };
  const failures: UpkeepFailure[] = [];
  for (const [job, run] of Object.entries(jobs)) {
    if (isStopped()) return failures;
    let failed = 0;
    const attempt: Attempt = async (part) => {
      try {
        await part();
      } catch (error) {
        if (failed === 0) failures.push({ job, error });
        if (++failed >= MAX_FAILURES_OF_JOB) throw error;
      }
    };
    await attempt(() => run(attempt)).catch(() => {});
  }
  await recordFailure(storage, failures[0]?.job ?? "");
  return failures;
}

async function recordFailure(storage: Storage, job: string): Promise<void> {
  const known = await storage.get(SETTINGS, UPKEEP_FAILURE);
  if ((known?.value ?? "") === job) return;
  const setting = { settingId: UPKEEP_FAILURE, value: job };
  const refs = { setting: { kind: SETTINGS, key: UPKEEP_FAILURE } };
  await storage.transact(refs, () => ({ answer: undefined, put: { setting } }));
}
