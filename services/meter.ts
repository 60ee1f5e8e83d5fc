import {
  type Counter,
  type CounterName,
  createHistogram,
  formatLabels,
  type Histogram,
  type Metric,
  type MetricName,
  METRICS,
  observe,
  type Values,
} from "../model/metrics.ts";

/** Counts this process's work with a storage. */
export interface Meter {
  /** Adds one to a counter; `value` is a value of the counter's only label. */
  count(name: CounterName, value: string): void;
  /** Returns a counter, for events that are counted often. */
  counter(name: CounterName, value: string): Counter;
  requestCounter(operation: string): RequestCounter;
  /** The values of all metrics so far, by name. */
  readonly values: ReadonlyMap<MetricName, Values>;
}

/** Counts a request to an operation and records its response time. */
export type RequestCounter = (status: number, seconds: number) => void;

const REQUESTS = "boardcast_http_request_duration_seconds";

/** Creates a meter that has counted nothing. */
export function createMeter(): Meter {
  const values = new Map<MetricName, Map<string, Counter | Histogram>>();
  const requests = new Map<string, Histogram>();
  values.set(REQUESTS, requests);
  for (const [name, { type, labels = {} }] of Object.entries<Metric>(METRICS)) {
    if (type !== "counter") continue;
    const counters = Object.entries(labels).flatMap(([label, known]) =>
      known.map((value) => [formatLabels({ [label]: value }), { count: 0 }] as const)
    );
    values.set(name as MetricName, new Map(counters));
  }

  function counter(name: CounterName, value: string): Counter {
    const labels = formatLabels({ [Object.keys(METRICS[name].labels)[0]]: value });
    // Events with an unknown label are not counted.
    return values.get(name)!.get(labels) as Counter | undefined ?? { count: 0 };
  }

  return {
    values,
    counter,
    count: (name, value) => void counter(name, value).count++,
    requestCounter(operation) {
      const byStatus = new Map<number, Histogram>();
      function create(status: number): Histogram {
        const labels = formatLabels({ operation, status });
        // Other handlers on the storage use the same histogram.
        const histogram = requests.get(labels) ?? createHistogram();
        requests.set(labels, histogram);
        byStatus.set(status, histogram);
        return histogram;
      }
      return (status, seconds) => observe(byStatus.get(status) ?? create(status), seconds);
    },
  };
}
