import { ATTENTION_CODES } from "./stats.ts";

/** A Prometheus metric without its values. */
export interface Metric {
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  /** The names of its labels. Labels with listed values start at 0. */
  readonly labels?: Readonly<Record<string, readonly string[]>>;
}

/** All metrics by name. Counters count one process; a gauge is the same in all processes. */
export const METRICS = {
  boardcast_build_info: {
    type: "gauge",
    help: "Always 1: the version of the program.",
    labels: { version: [] },
  },
  process_start_time_seconds: {
    type: "gauge",
    help: "When the process started, in seconds since 1970.",
  },
  boardcast_http_request_duration_seconds: {
    type: "histogram",
    help: "Requests and how long their responses took.",
    labels: { operation: [], status: [] },
  },
  boardcast_storage_calls_total: {
    type: "counter",
    help: "Calls of storage.",
    labels: { method: ["get", "list", "transact", "ping", "count"] },
  },
  boardcast_storage_failures_total: {
    type: "counter",
    help: "Calls of storage that failed for storage's sake.",
    labels: { method: ["get", "list", "transact", "ping", "count"] },
  },
  boardcast_subscribers: {
    type: "gauge",
    help: "People on record.",
    labels: { state: ["subscribed", "unsubscribed"] },
  },
  boardcast_images: { type: "gauge", help: "Images of entries." },
  boardcast_images_bytes: { type: "gauge", help: "What the images of entries take together." },
  boardcast_mails_total: {
    type: "counter",
    help: "Mails by outcome; unknown: the reply was lost; error: the relay could not be used.",
    labels: { outcome: ["sent", "deferred", "refused", "unknown", "skipped", "error"] },
  },
  boardcast_oldest_mail_age_seconds: {
    type: "gauge",
    help: "For how long the mail that has waited longest has been due; 0: none is.",
  },
  boardcast_webhook_attempts_total: {
    type: "counter",
    help: "Attempts to deliver messages to webhooks; error: there was no response.",
    labels: { outcome: ["delivered", "refused", "error"] },
  },
  boardcast_oldest_message_age_seconds: {
    type: "gauge",
    help: "For how long the message to a webhook that has waited longest has been due; 0: none is.",
  },
  boardcast_bounces_total: {
    type: "counter",
    help: "Reports about mails by their outcome; unproven: a mail that shows none of ours.",
    labels: { outcome: ["unsubscribed", "counted", "ignored", "unproven"] },
  },
  boardcast_sign_ins_total: {
    type: "counter",
    help:
      "Sign-ins by code, invitation or provider; refused: a wrong code or person; dropped: beyond a limit; failed: storage or the provider did.",
    labels: { outcome: ["code", "invitation", "provider", "refused", "dropped", "failed"] },
  },
  boardcast_sign_ups_total: {
    type: "counter",
    help: "Forms with an address; withheld: that day's mail shows it; dropped: beyond a limit.",
    labels: { outcome: ["mailed", "withheld", "dropped", "confirmed"] },
  },
  boardcast_lease_owned: {
    type: "gauge",
    help: "Whether this process is the one that delivers now.",
    labels: { lease: ["mails", "webhooks", "upkeep"] },
  },
  boardcast_attention: {
    type: "gauge",
    help: "How many things need attention, by code, as GET /api/v1/stats shows them.",
    labels: { code: ATTENTION_CODES },
  },
} as const satisfies Readonly<Record<string, Metric>>;

/** The name of one of the {@linkcode METRICS}. */
export type MetricName = keyof typeof METRICS;

export type CounterName = {
  [N in MetricName]: typeof METRICS[N]["type"] extends "counter" ? N : never;
}[MetricName];

/** The upper bounds of the buckets of histograms, in seconds. */
const BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** The values of a metric, by the text of their labels. */
export type Values = ReadonlyMap<string, number | Counter | Histogram>;

/** Number of times that something was done. */
export interface Counter {
  count: number;
}

/** The observations by bucket; the last bucket counts those above all bounds. */
export interface Histogram {
  readonly counts: number[];
  sum: number;
}

/** Creates an empty histogram. */
export function createHistogram(): Histogram {
  return { counts: Array<number>(BUCKETS.length + 1).fill(0), sum: 0 };
}

/** Adds one observation. */
export function observe(histogram: Histogram, seconds: number): void {
  let bucket = 0;
  while (bucket < BUCKETS.length && seconds > BUCKETS[bucket]) bucket++;
  histogram.counts[bucket]++;
  histogram.sum += seconds;
}

/** Formats labels, such as `method="get"`; values contain no quotes or backslashes. */
export function formatLabels(labels: Readonly<Record<string, string | number>>): string {
  return Object.entries(labels).map(([name, value]) => `${name}="${value}"`).join(",");
}

/** Formats metrics in the text format of Prometheus, version 0.0.4. */
export function formatMetrics(metrics: ReadonlyMap<MetricName, Values>): string {
  let text = "";
  for (const [name, { type, help }] of Object.entries<Metric>(METRICS)) {
    const values = metrics.get(name as MetricName);
    if (values === undefined) continue;
    text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
    for (const [labels, value] of values) {
      text += typeof value === "object" && "counts" in value
        ? formatHistogram(name, labels, value)
        : formatSample(name, labels, typeof value === "number" ? value : value.count);
    }
  }
  return text;
}

function formatHistogram(name: string, labels: string, { counts, sum }: Histogram): string {
  let total = 0;
  const buckets = counts.map((count, at) => {
    const bound = at < BUCKETS.length ? `${BUCKETS[at]}` : "+Inf";
    const prefix = labels === "" ? "" : `${labels},`;
    return formatSample(`${name}_bucket`, `${prefix}le="${bound}"`, total += count);
  });
  return buckets.join("") + formatSample(`${name}_sum`, labels, sum) +
    formatSample(`${name}_count`, labels, total);
}

function formatSample(name: string, labels: string, value: number): string {
  return `${name}${labels === "" ? "" : `{${labels}}`} ${value}\n`;
}
