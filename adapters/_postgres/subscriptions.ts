import type { Subscription } from "../../model/subscription.ts";
import { createBatcher, createFinder } from "./batch.ts";
import type { Calls } from "./calls.ts";
import { createOrder } from "./order.ts";
import type { Database } from "./database.ts";
import { isRefusal } from "./errors.ts";
import { createPutAll, readSubscription } from "./put.ts";
import { createListing, toStatement } from "./statement.ts";
import { msOf, readText, type Row, toArray } from "./values.ts";
import type { SubscriptionStorage } from "../storage.ts";

/** What is selected of a subscription. */
export const COLUMNS = "user_email, user_name, subscribed, " +
  `${msOf("created_at")}, ${msOf("updated_at")}`;

/**
 * Subscriptions in the table `subscriptions`. Changes are carried out batch after batch, never
 * two at once, which keeps those of one address in their order.
 */
export function createSubscriptionStorage(
  database: Database,
  schema: string,
  calls: Calls,
): SubscriptionStorage {
  const table = `${schema}.subscriptions`;
  const order = createOrder();
  const select = toStatement(`select ${COLUMNS} from ${table} where user_email = any($1::text[])`);
  const remove = toStatement(`delete from ${table} where user_email = $1 returning true`);
  const list = createListing(`select ${COLUMNS} from ${table}`, "user_email");

  const puts = createBatcher(createPutAll(database, schema), { isRefusal });
  const gets = createFinder(
    async (userEmails) => (await database.query(select, [toArray(userEmails)])).map(readRow),
    ({ userEmail }) => userEmail,
  );

  return {
    put(change) {
      // It waits for its batch, and the object is the caller's.
      const asked = { ...change };
      return calls.run((call) =>
        order.run(asked.userEmail, "put", call, () => puts.add(call, asked))
      );
    },
    get: (userEmail) =>
      calls.run((call) => order.run(userEmail, "read", call, () => gets.add(call, userEmail))),
    list: ({ subscribed, after = "", limit }) => {
      const condition = subscribed ? "subscribed" : "not subscribed";
      const statement = list(limit, subscribed === undefined ? undefined : condition);
      return calls.run(async () => (await database.query(statement, [after])).map(readRow));
    },
    erase: (userEmail) =>
      calls.run((call) =>
        order.run(
          userEmail,
          "write",
          call,
          async () => (await database.query(remove, [userEmail])).length > 0,
        )
      ),
  };
}

function readRow(row: Row): Subscription {
  return readSubscription(readText(row, 0), row, 1);
}
