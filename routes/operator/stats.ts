import { type Operation, operation } from "../_http/operation.ts";
import { jsonReply } from "../_http/reply.ts";

/** Creates the operation of the statistics. */
export function statsOperations(publicUrl: string | undefined): readonly Operation[] {
  return [operation("GET", "/api/v1/stats", {
    operationId: "getStats",
    summary: "See how the service is",
    description: "Returns the number of subscribers and entries, the newest deliveries, the " +
      "webhooks that fail, and what needs attention.",
    tag: "Operation",
    scope: "metrics:read",
    successes: [{ status: 200, description: "How it is now.", schema: "Stats" }],
    async run({ storage, worker, hasMail, now }) {
      // Loaded when somebody asks, and not at each start.
      const { readStats } = await import("../../services/stats.ts");
      const hasWorker = worker !== undefined;
      return jsonReply(200, await readStats(storage, { hasWorker, hasMail, publicUrl }, now.text));
    },
  })];
}
