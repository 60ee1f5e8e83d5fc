import { formatMetrics } from "../../model/metrics.ts";
import { type Operation, operation } from "../_http/operation.ts";

/** The media type of the text format of Prometheus. */
const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** The operation of the metrics. */
export const metricsOperations: readonly Operation[] = [
  operation("GET", "/metrics", {
    operationId: "getMetrics",
    summary: "Read the metrics for Prometheus",
    description: "In the text format of Prometheus. What is counted is that of the process that " +
      "answers, since its start.",
    tag: "Operation",
    scope: "metrics:read",
    successes: [{
      status: 200,
      description: "The metrics.",
      schema: "Metrics",
      contentType: "text/plain",
    }],
    async run({ storage, now }) {
      // Loaded when somebody asks, and not at each start.
      const { readMetrics } = await import("../../services/metrics.ts");
      const body = formatMetrics(await readMetrics(storage, now.text));
      return { status: 200, contentType: METRICS_TYPE, body };
    },
  }),
];
