// Measures how the rate of changes, and of pages of a listing, holds as a table grows.
// deno run --allow-all bench/postgres_growth.ts [most subscribers] [seconds]
import { openPostgresStorage } from "../adapters/postgres.ts";
import type { Storage } from "../adapters/storage.ts";
import { startCluster } from "../tests/_postgres.ts";

const [most = 5_000_000, seconds = 5] = Deno.args.map(Number);
const CALLERS = 64;
const PAGE = 100;

async function measure(call: (storage: Storage) => Promise<unknown>): Promise<number> {
  const end = performance.now() + seconds * 1_000;
  let count = 0;
  await Promise.all(Array.from({ length: CALLERS }, async () => {
    for (; performance.now() < end; count++) await call(storage);
  }));
  return count / seconds;
}

/** The address of a subscriber; those of all numbers are in the order of the numbers. */
function address(number: number): string {
  return `user${`${number}`.padStart(8, "0")}@example.com`;
}

const cluster = await startCluster({ durable: true });
const storage = await openPostgresStorage(cluster.url);
const sizes = [1_000, most];
const puts: number[] = [];
try {
  let stored = 0;
  for (const size of sizes) {
    await cluster.sql.unsafe(`
      insert into boardcast.subscriptions
      select 'user' || lpad(i::text, 8, '0') || '@example.com', 'Ann', i % 2 = 0, now(), now()
      from generate_series(${stored}, ${size - 1}) as i`);
    await cluster.sql.unsafe("vacuum analyze boardcast.subscriptions");
    await cluster.sql.unsafe("checkpoint");
    stored = size;
    const put = await measure((storage) =>
      storage.subscriptions.put({
        userEmail: address(Math.floor(Math.random() * size)),
        userName: null,
        subscribe: Math.random() < 0.5,
        at: new Date().toISOString(),
      })
    );
    const page = (after: string) =>
      measure((storage) => storage.subscriptions.list({ subscribed: true, after, limit: PAGE }));
    const [first, last] = [await page(""), await page(address(size - 4 * PAGE))];
    puts.push(put);
    console.log(
      `${size} subscribers: ${Math.round(put)} changes/s; ` +
        `first page ${Math.round(first)}/s, last page ${Math.round(last)}/s`,
    );
  }
  console.log(`changes at ${sizes[1]} against ${sizes[0]}: ${(puts[1] / puts[0]).toFixed(2)}`);
} finally {
  await storage.close();
  await cluster.dispose();
}
