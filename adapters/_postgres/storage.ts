import { checkRefs, type Outcome, runDecide } from "../records.ts";
import type { AnyKind, Decide, Kind, Refs, Storage } from "../storage.ts";
import { type Call, createCalls } from "./calls.ts";
import { type Client, type Connect, createClient } from "./client.ts";
import { readOnly, toStorageError } from "./errors.ts";
import { createReads, type Reads } from "./reads.ts";
import { createStatements, type Statements, toStatement } from "./statements.ts";
import { createTransactions, type Transaction } from "./transactions.ts";

/** What a storage is made of. */
export interface StorageOptions {
  /** The name of the schema that holds the tables. */
  readonly schema: string;
  /** How long a call may take. */
  readonly timeoutMs: number;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/** The table of one kind. It has connections of its own: where it is locked, others are not affected. */
interface Table {
  readonly statements: Statements;
  readonly reads: Reads;
  readonly clients: readonly Client[];
  /** Carries out a transaction whose first reference is to this kind. */
  transact(transaction: Transaction): void;
}

const READ_ONLY = toStatement("select current_setting('transaction_read_only') = 'on' as is_on");

/** Creates a storage whose tables are there; it connects for each kind when this is first used. */
export function createStorage(
  connect: Connect,
  { schema, timeoutMs, now }: StorageOptions,
): Storage {
  const calls = createCalls(timeoutMs, now);
  const pinger = createClient(connect);
  const tables = new Map<string, Table>();
  let pinging: Promise<void> | undefined;
  let closing: Promise<void> | undefined;

  function tableOf(kind: AnyKind): Table {
    let table = tables.get(kind.name);
    if (table === undefined) tables.set(kind.name, table = createTable(kind));
    return table;
  }

  function createTable(kind: AnyKind): Table {
    const statements = createStatements(kind, schema);
    const clients = [createClient(connect), createClient(connect)];
    return {
      statements,
      clients,
      reads: createReads(clients[0], kind, { statements, timeoutMs, now }),
      transact: createTransactions(clients[1], {
        timeoutMs,
        statementsOf: (kind) => tableOf(kind).statements,
      }),
    };
  }

  async function transact<R extends Refs, A>(
    given: R,
    decide: Decide<R, A>,
    call: Call,
  ): Promise<A> {
    // The caller's object may change while the transaction waits.
    const refs = { ...given };
    checkRefs(refs);
    const all = Object.values(refs);
    if (all.length === 0) return runDecide(refs, decide, () => undefined).answer;
    try {
      return await new Promise<A>((resolve, reject) => {
        tableOf(all[0].kind).transact({
          refs: all,
          call,
          reject,
          decide: (read) => decideOn(() => runDecide(refs, decide, read), resolve, reject),
        });
      });
    } finally {
      for (const { kind } of all) if (kind.staleMs !== undefined) tableOf(kind).reads.forget();
    }
  }

  async function ping(): Promise<void> {
    try {
      await pinger.use(async (send) => {
        const [{ is_on }] = await send(READ_ONLY);
        // Thrown in here, so that the next connection may be one to the new primary.
        if (is_on) throw readOnly();
      }, timeoutMs);
    } catch (error) {
      throw toStorageError(error);
    }
  }

  return {
    get: <T>(kind: Kind<T>, key: string) =>
      calls.run(async (call) => await tableOf(kind).reads.get(key, call) as T | undefined),
    list: <T>(kind: Kind<T>, query: Parameters<Storage["list"]>[1]) =>
      calls.run(async () => await tableOf(kind).reads.list(query) as readonly T[]),
    transact: (refs, decide) => calls.run((call) => transact(refs, decide, call)),
    // Those who ask at the same time share one statement: /readyz asks for no key.
    ping: () => calls.run(() => pinging ??= ping().finally(() => pinging = undefined)),
    close() {
      return closing ??= calls.close().then(async () => {
        const clients = [...tables.values()].flatMap(({ clients }) => clients);
        await Promise.all([pinger, ...clients].map((client) => client.close()));
      });
    },
  };
}

/** Has a decision made; what it throws is what its caller is told, once it is known to be final. */
function decideOn<A>(
  decide: () => Outcome<A>,
  resolve: (answer: A) => void,
  reject: (error: unknown) => void,
): ReturnType<Transaction["decide"]> {
  try {
    const { answer, changes } = decide();
    return { changes, tell: () => resolve(answer) };
  } catch (error) {
    return { changes: [], tell: () => reject(error) };
  }
}
