import type { Storage } from "../adapters/storage.ts";
import type { Delivery } from "../model/deliveries/delivery.ts";
import { RATE_PROBLEM } from "../model/deliveries/delivery_steps.ts";
import { SETTINGS, WEBHOOKS } from "../model/kinds.ts";
import { addMs } from "../model/values/time.ts";
import { MAX_WEBHOOKS } from "../model/webhooks/webhook.ts";
import { listDeliveries } from "./deliveries/deliveries.ts";
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
}

const SETTING = "alerts";
const PAUSE_MS = 3_600_000;
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
  const { mailedAt, keys } = parseLog(setting?.value);
  const isPaused = mailedAt !== null && mailedAt <= now && addMs(mailedAt, PAUSE_MS) > now;
  if (isPaused) return [];
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

/** Records that incidents were told or, without any, that no mail was sent. */
export async function recordAlerts(
  transact: FencedTransact,
  alerts: readonly Alert[],
): Promise<void> {
  await changeLog(transact, ({ mailedAt, keys }) => ({
    mailedAt: alerts.length === 0 ? null : mailedAt,
    keys: [...keys, ...alerts.map(({ key }) => key)].slice(-MAX_KEYS),
  }));
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
  const [{ records }, webhooks] = await Promise.all([
    listDeliveries(storage, { limit: MAX_DELIVERIES }),
    storage.list(WEBHOOKS, { limit: MAX_WEBHOOKS }),
  ]);
  const disabled = webhooks.filter(({ enabled, disabledAt }) => !enabled && disabledAt !== null);
  return [
    ...records.flatMap((delivery) => toAlert(delivery, now)),
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
  const isObstructed = state === "running" && problem !== null &&
    !problem.startsWith(RATE_PROBLEM) && addMs(delivery.advancedAt, OBSTRUCTED_MS) <= now;
  if (!isObstructed) return [];
  const text = `The mailing of ${name} has not advanced for 15 minutes: ${problem}`;
  return [{ key: keyOf("obstructed"), text }];
}
