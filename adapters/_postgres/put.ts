import {
  applySubscriptionChange,
  type Subscription,
  type SubscriptionChange,
} from "../../model/subscription.ts";
import type { Database } from "./database.ts";
import { type Series, toCases, toSeries } from "./cases.ts";
import { toStorageError } from "./errors.ts";
import { toStatement } from "./statement.ts";
import {
  msOf,
  readBoolean,
  readNullableText,
  readText,
  readTime,
  type Row,
  timeOf,
  toArray,
} from "./values.ts";
import { StorageError, type SubscriptionOutcome } from "../storage.ts";

/** Carries out changes in their order, all in one step unless others write the same addresses. */
export type PutAll = (
  changes: readonly SubscriptionChange[],
) => Promise<readonly SubscriptionOutcome[]>;

// Each round is lost to another process that recorded an address at that moment.
const MAX_ROUNDS = 20;

/**
 * Prepares the statement for the table `subscriptions`.
 *
 * It locks the rows that are there and reads them as they are then; writes what the cases say;
 * and inserts, in the same order, what was missing. All processes take locks in the order of
 * addresses, first those of rows and then those of insertions, so that none waits in a circle.
 * A row that came between is left alone, and its address has another round.
 */
export function createPutAll(database: Database, schema: string): PutAll {
  const table = `${schema}.subscriptions`;
  const statement = toStatement(`
    with change as materialized (
      select * from unnest($1::text[], $2::text[], $3::text[], $4::boolean[], $5::float8[],
        $6::float8[], $7::boolean[], $8::float8[], $9::float8[], $10::boolean[], $11::float8[],
        $12::float8[]) with ordinality as change (user_email, user_name, first_name,
        new_state, new_created, new_updated, on_state, on_same, on_renamed,
        off_state, off_same, off_renamed, position)
    ), stored as materialized (
      select user_email, user_name, subscribed, created_at, updated_at from ${table}
      where user_email = any($13::text[]) order by user_email for no key update
    ), written as (
      insert into ${table} as target (user_email, user_name, subscribed, created_at, updated_at)
      select next.user_email, next.user_name, next.subscribed, next.created_at,
        ${timeOf("next.updated")}
      from (
        select change.user_email, coalesce(change.user_name, stored.user_name) as user_name,
          case stored.subscribed when true then on_state when false then off_state
            else new_state end as subscribed,
          coalesce(stored.created_at, ${timeOf("new_created")}) as created_at,
          case when stored.subscribed is null then new_updated
            when stored.user_name is distinct from first_name
              then case when stored.subscribed then on_renamed else off_renamed end
            when stored.subscribed then on_same else off_same end as updated
        from change left join stored on stored.user_email = change.user_email
      ) as next
      where next.updated is not null order by next.user_email
      on conflict (user_email) do update set user_name = excluded.user_name,
        subscribed = excluded.subscribed, updated_at = excluded.updated_at
      where excluded.user_email in (select user_email from stored)
      returning target.user_email
    )
    select change.position, stored.user_email is not null, written.user_email is not null,
      stored.user_name, stored.subscribed, ${msOf("stored.created_at")},
      ${msOf("stored.updated_at")}
    from change left join stored on stored.user_email = change.user_email
      left join written on written.user_email = change.user_email`);

  return async function putAll(changes) {
    const outcomes = new Array<SubscriptionOutcome>(changes.length);
    let pending = toSeries(changes);
    for (let round = 0; pending.length > 0; round++) {
      if (round === MAX_ROUNDS) {
        throw new StorageError("unavailable", "Others keep writing the same subscriptions");
      }
      const again: Series[] = [];
      for (const row of await write(pending, round)) {
        const series = pending[Number(readText(row, 0)) - 1];
        const isStored = readBoolean(row, 1);
        const isWritten = readBoolean(row, 2);
        // Another process recorded the address between the statement's reading and writing.
        if (!isStored && !isWritten) again.push(series);
        else {
          const stored = isStored ? readSubscription(series.userEmail, row, 3) : undefined;
          const isChanged = answer(series, stored);
          if (isChanged && !isWritten) {
            throw new StorageError(
              "unavailable",
              "The database passed over a change: see its triggers",
            );
          }
        }
      }
      pending = again;
    }
    return outcomes;

    async function write(pending: readonly Series[], round: number): Promise<readonly Row[]> {
      try {
        return await database.query(statement, toParameters(pending));
      } catch (error) {
        // After the first round something was done, whatever the server refuses now.
        throw round === 0 ? error : toStorageError(error);
      }
    }

    /** Returns whether anything had to be written. */
    function answer({ changes, positions }: Series, stored: Subscription | undefined): boolean {
      let previous = stored;
      for (const [i, change] of changes.entries()) {
        // The next outcome shares it.
        const subscription = Object.freeze(applySubscriptionChange(previous, change));
        const changed = subscription !== previous;
        outcomes[positions[i]] = { subscription, previous, changed };
        previous = subscription;
      }
      return previous !== stored;
    }
  };
}

/** Reads a subscription whose name, state and times start at a column. */
export function readSubscription(userEmail: string, row: Row, first: number): Subscription {
  return Object.freeze({
    userEmail,
    userName: readNullableText(row, first),
    subscribed: readBoolean(row, first + 1),
    createdAt: readTime(row, first + 2),
    updatedAt: readTime(row, first + 3),
  });
}

function toParameters(pending: readonly Series[]): readonly string[] {
  const cases = toCases(pending).map(toArray);
  return [...cases, cases[0]];
}
