import type { Storage } from "../../adapters/storage.ts";

/** What a test is given. */
export interface ContractContext {
  /** The instance of the running test. */
  readonly storage: Storage;
  /** Closes the instance that was opened last and opens the store again. */
  reopen(): Promise<Storage>;
  /** Opens one more instance; it is closed after the test. */
  another(): Promise<Storage>;
}

/** Registers a test, or one that is reported as skipped with the reason. */
export type ContractTest = (
  name: string,
  run: (context: ContractContext) => Promise<void>,
) => void;

/** The ways to register a test, by what it needs. */
export interface ContractTests {
  /** Needs one instance. */
  readonly test: ContractTest;
  /** Needs a store that outlives its instance. */
  readonly testReopened: ContractTest;
  /** Needs a store that instances share. */
  readonly testShared: ContractTest;
}
