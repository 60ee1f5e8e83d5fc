import type { Storage } from "../adapters/storage.ts";
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

/** What this process has counted of what it does with a storage. */
export interface Meter {
  /** Counts one; the value is one of those that the counter's only label has. */
  count(name: CounterName, value: string): void;
  /** Returns a counter, for what is counted often. */
  counter(name: CounterName, value: string): Counter;
  /** Returns what counts a request of an operation, and how long its answer took. */
  requestCounter(operation: string): (status: number, seconds: number) => void;
  /** What was counted so far, by the name of its metric. */
  readonly values: ReadonlyMap<MetricName, Values>;
}

const REQUESTS = "boardcast_http_request_duration_seconds";

const meters = new WeakMap<Storage, Meter>();

/** Returns the meter of a storage, which handlers and workers on it share. */
export function meterOf(storage: Storage): Meter {
  let meter = meters.get(storage);
  if (meter === undefined) meters.set(storage, meter = createMeter());
  return meter;
}

/** Has two objects that are the same storage share a meter. */
export function shareMeter(storage: Storage, other: Storage): Meter {
  const meter = meterOf(storage);
  meters.set(other, meter);
  return meter;
}

function createMeter(): Meter {
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
    // What is of no known label is counted for nobody.
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
        // Other handlers on the storage count, too.
        const histogram = requests.get(labels) ?? createHistogram();
        requests.set(labels, histogram);
        byStatus.set(status, histogram);
        return histogram;
      }
      return (status, seconds) => observe(byStatus.get(status) ?? create(status), seconds);
    },
  };
}
