/** Samples of several rounds, by name. */
export interface Samples {
  add(name: string, value: number): void;
  median(name: string): number;
  /** The median of the ratios in each round, which a slow round of the machine hardly affects. */
  ratio(name: string, limit: string): number;
}

export function createSamples(): Samples {
  const samples = new Map<string, number[]>();

  function valuesOf(name: string): readonly number[] {
    const values = samples.get(name);
    if (values === undefined) throw new RangeError(`Cannot find samples of "${name}"`);
    return values;
  }

  return {
    add(name, value) {
      const values = samples.get(name);
      if (values === undefined) samples.set(name, [value]);
      else values.push(value);
    },
    median: (name) => median(valuesOf(name)),
    ratio(name, limit) {
      const limits = valuesOf(limit);
      return median(valuesOf(name).map((value, round) => value / limits[round]));
    },
  };
}

/**
 * Yields the contenders of each round, starting with another one each time. Prints the progress.
 */
export function* alternate<T extends { readonly name: string }>(
  contenders: readonly T[],
  rounds: number,
): Generator<T> {
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < contenders.length; i++) {
      const contender = contenders[(i + round) % contenders.length];
      console.error(`round ${round + 1} of ${rounds}: ${contender.name}`);
      yield contender;
    }
  }
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}
