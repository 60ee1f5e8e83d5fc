import type { RouteContext } from "../branded.ts";
import { withSchema } from "../../model/declare.ts";
import { ENTRY } from "../../model/entries/entry.ts";
import { formatMetrics } from "../../model/metrics.ts";
import { STATS } from "../../model/stats.ts";
import { readMetrics } from "../../services/metrics.ts";
import { readStats } from "../../services/stats.ts";
import { type Operation, operation } from "../_http/operation.ts";
import { jsonReply } from "../_http/reply.ts";

/** The media type of the text format of Prometheus. */
const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Creates the operations for metrics and statistics. */
export function operations({ publicUrl }: RouteContext): readonly Operation[] {
  return [
    operation("GET", "/metrics", {
      operationId: "getMetrics",
      summary: "Read the metrics for Prometheus",
      description:
        "Returns the metrics in the text format of Prometheus. The process that answers has " +
        "counted them since its start.",
      scope: "metrics:read",
      successes: [{ status: 200, schema: "Metrics" }],
      async run({ storage, now }) {
        const body = formatMetrics(await readMetrics(storage, now.text));
        return { status: 200, contentType: METRICS_TYPE, body };
      },
    }),

    operation("GET", "/api/v1/stats", {
      operationId: "getStats",
      summary: "Read the state of the service",
      description:
        "Returns the number of subscribers and entries, the newest deliveries, the webhooks " +
        "that fail, and what needs attention. Deliveries are named only with `entries:read`, and " +
        "posts only with `posts:read`. With `labels`, also counts who would get an " +
        "entry with these labels; empty stands for an entry without labels.",
      scope: "metrics:read",
      query: {
        labels: withSchema(ENTRY.fields.labels, {
          description: "Count who would get an entry with these labels, too.",
        }),
      },
      successes: [{ status: 200, schema: STATS }],
      async run({ storage, worker, hasMail, query, caller, isGone, now }) {
        const process = { hasWorker: worker !== undefined, hasMail: await hasMail(), publicUrl };
        const options = { ...process, labels: query.labels, scopes: caller.scopes, isGone };
        return jsonReply(200, await readStats(storage, options, now.text));
      },
    }),
  ];
}
