/** The reason why a record was not changed. */
export type ChangeFault = "not_found" | "precondition_failed";

/** Tells whether a record is in the version that the caller means to change. */
export type IsExpected<T> = (current: T) => boolean;

/** Decides on a change of a record that must exist and be as expected. */
export function decideIf<T, D>(
  current: T | undefined,
  isExpected: IsExpected<T>,
  decide: (current: T) => D,
): D | { readonly answer: ChangeFault } {
  if (current === undefined) return { answer: "not_found" };
  return isExpected(current) ? decide(current) : { answer: "precondition_failed" };
}
