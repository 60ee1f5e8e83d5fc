import type { Storage } from "../adapters/storage.ts";
import { VERSION } from "../model/about.ts";
import { type Lease, LEASES } from "../model/kinds.ts";
import { formatLabels, type MetricName, METRICS, type Values } from "../model/metrics.ts";
import { isOwn } from "./leases.ts";
import { meterOf } from "./meter.ts";
import { readFindings } from "./stats.ts";
import { findAttention } from "../model/stats.ts";

/** Reads all metrics, at a time (RFC 3339, UTC, milliseconds). */
export async function readMetrics(
  storage: Storage,
  now: string,
): Promise<ReadonlyMap<MetricName, Values>> {
  const [findings, leases] = await Promise.all([
    readFindings(storage, now),
    Promise.all(METRICS.boardcast_lease_owned.labels.lease.map((id) => storage.get(LEASES, id))),
  ]);
  const { subscribers, images, mail, messageWaitingSeconds } = findings;
  const codes = findAttention(findings).map(({ code }) => code);
  const gauge = (label: string, values: Readonly<Record<string, number>>): Values =>
    new Map(
      Object.entries(values).map(([value, count]) => [formatLabels({ [label]: value }), count]),
    );
  const known = METRICS.boardcast_attention.labels.code;
  return new Map<MetricName, Values>([
    ...meterOf(storage).values,
    ["boardcast_build_info", gauge("version", { [VERSION]: 1 })],
    ["process_start_time_seconds", new Map([["", performance.timeOrigin / 1_000]])],
    ["boardcast_subscribers", gauge("state", subscribers)],
    ["boardcast_images", new Map([["", images.count]])],
    ["boardcast_images_bytes", new Map([["", images.bytes]])],
    ["boardcast_oldest_mail_age_seconds", new Map([["", mail.oldestSeconds]])],
    ["boardcast_oldest_message_age_seconds", new Map([["", messageWaitingSeconds]])],
    ["boardcast_lease_owned", gauge("lease", ownedOf(leases))],
    [
      "boardcast_attention",
      gauge("code", Object.fromEntries(known.map((code) => [code, countOf(codes, code)]))),
    ],
  ]);
}

function ownedOf(leases: readonly (Lease | undefined)[]): Readonly<Record<string, number>> {
  const names = METRICS.boardcast_lease_owned.labels.lease;
  return Object.fromEntries(names.map((name, at) => {
    const lease = leases[at];
    return [name, Number(lease !== undefined && isOwn(lease))];
  }));
}

function countOf<T>(values: readonly T[], value: T): number {
  return values.filter((other) => other === value).length;
}
