import { COUNTED_DAYS } from "./day_counts.ts";

/** The numbers of a post's votes by the day on which they were cast, in UTC. */
export interface VoteDays {
  /** The first day whose votes are all counted; `null` if none is. Days count from 1970. */
  readonly since: number | null;
  /** The newest days with votes. */
  readonly days: Readonly<Record<string, number>>;
}

/** The days of a post without votes. */
export const NO_VOTE_DAYS: VoteDays = { since: 0, days: {} };

/** The days of a post whose earlier votes were not counted by day. */
export const UNKNOWN_VOTE_DAYS: VoteDays = { since: null, days: {} };

const DAY_MS = 24 * 3_600_000;

/** Adds a vote that was cast at a time (RFC 3339, UTC, milliseconds). */
export function addVoteDay({ since, days }: VoteDays, at: string): VoteDays {
  const day = dayOf(at);
  const next: Record<string, number> = { ...days, [day]: (days[day] ?? 0) + 1 };
  // Objects list such keys in ascending order.
  const newest = day in days ? next : Object.fromEntries(Object.entries(next).slice(-COUNTED_DAYS));
  // Some votes of the first day may have come before.
  return { since: since ?? day + 1, days: newest };
}

/** Takes a vote that was cast at a time out of the numbers. */
export function takeVoteDay({ since, days }: VoteDays, at: string): VoteDays {
  const { [dayOf(at)]: votes = 0, ...others } = days;
  return { since, days: votes > 1 ? { ...others, [dayOf(at)]: votes - 1 } : others };
}

/** Returns the number of votes of the last 28 days; `undefined` if it isn't known. */
export function recentVotes({ since, days }: VoteDays, now: string): number | undefined {
  const today = dayOf(now);
  const first = today - COUNTED_DAYS + 1;
  if (since === null || since > first) return undefined;
  return Object.entries(days).reduce(
    (sum, [day, votes]) => Number(day) >= first && Number(day) <= today ? sum + votes : sum,
    0,
  );
}

function dayOf(at: string): number {
  return Math.floor(Date.parse(at) / DAY_MS);
}
