// Compares the rate of changes, and of pages of a listing, of a large table with that of a small
// one: both on one server, in turns.
// deno run --allow-all bench/postgres_growth.ts [most subscribers] [seconds] [rounds]
import { openPostgresStorage } from "../adapters/postgres.ts";
import type { Storage } from "../adapters/storage.ts";
import { startCluster } from "../tests/_postgres.ts";

const [most = 5_000_000, seconds = 5, rounds = 5] = Deno.args.map(Number);
const FEWEST = 1_000;
const CALLERS = 64;
const PAGE = 100;

/** A table of some size. */
interface Table {
  readonly size: number;
  readonly storage: Storage;
  readonly rates: { readonly put: number[]; readonly first: number[]; readonly last: number[] };
}

async function measure(call: () => Promise<unknown>): Promise<number> {
  const end = performance.now() + seconds * 1_000;
  let count = 0;
  await Promise.all(Array.from({ length: CALLERS }, async () => {
    for (; performance.now() < end; count++) await call();
  }));
  return count / seconds;
}

/** The address of a subscriber; addresses are in the order of the numbers. */
function address(number: number): string {
  return `user${`${number}`.padStart(8, "0")}@example.com`;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

async function measureTable({ size, storage, rates }: Table): Promise<void> {
  rates.put.push(
    await measure(() =>
      storage.subscriptions.put({
        userEmail: address(Math.floor(Math.random() * size)),
        userName: null,
        subscribe: Math.random() < 0.5,
        at: new Date().toISOString(),
      })
    ),
  );
  const page = (after: string) =>
    measure(() => storage.subscriptions.list({ subscribed: true, after, limit: PAGE }));
  rates.first.push(await page(""));
  rates.last.push(await page(address(size - 4 * PAGE)));
}

// The table is to fit in memory, as the guide to sizing asks.
const cluster = await startCluster({
  durable: true,
  settings: ["shared_buffers=2GB", "max_wal_size=8GB"],
});
const tables: Table[] = [];
try {
  for (const size of [FEWEST, most]) {
    const schema = `subscribers_${size}`;
    const storage = await openPostgresStorage(cluster.url, { schema });
    tables.push({ size, storage, rates: { put: [], first: [], last: [] } });
    await cluster.sql.unsafe(`
      insert into ${schema}.subscriptions
      select 'user' || lpad(i::text, 8, '0') || '@example.com', 'Ann', i % 2 = 0, now(), now()
      from generate_series(0, ${size - 1}) as i`);
    await cluster.sql.unsafe(`vacuum analyze ${schema}.subscriptions`);
  }
  await cluster.sql.unsafe("checkpoint");
  for (let round = 0; round < rounds; round++) {
    for (const table of tables) await measureTable(table);
  }
  for (const kind of ["put", "first", "last"] as const) {
    const [small, large] = tables.map(({ rates }) => median(rates[kind]));
    console.log(
      `${kind}: ${Math.round(small)}/s at ${FEWEST} subscribers, ` +
        `${Math.round(large)}/s at ${most}: ${(large / small).toFixed(2)}`,
    );
  }
} finally {
  for (const { storage } of tables) await storage.close();
  await cluster.dispose();
}
