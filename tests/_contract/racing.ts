/** Each race is run for many records at once, every other time with the second call first. */
export const RACES = Array.from({ length: 20 }, (_, i) => i);

/** Makes what is to be raced for: where calls wait for each other, one that is made later races none. */
export function prepare<T>(make: (i: number) => Promise<T>): Promise<T[]> {
  return Promise.all(RACES.map(make));
}

/** Makes both calls without waiting between; the second one first where `i` is odd. */
export function race<A, B>(i: number, a: () => Promise<A>, b: () => Promise<B>): Promise<[A, B]> {
  if (i % 2 === 0) return Promise.all([a(), b()]);
  const early = b();
  return Promise.all([a(), early]);
}
