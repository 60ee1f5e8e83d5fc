import {
  count,
  exampleOf,
  flag,
  listOf,
  object,
  oneOf,
  part,
  partOrNull,
  text,
  textOrNull,
  texts,
  time,
  withSchema,
} from "./declare.ts";
import type { ShownOf } from "./resource.ts";
import { DELIVERY, type ShownDelivery } from "./deliveries/delivery.ts";
import { isObstructed } from "./deliveries/delivery_steps.ts";
import { ENTRY } from "./entries/entry.ts";
import { EXAMPLE_TIME } from "./values/time.ts";
import { WEBHOOK } from "./webhooks/webhook.ts";

/** The codes of states that need an operator's attention. */
export const ATTENTION_CODES = [
  "storage_unavailable",
  "delivery_held",
  "delivery_obstructed",
  "mail_waiting",
  "alerts_failing",
  "webhook_disabled",
  "webhook_failing",
  "messages_waiting",
  "forms_dropped",
  "upkeep_failed",
] as const;

/** A post with more votes than this counts as unanswered after the following number of days. */
export const UNANSWERED_VOTES = 10;
export const UNANSWERED_DAYS = 60;

const TITLED_DELIVERY = object("TitledDelivery", DELIVERY.description, {
  ...DELIVERY.fields,
  title: textOrNull(
    "The title of the entry or of the post; `null`: it is gone, or it is the mail of a week.",
    exampleOf(ENTRY.fields).title,
  ),
  boardId: textOrNull("The board of the post; `null` for others, and where it is gone.", null),
});

// Only the host of its URL is shown, because other parts may be secret.
const FAILING_WEBHOOK = object("FailingWebhook", "A webhook that fails, or was disabled for it.", {
  webhookId: WEBHOOK.fields.webhookId,
  host: text("The host of its URL.", "example.com"),
  enabled: withSchema(WEBHOOK.fields.enabled, { examples: [false] }),
  failingSince: withSchema(WEBHOOK.fields.failingSince, { examples: [EXAMPLE_TIME] }),
  disabledAt: withSchema(WEBHOOK.fields.disabledAt, { examples: [EXAMPLE_TIME] }),
  problem: withSchema(WEBHOOK.fields.problem, { examples: ["It answered 410 Gone"] }),
});

const ATTENTION = object("Attention", "What somebody has to look after.", {
  code: oneOf(ATTENTION_CODES, "The stable code.", { example: "webhook_disabled" }),
  entryId: textOrNull("The entry that it is about."),
  webhookId: textOrNull("The webhook that it is about.", exampleOf(WEBHOOK.fields).webhookId),
  detail: text(
    "What is wrong, for people.",
    "The webhook k3v9x0a7m2q8d5t1 to example.com was disabled: It answered 410 Gone",
  ),
});

/** The state of the service in a response. */
export const STATS = object("Stats", "The state of the service at one moment.", {
  at: time("When this was found."),
  subscribers: part("How many people there are.", {
    subscribed: count("How many get changelog updates.", 1250),
    unsubscribed: count("How many have opted out.", 31),
  }),
  audience: partOrNull("Who would get an entry with the given `labels`; `null`: none were given.", {
    each: count("How many would get it by itself.", 1180),
    weekly: count("How many would get it in the mail of the week.", 12),
    exact: flag("Whether all were counted; `false`: some, and the rest was estimated."),
  }),
  entries: part("How many entries there are.", {
    draft: count("How many are drafts.", 2),
    scheduled: count("How many become public later.", 1),
    published: count("How many are public.", 40),
  }),
  posts: part("What posts of boards there are.", {
    open: count("How many are neither shipped nor declined.", 34),
    held: count("How many wait for approval.", 2),
    reported: count("How many public ones have reports that were not dealt with.", 1),
    unanswered: count(
      `How many open ones have more than ${UNANSWERED_VOTES} votes, and no answer for ` +
        `${UNANSWERED_DAYS} days.`,
      1,
    ),
  }),
  forms: part("What became of the forms of visitors.", {
    dropped: count(
      "How many came beyond the limit of mails since it was reached, and were dropped.",
      0,
    ),
  }),
  images: part("What images of entries there are.", {
    count: count("How many there are.", 300),
    bytes: count("How many bytes they have together.", 45_000_000),
  }),
  deliveries: listOf(
    TITLED_DELIVERY,
    "The newest 10 deliveries, by when their entries became public. Needs `entries:read`, and those " +
      "of posts `posts:read`.",
  ),
  webhooks: listOf(FAILING_WEBHOOK, "The webhooks that fail, or were disabled for it."),
  storage: part("Where records are kept.", { writable: flag("Whether it takes writes.") }),
  worker: part("What delivers mails and messages to webhooks.", {
    running: flag("Whether it is in the process that answers."),
    mailWaitingSeconds: count(
      "For how long the mail that has waited longest has been due; 0: none is.",
      0,
    ),
    messageWaitingSeconds: count(
      "For how long the message to a webhook that has waited longest has been due; 0: none is.",
      0,
    ),
  }),
  relay: part("The relay that takes mails.", {
    configured: flag("Whether entries can be mailed."),
    problem: textOrNull("Why it can't be used at the moment, for people."),
  }),
  team: part("Who signs in to the studio.", {
    members: count("How many members the team has.", 3),
    providerProblem: textOrNull(
      "Why the last sign-in at the OpenID Connect provider failed in this process, for people.",
    ),
  }),
  publicUrl: textOrNull(
    "The address of the service as the world sees it; `null`: nothing is public.",
    "https://updates.example.com",
    { rules: { format: "uri" } },
  ),
  namesErased: texts(
    "The posts that name the address of an author who was erased, until their words change. Needs " +
      "`posts:read`.",
    [],
  ),
  attention: listOf(ATTENTION, "What somebody has to look after; empty: nothing."),
});

export type TitledDelivery = ShownOf<typeof TITLED_DELIVERY.fields>;
export type FailingWebhook = ShownOf<typeof FAILING_WEBHOOK.fields>;
export type Attention = ShownOf<typeof ATTENTION.fields>;
export type Audience = NonNullable<Stats["audience"]>;
export type Stats = ShownOf<typeof STATS.fields>;

// Longer than a restart, or another worker's takeover, takes.
const MAX_WAIT_SECONDS = 300;
const MAX_FAILING_MS = 3_600_000;

/** The time that mail has waited. */
export interface MailWaiting {
  /** Age of the longest overdue mail, in seconds; 0 if none is due. */
  readonly oldestSeconds: number;
  /** Seconds since a mail was last sent while some were due; 0 if none is due. */
  readonly stalledSeconds: number;
}

/** The facts that {@linkcode Attention} derives from. */
export interface Findings
  extends
    Pick<Stats, "at" | "subscribers" | "forms" | "images" | "webhooks">,
    Pick<Stats["worker"], "messageWaitingSeconds"> {
  readonly deliveries: readonly ShownDelivery[];
  readonly mail: MailWaiting;
  /** The regular work that failed last; absent or empty: none did. */
  readonly upkeepFailure?: string | undefined;
  /** Why mails to the operator fail; absent while they don't. */
  readonly alertsProblem?: string | undefined;
  /** Whether storage accepts writes. Default: yes. */
  readonly isWritable?: boolean;
  /** Tells whether the caller may learn which delivery it is. Default: yes. */
  readonly isNamed?: (delivery: ShownDelivery) => boolean;
}

/** Returns the states that need an operator's attention. */
export function findAttention(findings: Findings): readonly Attention[] {
  const { at, deliveries, forms, webhooks, mail, messageWaitingSeconds } = findings;
  const { upkeepFailure = "", isWritable = true, isNamed = () => true } = findings;
  const { stalledSeconds } = mail;
  const { alertsProblem } = findings;
  const found: Attention[] = [];
  const add = (code: Attention["code"], detail: string, about: Partial<Attention> = {}) =>
    found.push({ code, entryId: null, webhookId: null, ...about, detail });

  if (!isWritable) add("storage_unavailable", "Storage takes no writes");
  for (const delivery of deliveries) {
    const { entryId, week, postId, state, problem } = delivery;
    const mailing = isNamed(delivery) ? `The mailing of ${week ?? entryId ?? postId}` : "A mailing";
    const about = isNamed(delivery) ? { entryId } : {};
    if (state === "held") {
      add("delivery_held", `${mailing} is held: ${problem}`, about);
    } else if (isObstructed(delivery)) {
      add("delivery_obstructed", `${mailing} does not advance: ${problem}`, about);
    }
  }
  if (stalledSeconds > MAX_WAIT_SECONDS) {
    add("mail_waiting", `Mails are due, and none was sent for ${minutes(stalledSeconds)}`);
  }
  if (alertsProblem !== undefined) {
    add("alerts_failing", `The operator can't be mailed about problems: ${alertsProblem}`);
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
  if (forms.dropped > 0) {
    add(
      "forms_dropped",
      `More forms came than mails may be sent for: ${forms.dropped} were dropped`,
    );
  }
  if (upkeepFailure !== "") {
    add("upkeep_failed", `Regular work failed, and is tried again in an hour: ${upkeepFailure}`);
  }
  return found;
}

function minutes(seconds: number): string {
  return `${Math.floor(seconds / 60)} minutes`;
}
