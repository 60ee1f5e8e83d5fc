import type { ShownDelivery } from "./deliveries/delivery.ts";
import type { EntryState } from "./entries/entry.ts";
import type { Webhook } from "./webhooks/webhook.ts";

/** A webhook that fails, without what its URL may hold beside the host. */
export interface FailingWebhook
  extends Pick<Webhook, "webhookId" | "enabled" | "failingSince" | "disabledAt" | "problem"> {
  /** The host of its URL, with the port if it has one. */
  readonly host: string;
}

/** What an operator should look after. */
export interface Attention {
  readonly code: AttentionCode;
  /** The entry that it is about; or `null`. */
  readonly entryId: string | null;
  /** The webhook that it is about; or `null`. */
  readonly webhookId: string | null;
  /** What is wrong, for people. */
  readonly detail: string;
}

/** What may need an operator's attention. */
export const ATTENTION_CODES = [
  "storage_unavailable",
  "delivery_held",
  "delivery_obstructed",
  "mail_waiting",
  "webhook_disabled",
  "webhook_failing",
  "messages_waiting",
] as const;

/** One of the {@linkcode ATTENTION_CODES}. */
export type AttentionCode = typeof ATTENTION_CODES[number];

/** A delivery, and what its entry is called. */
export interface TitledDelivery extends ShownDelivery {
  /** The title of the entry; `null` where it is gone. */
  readonly title: string | null;
}

/** How the service is at a moment. Times are RFC 3339, UTC, with milliseconds. */
export interface Stats {
  readonly at: string;
  readonly subscribers: { readonly subscribed: number; readonly unsubscribed: number };
  readonly entries: Readonly<Record<EntryState, number>>;
  /** The images of entries, and what they take together. */
  readonly images: { readonly count: number; readonly bytes: number };
  /** The newest ones. */
  readonly deliveries: readonly TitledDelivery[];
  /** Those that fail, or were disabled for it. */
  readonly webhooks: readonly FailingWebhook[];
  readonly storage: {
    /** Whether it takes writes. */
    readonly writable: boolean;
  };
  readonly worker: WorkerStats;
  readonly relay: {
    /** Whether this process, or another that serves the same, can mail. */
    readonly configured: boolean;
    /** Why it can't be used, as the last attempt found; or `null`. */
    readonly problem: string | null;
  };
  /** Where readers find the changelog; `null` where nothing is public. */
  readonly publicUrl: string | null;
  readonly attention: readonly Attention[];
}

/** What delivers mails and messages, and what waits for it. */
export interface WorkerStats {
  /** Whether it is in the process that answers. */
  readonly running: boolean;
  /** For how long the mail that has waited longest has been due; 0 if none is. */
  readonly mailWaitingSeconds: number;
  /** For how long the message to a webhook that has waited longest has been due; 0 if none is. */
  readonly messageWaitingSeconds: number;
}

// Longer than a restart takes, or a worker that takes over.
const MAX_WAIT_SECONDS = 300;
const MAX_FAILING_MS = 3_600_000;

/** How long mail has waited. */
export interface MailWaiting {
  /** For how long the mail that has waited longest has been due; 0 if none is. */
  readonly oldestSeconds: number;
  /** For how long no mail was sent though some are due; 0 if none is. */
  readonly stalledSeconds: number;
}

/** What the decision about {@linkcode Attention} goes by. */
export interface Findings
  extends
    Pick<Stats, "at" | "subscribers" | "images" | "webhooks">,
    Pick<WorkerStats, "messageWaitingSeconds"> {
  readonly deliveries: readonly ShownDelivery[];
  readonly mail: MailWaiting;
  /** Whether storage takes writes. Default: yes. */
  readonly isWritable?: boolean;
}

/** Returns what somebody has to look after. */
export function findAttention(findings: Findings): readonly Attention[] {
  const { at, deliveries, webhooks, mail, messageWaitingSeconds, isWritable = true } = findings;
  const { stalledSeconds } = mail;
  const found: Attention[] = [];
  const add = (code: AttentionCode, detail: string, about: Partial<Attention> = {}) =>
    found.push({ code, entryId: null, webhookId: null, ...about, detail });

  if (!isWritable) add("storage_unavailable", "Storage takes no writes");
  for (const { entryId, week, state, problem } of deliveries) {
    const what = week ?? entryId;
    if (state === "held") {
      add("delivery_held", `The mailing of ${what} is held: ${problem}`, { entryId });
    } else if (state === "running" && problem !== null) {
      add("delivery_obstructed", `The mailing of ${what} does not advance: ${problem}`, {
        entryId,
      });
    }
  }
  if (stalledSeconds > MAX_WAIT_SECONDS) {
    add("mail_waiting", `Mails are due, and none was sent for ${minutes(stalledSeconds)}`);
  }
  for (const { webhookId, host, enabled, failingSince, problem } of webhooks) {
    const sinceMs = failingSince === null ? 0 : Date.parse(at) - Date.parse(failingSince);
    if (!enabled) {
      const detail = `The webhook ${webhookId} to ${host} was disabled: ${problem}`;
      add("webhook_disabled", detail, { webhookId });
    } else if (sinceMs > MAX_FAILING_MS) {
      const detail = `The webhook ${webhookId} to ${host} has failed for ` +
        minutes(Math.floor(sinceMs / 1_000));
      add("webhook_failing", detail, { webhookId });
    }
  }
  if (messageWaitingSeconds > MAX_WAIT_SECONDS) {
    const detail = `A message to a webhook has been due for ${minutes(messageWaitingSeconds)}`;
    add("messages_waiting", detail);
  }
  return found;
}

function minutes(seconds: number): string {
  return `${Math.floor(seconds / 60)} minutes`;
}
