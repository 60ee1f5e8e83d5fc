import {
  type Change,
  createDecider,
  type Decide,
  type Item,
  type Ref,
  type Refs,
  StorageError,
  type TransactionOutcome,
} from "@boardcast/boardcast";

/** A store with conditional writes. A record that does not exist has version 0. */
export interface ConditionalStore {
  /** Reads a record. */
  read(ref: Ref): Promise<{ readonly version: number; readonly record: Item | undefined }>;
  /** Makes all changes if all versions are as given, or none; resolves to whether it did. */
  write(changes: readonly Change[], versions: ReadonlyMap<Ref, number>): Promise<boolean>;
}

/** Does what `transact` of the `Storage` interface promises. */
export async function transact<R extends Refs, A>(
  store: ConditionalStore,
  refs: R,
  decide: Decide<R, A>,
  { timeoutMs = 5_000 }: { readonly timeoutMs?: number } = {},
): Promise<A> {
  const decider = createDecider(refs, decide);
  const deadline = performance.now() + timeoutMs;
  let waitMs = 1;
  while (performance.now() < deadline) {
    const read = await Promise.all(
      Object.values(decider.refs).map(async (ref) => [ref, await store.read(ref)] as const),
    );
    const found = new Map(read);
    const versions = new Map(read.map(([ref, { version }]) => [ref, version]));
    const decided = attempt(() => decider.decide((ref) => found.get(ref)?.record));
    // It needs more records, which decider.refs names now.
    if (decided === undefined) continue;
    // A decision may throw because its records never existed together: check that they did.
    if (await store.write(decided.changes, versions)) {
      if ("error" in decided) throw decided.error;
      return decided.answer;
    }
    // A random while, so that those who met don't meet again.
    await new Promise((resolve) => setTimeout(resolve, waitMs * Math.random()));
    waitMs = Math.min(2 * waitMs, 100);
  }
  throw new StorageError("unavailable", "Others kept changing the same records");
}

function attempt<A>(decide: () => TransactionOutcome<A> | undefined) {
  try {
    return decide();
  } catch (error) {
    return { error, changes: [] };
  }
}
