// A vote weighs 2^(-age in weeks). Measured against 1970 in place of now, the weight of a vote
// never changes: it is 2^(time in weeks), and the score of a post is the binary logarithm of their
// sum.

const WEEK_MS = 7 * 24 * 3_600_000;
/** Scores are whole numbers of this part of a week, which storage keeps exactly. */
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
 * Returns a score after a vote of a time was withdrawn and some are left. Rounding may leave an
 * error, so it never falls below the score of one vote cast when the post was created.
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
