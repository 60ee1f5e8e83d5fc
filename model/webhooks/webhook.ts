import { parseBoolean, parseWords } from "../values/text.ts";
import { URL_MAX_LENGTH } from "../values/http_url.ts";
import type { Refusal } from "../values/refusal.ts";
import { choice, flag, hidden, text, textOrNull, time, timeOrNull, words } from "../declare.ts";
import {
  applyChange,
  type Resource,
  type ShownOf,
  showRecord,
  type StoredOf,
} from "../resource.ts";
import { addMs } from "../values/time.ts";
import { EVENT_TYPES, type EventType } from "./webhook_event.ts";
import type { RetryDecision } from "./webhook_retry.ts";
import { parseWebhookUrl } from "./webhook_url.ts";

/** The formats of messages: Standard Webhooks, or the incoming webhooks of a chat. */
export const WEBHOOK_FORMATS = ["standard", "slack"] as const;

/** One of the {@linkcode WEBHOOK_FORMATS}. */
export type WebhookFormat = typeof WEBHOOK_FORMATS[number];

/** A replaced secret, and the time until which it signs (RFC 3339, UTC, milliseconds). */
export interface ReplacedSecret {
  readonly secret: string;
  readonly until: string;
}

/** The fields of a webhook. @internal */
export const WEBHOOK = {
  name: "webhooks",
  key: "webhookId",
  title: "Webhook",
  description: "A receiver of messages about changes.",
  fields: {
    webhookId: text("The identifier.", "k3v9x0a7m2q8d5t1"),
    url: text(
      "Where messages are sent. An https URL whose host is public, without a user or a fragment.",
      "https://example.com/hooks/boardcast",
      {
        rules: { format: "uri", maxLength: URL_MAX_LENGTH },
        parse: (text: string): string | Refusal => parseWebhookUrl(text, []),
      },
    ),
    types: words("What the webhook is told of.", ["entry.published", "subscriber.unsubscribed"], {
      rules: { enum: EVENT_TYPES },
      parse: (text: string): readonly EventType[] | Refusal =>
        parseWords(text, EVENT_TYPES, "type"),
      default: EVENT_TYPES,
      limits: { minItems: 1 },
    }),
    enabled: flag(
      "Whether the webhook is told of anything. " +
        "It is disabled when its endpoint answers 410, or after 5 days in which every " +
        "attempt failed.",
      { parse: parseBoolean, default: true },
    ),
    format: choice(
      WEBHOOK_FORMATS,
      "What messages look like: `standard`, or `slack` for the incoming webhook of a " +
        'chat, which gets `{ "text" }`. ' +
        "It never changes. With `slack`, `types` is `entry.published` alone by default.",
      { default: "standard" },
    ),
    // The secret that signs its messages: `whsec_` and base64.
    secret: hidden("text"),
    // Earlier secrets that also sign for a while after a rotation, newest first.
    replacedSecrets: hidden("json", { default: [] as readonly ReplacedSecret[] }),
    failingSince: timeOrNull(
      "Since when every attempt has failed; `null`: the last one did not.",
      null,
    ),
    disabledAt: timeOrNull(
      "When it was disabled for what its endpoint answered; `null`: it was not.",
      null,
    ),
    problem: textOrNull("Why it was disabled, for people."),
    createdAt: time("When the webhook was created."),
    updatedAt: time("When its settings last changed."),
  },
} as const satisfies Resource;

/** An endpoint to which messages about events are sent. */
export type Webhook = StoredOf<typeof WEBHOOK.fields>;

/** A webhook as the API shows it: without its secrets. */
export type ShownWebhook = ShownOf<typeof WEBHOOK.fields>;

/** Limit of webhooks. */
export const MAX_WEBHOOKS = 20;

/** The default time for which a replaced secret also signs, in milliseconds. */
export const ROTATION_OVERLAP_MS: number = 24 * 60 * 60 * 1_000;
const MAX_REPLACED = 3;

/** Returns a webhook as the API shows it. */
export function showWebhook(webhook: Webhook): ShownWebhook {
  return showRecord(WEBHOOK, webhook, {});
}

/** Returns the secrets that sign the messages of a webhook at a time (RFC 3339). */
export function secretsAt({ secret, replacedSecrets }: Webhook, now: string): readonly string[] {
  const replaced = replacedSecrets.filter(({ until }) => now < until);
  return [secret, ...replaced.map(({ secret }) => secret)];
}

/**
 * Gives a webhook a new secret at a time. The old one also signs for `overlapMs`; with 0, all
 * earlier secrets end too.
 */
export function rotateSecret(
  current: Webhook,
  secret: string,
  { at, overlapMs }: { readonly at: string; readonly overlapMs: number },
): Webhook {
  const replaced = { secret: current.secret, until: addMs(at, overlapMs) };
  const before = current.replacedSecrets.filter(({ until }) => at < until);
  const replacedSecrets = overlapMs === 0 ? [] : [replaced, ...before].slice(0, MAX_REPLACED);
  return { ...current, secret, replacedSecrets, updatedAt: at };
}

/**
 * Applies a change to a webhook at a time; returns `current` itself if nothing changes. Enabling a
 * webhook clears its failure state.
 */
export function applyWebhookChange(
  current: Webhook,
  change: Partial<Webhook>,
  at: string,
): Webhook {
  const health = change.enabled ? { failingSince: null, disabledAt: null, problem: null } : {};
  return applyChange(current, { ...change, ...health }, at);
}

/** Applies a retry decision to its webhook; returns `current` itself if nothing changes. */
export function applyRetryDecision(
  current: Webhook,
  { failingSince, disable }: Pick<RetryDecision, "failingSince" | "disable">,
  at: string,
): Webhook {
  if (disable !== undefined && current.enabled) {
    return {
      ...current,
      enabled: false,
      failingSince,
      disabledAt: at,
      problem: disable,
      updatedAt: at,
    };
  }
  return failingSince === current.failingSince ? current : { ...current, failingSince };
}
