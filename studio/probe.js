import { Problem, send } from "./client.js";

const READS = ["changelogs/entries", "changelogs/subscribers", "boards", "webhooks", "keys"];
/** Imports of nothing, which change nothing. */
const WRITES = ["changelogs/entries/import", "changelogs/subscribers/import"];

/**
 * Makes a call for each scope that has one without effect, which tells what the key may do: a refusal
 * names the scope that it lacks. Throws where the key is not accepted at all.
 */
export async function probe() {
  const answers = await Promise.allSettled([
    send("GET", "stats"),
    ...READS.map((path) => send("GET", path, { query: { limit: "1" } })),
    ...WRITES.map((path) => send("POST", path, { type: "application/x-ndjson" })),
  ]);
  for (const answer of answers) {
    if (answer.status === "fulfilled") await answer.value.body?.cancel();
    else if (!(answer.reason instanceof Problem && answer.reason.status === 403)) {
      throw answer.reason;
    }
  }
}
