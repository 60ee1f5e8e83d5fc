import { StorageError } from "../../adapters/storage.ts";
import { answer, text, withSchema } from "../../model/declare.ts";
import { ENTRY } from "../../model/entries/entry.ts";
import { STATS } from "../../model/stats.ts";
import { type Operation, operation } from "../_http/operation.ts";
import { STOPPING } from "../_http/problem.ts";
import { jsonReply } from "../_http/reply.ts";

/** The media type of the text format of Prometheus. */
const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

const HEALTH = answer("Health", "All is well.", {
  status: text("Always `ok`.", "ok", { rules: { const: "ok" } }),
});

/** Creates the operations for health checks, metrics and statistics. */
export function healthOperations(publicUrl: string | undefined): readonly Operation[] {
  return [
    operation("GET", "/livez", {
      operationId: "getLiveness",
      summary: "Check that the process runs",
      description: "For restarting a process that hangs.",
      successes: [{ status: 200, schema: HEALTH }],
      run: () => jsonReply(200, { status: "ok" }),
    }),

    operation("GET", "/readyz", {
      operationId: "getReadiness",
      summary: "Check that the service can be used",
      description: "For routing requests: 503 while storage takes no writes or the server is " +
        "stopping.",
      successes: [{ status: 200, schema: HEALTH }],
      problems: ["storage_unavailable"],
      async run({ storage, signal }) {
        if (signal?.aborted) return STOPPING;
        try {
          await storage.ping();
        } catch (cause) {
          throw new StorageError("unavailable", "Storage takes no writes", { cause });
        }
        return jsonReply(200, { status: "ok" });
      },
    }),

    operation("GET", "/metrics", {
      operationId: "getMetrics",
      summary: "Read the metrics for Prometheus",
      description:
        "In the text format of Prometheus. What is counted is that of the process that " +
        "answers, since its start.",
      scope: "metrics:read",
      successes: [{ status: 200, schema: "Metrics" }],
      async run({ storage, now }) {
        // Loaded at the first request, so that the server starts sooner.
        const { formatMetrics } = await import("../../model/metrics.ts");
        const { readMetrics } = await import("../../services/metrics.ts");
        const body = formatMetrics(await readMetrics(storage, now.text));
        return { status: 200, contentType: METRICS_TYPE, body };
      },
    }),

    operation("GET", "/api/v1/stats", {
      operationId: "getStats",
      summary: "See how the service is",
      description: "Returns the number of subscribers and entries, the newest deliveries, the " +
        "webhooks that fail, and what needs attention. With `labels`, also how many would get an " +
        "entry that has these; empty: one that has none.",
      scope: "metrics:read",
      query: {
        labels: withSchema(ENTRY.fields.labels, {
          description: "Count, too, who would get an entry with these labels.",
        }),
      },
      successes: [{ status: 200, schema: STATS }],
      async run({ storage, worker, hasMail, query, isGone, now }) {
        // Loaded at the first request, so that the server starts sooner.
        const { readStats } = await import("../../services/stats.ts");
        const process = { hasWorker: worker !== undefined, hasMail: await hasMail(), publicUrl };
        return jsonReply(
          200,
          await readStats(storage, { ...process, labels: query.labels, isGone }, now.text),
        );
      },
    }),
  ];
}
