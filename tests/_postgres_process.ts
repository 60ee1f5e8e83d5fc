// A process of its own over a shared database. Arguments: the URL, and how many times to add
// one to each of ten counters; prints what they were then as JSON.
import { openPostgresStorage } from "../adapters/postgres.ts";
import { SETTINGS } from "../model/kinds.ts";

const [url, count] = Deno.args;
// However long the processes hold each other up.
const storage = await openPostgresStorage(url, { timeoutMs: 60_000 });
const values: number[] = [];
for (let round = 0; round < Number(count); round++) {
  const added = Array.from({ length: 10 }, (_, i) => {
    const refs = { counter: { kind: SETTINGS, key: `counter${i}` } };
    return storage.transact(refs, ({ counter }) => {
      const answer = Number(counter?.value ?? 0) + 1;
      return { answer, put: { counter: { settingId: `counter${i}`, value: `${answer}` } } };
    });
  });
  values.push(...await Promise.all(added));
}
await storage.close();
console.log(JSON.stringify(values));
