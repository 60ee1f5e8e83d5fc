// A vote weighs 2^(-age in weeks). Relative to 1970 instead of now, its weight never changes: it is
// 2^(time in weeks). The score of a post is the binary logarithm of the sum of its weights.

const WEEK_MS = 7 * 24 * 3_600_000;
/** Scores count fractions of a week as integers, which every storage keeps exactly. */
const UNITS = 1e9;

/** The score of a post without votes. */
export const NO_VOTES_SCORE = 0;

/** Returns a score after a vote was cast at a time (RFC 3339, UTC, milliseconds). */
export function addToScore(score: number, at: string): number {
  const vote = scoreOf(at);
  if (score === NO_VOTES_SCORE) return vote;
  const difference = Math.abs(score - vote) / UNITS;
  return Math.round(Math.max(score, vote) + UNITS * Math.log2(1 + 2 ** -difference));
}

/**
 * Returns a score after one of several votes was withdrawn. Because of rounding, the result is at
 * least the score of a single vote cast when the post was created.
 */
export function takeFromScore(
  score: number,
  at: string,
  { votes, createdAt }: { readonly votes: number; readonly createdAt: string },
): number {
  if (votes === 0) return NO_VOTES_SCORE;
  const least = scoreOf(createdAt);
  const difference = (score - scoreOf(at)) / UNITS;
  if (difference <= 0) return least;
  return Math.max(least, Math.round(score + UNITS * Math.log2(1 - 2 ** -difference)));
}

/** Returns the score of a single vote. */
function scoreOf(at: string): number {
  return Math.round(UNITS * Math.max(0, Date.parse(at)) / WEEK_MS);
}
