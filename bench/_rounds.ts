/** Returns the middle one of some numbers. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

/** Numbers of several rounds, under the names of what was measured. */
export interface Samples {
  /** Notes one number. */
  add(name: string, value: number): void;
  /** The middle one of the numbers noted under a name. */
  median(name: string): number;
}

/** Creates an empty collection of numbers. */
export function createSamples(): Samples {
  const samples = new Map<string, number[]>();
  return {
    add(name, value) {
      const values = samples.get(name);
      if (values === undefined) samples.set(name, [value]);
      else values.push(value);
    },
    median(name) {
      const values = samples.get(name);
      if (values === undefined) throw new RangeError(`Cannot find samples of "${name}"`);
      return median(values);
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
