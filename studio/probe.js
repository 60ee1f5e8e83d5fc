import { Problem, send } from "./client.js";

const READS = [
  "stats",
  "changelogs/entries",
  "changelogs/subscribers",
  "boards",
  "webhooks",
  "keys",
];

/**
 * Asks for the first of each kind of record, which tells what the key may read: a refusal names the
 * scope that it lacks. Throws where the key is not accepted at all.
 */
export async function probe() {
  const reads = READS.map((path) => {
    const query = path === "stats" ? {} : { limit: "1" };
    return send("GET", path, { query }).then((response) => response.body?.cancel());
  });
  const type = "application/x-ndjson";
  const imports = "changelogs/subscribers/import";
  // An import of nothing changes nothing, and tells whether subscribers may be changed.
  const writes = [
    send("POST", imports, { query: { dryRun: "true" }, type }).then((response) => response.text()),
  ];
  for (const outcome of await Promise.allSettled([...reads, ...writes])) {
    const reason = outcome.status === "rejected" ? outcome.reason : undefined;
    const isExpected = reason instanceof Problem && [403, 404].includes(reason.status);
    if (reason !== undefined && !isExpected) throw reason;
  }
}
