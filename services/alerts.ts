import type { Storage } from "../adapters/storage.ts";
import type { Delivery } from "../model/deliveries/delivery.ts";
import { isObstructed } from "../model/deliveries/delivery_steps.ts";
import { SETTINGS, WEBHOOKS } from "../model/kinds.ts";
import { addMs } from "../model/values/time.ts";
import { MAX_WEBHOOKS } from "../model/webhooks/webhook.ts";
import { listNotable } from "./deliveries/deliveries.ts";
import type { FencedTransact } from "./leases.ts";

/** A problem that an operator is told about by mail, once. */
export interface Alert {
  /** Stays the same for the same incident. */
  readonly key: string;
  readonly text: string;
}

/** The record of the incidents that the operator was told about. */
interface AlertLog {
  /**
   * The time at which the last mail was sent, or begun (RFC 3339, UTC, milliseconds); `null` for
   * never.
   */
  readonly mailedAt: string | null;
  readonly keys: readonly string[];
  /** The last attempts, since the relay last took such a mail; absent if none has failed. */
  readonly failed?: FailedAlerts | undefined;
}

/** The attempts to mail the operator that have failed in a row. */
export interface FailedAlerts {
  readonly attempts: number;
  /** The time of the last one (RFC 3339, UTC, milliseconds). */
  readonly at: string;
  /** The reason, for people. */
  readonly problem: string;
}

const SETTING = "alerts";
const PAUSE_MS = 3_600_000;
const MIN_RETRY_MS = 60_000;
const OBSTRUCTED_MS = 15 * 60_000;
const MAX_DELIVERIES = 20;
// More than the number of simultaneous incidents: older keys belong to incidents that are over.
const MAX_KEYS = 100;

/**
 * Finds the incidents to mail about now. Finds none within an hour of the last mail. Incidents that
 * exist at the first call count as already told.
 */
export async function findDueAlerts(storage: Storage, now: string): Promise<readonly Alert[]> {
  const setting = await storage.get(SETTINGS, SETTING);
  const { mailedAt, keys, failed } = parseLog(setting?.value);
  if (isWithin(mailedAt, PAUSE_MS, now)) return [];
  if (failed !== undefined && isWithin(failed.at, retryMs(failed), now)) return [];
  const alerts = await findAlerts(storage, now);
  if (setting === undefined) {
    await changeLog(storage.transact, () => ({
      mailedAt: null,
      keys: alerts.map(({ key }) => key),
    }));
    return [];
  }
  return alerts.filter(({ key }) => !keys.includes(key));
}

/** Records that a mail is about to be sent, so that a crash causes no second one within an hour. */
export async function reserveAlert(transact: FencedTransact, now: string): Promise<void> {
  await changeLog(transact, (log) => ({ ...log, mailedAt: now }));
}

/** Records that incidents were told. */
export async function recordAlerts(
  transact: FencedTransact,
  alerts: readonly Alert[],
): Promise<void> {
  await changeLog(transact, ({ mailedAt, keys }) => ({
    mailedAt,
    keys: [...keys, ...alerts.map(({ key }) => key)].slice(-MAX_KEYS),
  }));
}

/** Records that no mail could be sent at a time; returns the failures in a row. */
export async function recordFailedAlerts(
  transact: FencedTransact,
  { problem, now }: { readonly problem: string; readonly now: string },
): Promise<number> {
  let attempts = 1;
  await changeLog(transact, ({ keys, failed }) => {
    attempts = (failed?.attempts ?? 0) + 1;
    return { mailedAt: null, keys, failed: { attempts, at: now, problem } };
  });
  return attempts;
}

/** Returns the failed attempts to mail the operator; `undefined` if the last one succeeded. */
export async function getFailedAlerts(storage: Storage): Promise<FailedAlerts | undefined> {
  return parseLog((await storage.get(SETTINGS, SETTING))?.value).failed;
}

/** Tells whether a time lies within some milliseconds before now, and not in the future. */
function isWithin(at: string | null, durationMs: number, now: string): boolean {
  return at !== null && at <= now && addMs(at, durationMs) > now;
}

function retryMs({ attempts }: FailedAlerts): number {
  return Math.min(MIN_RETRY_MS * 2 ** (attempts - 1), PAUSE_MS);
}

async function changeLog(
  transact: FencedTransact,
  change: (log: AlertLog) => AlertLog,
): Promise<void> {
  await transact({ setting: { kind: SETTINGS, key: SETTING } }, ({ setting }) => {
    const value = JSON.stringify(change(parseLog(setting?.value)));
    return { answer: true, put: { setting: { settingId: SETTING, value } } };
  });
}

function parseLog(value: string | undefined): AlertLog {
  return value === undefined ? { mailedAt: null, keys: [] } : JSON.parse(value);
}

async function findAlerts(storage: Storage, now: string): Promise<readonly Alert[]> {
  const [deliveries, webhooks] = await Promise.all([
    listNotable(storage, MAX_DELIVERIES),
    storage.list(WEBHOOKS, { limit: MAX_WEBHOOKS }),
  ]);
  const disabled = webhooks.filter(({ enabled, disabledAt }) => !enabled && disabledAt !== null);
  return [
    ...deliveries.flatMap((delivery) => toAlert(delivery, now)),
    ...disabled.map(({ webhookId, disabledAt, problem, url }) => ({
      key: `webhook ${webhookId} ${disabledAt}`,
      text: `The webhook ${webhookId} to ${new URL(url).host} was disabled: ${problem}`,
    })),
  ];
}

function toAlert(delivery: Delivery, now: string): readonly Alert[] {
  const { entryId, week, postId, state, problem, startedAt, finishedAt, failed } = delivery;
  // The key of a post's delivery has a hash in it.
  const name = week ?? postId ?? entryId;
  const keyOf = (what: string) => `${what} ${entryId} ${startedAt} ${finishedAt}`;
  if (state === "held") {
    return [{ key: keyOf("held"), text: `The mailing of ${name} is held: ${problem}` }];
  }
  if (state === "done" && failed > 0) {
    const text = `The mailing of ${name} is done; people whom it did not reach: ${failed}`;
    return [{ key: keyOf("unreached"), text }];
  }
  if (!isObstructed(delivery) || addMs(delivery.advancedAt, OBSTRUCTED_MS) > now) return [];
  const text = `The mailing of ${name} has not advanced for 15 minutes: ${problem}`;
  return [{ key: keyOf("obstructed"), text }];
}
