/** A mutant that may live. */
export interface AcceptedMutant {
  readonly file: string;
  /** The text that is broken. */
  readonly source: string;
  /** What stands in its place; absent: whatever does. */
  readonly replacement?: string;
  /** Why no test notices it, and none has to. */
  readonly why: string;
}

/** All mutants that may live. */
export const ACCEPTED: readonly AcceptedMutant[] = [];
