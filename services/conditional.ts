/** The reason why a record was not changed. */
export type ChangeFault = "not_found" | "precondition_failed";

/** Tells whether a record is in the version that the caller means to change. */
export type IsExpected<T> = (current: T) => boolean;
