import { createCallDeadlines, type Deadline } from "../_shared/deadlines.ts";
import { createDecider, type Decider } from "../decisions.ts";
import {
  type AnyKind,
  type Decide,
  type Kind,
  type ListQuery,
  type Refs,
  type Storage,
  StorageError,
} from "../storage.ts";
import { type Connect, createClient } from "./client.ts";
import { toStorageError } from "./errors.ts";
import { createPool } from "./pool.ts";
import { createReads, type Reads } from "./reads.ts";
import { createServers } from "./servers.ts";
import { type Statement, toStatement } from "./sql.ts";
import { createStatements, type Statements } from "./statements.ts";
import type { Transaction } from "./transaction.ts";
import { createTransactions } from "./transactions.ts";

export interface StorageOptions {
  /** The schema that holds the tables. */
  readonly schema: string;
  /** The time limit for a call. */
  readonly timeoutMs: number;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/** The statements and queues for one kind. */
interface Table {
  readonly statements: Statements;
  readonly reads: Reads;
  /** Queues a transaction whose first ref is of this kind. */
  transact(transaction: Transaction): void;
}

// Reads and changes use separate connections, so that slow listings delay no change. A kind uses at
// most one of each, so that a lock on its table delays no other kind.
const MAX_READING = 8;
const MAX_CHANGING = 12;
const READ_ONLY = toStatement("select current_setting('transaction_read_only') = 'on' as is_on");
// The time that a change may wait for a table's lock before storage counts as unavailable.
const PING_LOCK_TIMEOUT = "500ms";

/** Creates a storage on existing tables. It connects on first use. */
export function createStorage(
  connect: Connect,
  { schema, timeoutMs, now }: StorageOptions,
): Storage {
  const deadlines = createCallDeadlines(timeoutMs, now);
  const servers = createServers();
  const pinger = createClient(connect, servers);
  const reading = createPool(connect, servers, MAX_READING);
  const changing = createPool(connect, servers, MAX_CHANGING);
  const lockAll = lockTables(schema);
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
    return {
      statements,
      reads: createReads(reading.createUser(), kind, { statements, timeoutMs, now }),
      transact: createTransactions(changing.createUser(), {
        timeoutMs,
        statementsOf: (kind) => tableOf(kind).statements,
      }),
    };
  }

  async function transact<R extends Refs, A>(
    refs: R,
    decide: Decide<R, A>,
    deadline: Deadline,
  ): Promise<A> {
    const decider = createDecider(refs, decide);
    // Without refs, nothing has to be read before the first decision.
    const isFirst = Object.keys(refs).length === 0;
    const outcome = isFirst ? decider.decide(() => undefined) : undefined;
    if (outcome?.changes.length === 0) return outcome.answer;
    const [kind] = outcome?.changes.map(({ kind }) => kind) ?? kindsOf(decider);
    const changed = new Set<AnyKind>();
    try {
      return await new Promise<A>((resolve, reject) => {
        tableOf(kind).transact({
          get refs() {
            return Object.values(decider.refs);
          },
          deadline,
          reject,
          decide(read) {
            try {
              const outcome = decider.decide(read);
              if (outcome === undefined) return undefined;
              for (const { kind } of outcome.changes) changed.add(kind);
              return { ...outcome, acknowledge: () => resolve(outcome.answer) };
            } catch (error) {
              return { changes: [], acknowledge: () => reject(error) };
            }
          },
        });
      });
    } finally {
      for (const kind of new Set([...kindsOf(decider), ...changed])) {
        if (kind.staleMs !== undefined) tableOf(kind).reads.forget();
      }
    }
  }

  async function ping(): Promise<void> {
    try {
      await pinger.use(async (send) => {
        const [{ is_on }] = await send(READ_ONLY);
        if (!is_on) return void await send(lockAll);
        // Thrown inside `use`, so that the client replaces its connection: the next may reach a new
        // primary.
        throw new StorageError("unavailable", "The database takes no writes: it is read-only");
      }, timeoutMs);
    } catch (error) {
      throw toStorageError(error);
    }
  }

  return {
    get<T>(kind: Kind<T>, key: string) {
      const { reads } = tableOf(kind);
      // Setting up a deadline would cost more than this read.
      const cached = closing === undefined ? reads.findCached(key) : undefined;
      if (cached !== undefined) return Promise.resolve(cached.record as T | undefined);
      return deadlines.run((deadline) => reads.get(key, deadline) as Promise<T | undefined>);
    },
    list: <T>(kind: Kind<T>, query: ListQuery) =>
      deadlines.run(async () => await tableOf(kind).reads.list(query) as readonly T[]),
    count: (kind, index) => deadlines.run(() => tableOf(kind).reads.count(index)),
    transact: (refs, decide) => deadlines.run((deadline) => transact(refs, decide, deadline)),
    // Concurrent calls share one statement, because /readyz needs no key and anybody may call it
    // often.
    ping: () => deadlines.run(() => pinging ??= ping().finally(() => pinging = undefined)),
    close() {
      return closing ??= deadlines.close().then(async () => {
        await Promise.all([pinger, reading, changing].map((connections) => connections.close()));
      });
    },
  };
}

function kindsOf<A>({ refs }: Decider<A>): readonly AnyKind[] {
  return Object.values(refs).map(({ kind }) => kind);
}

/**
 * Returns a statement that briefly takes, on each table, the lock that changes take. It fails if
 * changes would fail, for example because a table is locked, missing or read-only. Like that of a
 * change, its commit waits for a synchronous standby.
 */
function lockTables(schema: string): Statement {
  return toStatement(`do $do$
    declare
      list text;
    begin
      select string_agg(format('%I.%I', schemaname, tablename), ', ') into list from pg_tables
        where schemaname = '${schema}' and tablename <> 'migrations'
          and has_table_privilege(format('%I.%I', schemaname, tablename), 'insert');
      if list is null then
        raise exception 'There is no table to write' using errcode = 'undefined_table';
      end if;
      perform set_config('lock_timeout', '${PING_LOCK_TIMEOUT}', true);
      execute 'lock table ' || list || ' in row exclusive mode';
      perform pg_logical_emit_message(true, 'boardcast', 'ping');
    end
  $do$`);
}
