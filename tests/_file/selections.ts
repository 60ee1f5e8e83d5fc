const SUBSET_MAX_COUNT = 6;

/** Selections of so many things: every subset of few; of more, each prefix, all but one, and one alone. */
export function* selections(count: number): Generator<(index: number) => boolean> {
  if (count <= SUBSET_MAX_COUNT) {
    for (let set = 0; set < 1 << count; set++) yield (i) => (set & 1 << i) !== 0;
    return;
  }
  for (let length = 0; length <= count; length++) yield (i) => i < length;
  for (let left = 0; left < count; left++) yield (i) => i !== left;
  for (let only = 0; only < count; only++) yield (i) => i === only;
}
