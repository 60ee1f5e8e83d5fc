/** Numbers of several rounds, under the names of what was measured. */
export interface Samples {
  /** Notes one number. */
  add(name: string, value: number): void;
  /** The middle one of the numbers noted under a name. */
  median(name: string): number;
  /**
   * The middle one of the quotients of two names, round by round: what slows the machine down for a
   * round hardly shows in it.
   */
  ratio(name: string, limit: string): number;
}

/** Creates an empty collection of numbers. */
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
 * The same contenders for each round, each time begun with another one: whatever slows the
 * machine down for a while slows all of them down.
 */
export function* alternate<T>(contenders: readonly T[], rounds: number): Generator<T> {
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < contenders.length; i++) {
      yield contenders[(i + round) % contenders.length];
    }
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}
