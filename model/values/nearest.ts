/**
 * Returns the known name that is nearest to a misspelt one, if at most a third of its characters
 * were inserted, omitted, replaced or swapped with the next. (The standard library's distance
 * allocates 4.4 MB when loaded.)
 */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  let best: string | undefined;
  let least = Infinity;
  for (const candidate of known) {
    const most = Math.max(1, candidate.length / 3);
    // A header may have thousands of names. This test rules out most of them quickly.
    if (Math.abs(candidate.length - name.length) > most) continue;
    const steps = distance(name.toLowerCase(), candidate.toLowerCase());
    if (steps < least && steps <= most) {
      best = candidate;
      least = steps;
    }
  }
  return best;
}

const MAX_LENGTH = 64;

/** The optimal string alignment distance (Damerau-Levenshtein without moves across edits). */
function distance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1];
      row[j] = Math.min(row[j - 1] + 1, last[j] + 1, last[j - 1] + (isSame ? 0 : 1));
      const isSwapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (isSwapped) row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
    }
    [beforeLast, last] = [last, row];
  }
  return last[to.length];
}
