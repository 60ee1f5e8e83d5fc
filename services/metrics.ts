import type { Storage } from "../adapters/storage.ts";
import { VERSION } from "../model/about.ts";
import { LEASES } from "../model/kinds.ts";
import { formatLabels, type MetricName, METRICS, type Values } from "../model/metrics.ts";
import { isOwn } from "./leases.ts";
import { meterOf } from "./shared.ts";
import { readFindings } from "./stats.ts";
import { findAttention } from "../model/stats.ts";

/** Reads all metrics, at a time (RFC 3339, UTC, milliseconds). */
export async function readMetrics(
  storage: Storage,
  now: string,
): Promise<ReadonlyMap<MetricName, Values>> {
  const leaseIds = METRICS.boardcast_lease_owned.labels.lease;
  const [findings, leases] = await Promise.all([
    readFindings(storage, now),
    Promise.all(leaseIds.map((leaseId) => storage.get(LEASES, leaseId))),
  ]);
  const { subscribers, images, mail, messageWaitingSeconds } = findings;
  const codes = findAttention(findings).map(({ code }) => code);
  const gauge = (label: string, values: readonly (readonly [string, number])[]): Values =>
    new Map(values.map(([value, count]) => [formatLabels({ [label]: value }), count]));
  const owned = leaseIds.map((leaseId, at) => {
    const lease = leases[at];
    return [leaseId, Number(lease !== undefined && isOwn(lease))] as const;
  });
  const attention = METRICS.boardcast_attention.labels.code.map((code) =>
    [code, codes.filter((found) => found === code).length] as const
  );
  return new Map<MetricName, Values>([
    ...meterOf(storage).values,
    ["boardcast_build_info", gauge("version", [[VERSION, 1]])],
    ["process_start_time_seconds", new Map([["", performance.timeOrigin / 1_000]])],
    ["boardcast_subscribers", gauge("state", Object.entries(subscribers))],
    ["boardcast_images", new Map([["", images.count]])],
    ["boardcast_images_bytes", new Map([["", images.bytes]])],
    ["boardcast_oldest_mail_age_seconds", new Map([["", mail.oldestSeconds]])],
    ["boardcast_oldest_message_age_seconds", new Map([["", messageWaitingSeconds]])],
    ["boardcast_lease_owned", gauge("lease", owned)],
    ["boardcast_attention", gauge("code", attention)],
  ]);
}
