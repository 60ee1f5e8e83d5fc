import type { Schema } from "../../../model/values/json_schema.ts";
import { DELIVERY } from "../../../model/deliveries/delivery.ts";
import { ENTRY } from "../../../model/entries/entry.ts";
import { ATTENTION_CODES } from "../../../model/stats.ts";
import { EXAMPLE_TIME } from "../../../model/values/time.ts";
import { WEBHOOK } from "../../../model/webhooks/webhook.ts";
import { count, describe, describeRecord, flag, listOf, part } from "./schema.ts";

const FailingWebhook = describeRecord({
  description: "A webhook that fails, or was disabled for it.",
  fields: {
    webhookId: WEBHOOK.fields.webhookId,
    host: { type: "text", description: "The host of its URL.", example: "example.com" },
    enabled: { ...WEBHOOK.fields.enabled, example: false },
    failingSince: { ...WEBHOOK.fields.failingSince, example: EXAMPLE_TIME },
    disabledAt: { ...WEBHOOK.fields.disabledAt, example: EXAMPLE_TIME },
    problem: { ...WEBHOOK.fields.problem, example: "It answered 410 Gone" },
  },
});

const Attention = describeRecord({
  description: "What somebody has to look after.",
  fields: {
    code: {
      type: "text",
      description: "The stable code.",
      example: "webhook_disabled",
      rules: { enum: ATTENTION_CODES },
    },
    entryId: { type: "text?", description: "The entry that it is about.", example: null },
    webhookId: {
      type: "text?",
      description: "The webhook that it is about.",
      example: WEBHOOK.fields.webhookId.example,
    },
    detail: {
      type: "text",
      description: "What is wrong, for people.",
      example: "The webhook k3v9x0a7m2q8d5t1 to example.com was disabled: It answered 410 Gone",
    },
  },
});

const TitledDelivery = describeRecord({
  ...DELIVERY,
  fields: {
    ...DELIVERY.fields,
    title: {
      type: "text?",
      description: "The title of the entry; `null`: it is gone.",
      example: ENTRY.fields.title.example,
    },
  },
});

/** The schemas of statistics and metrics. */
export const STATS_SCHEMAS = {
  Metrics: describe("The text format of Prometheus, version 0.0.4.", {
    examples: [
      "# HELP boardcast_subscribers People on record.\n# TYPE boardcast_subscribers gauge\n" +
      'boardcast_subscribers{state="subscribed"} 1250\n',
    ],
  }),
  Stats: describeRecord({
    description: "How the service is at a moment.",
    fields: {
      at: { type: "time", description: "When this was found.", example: EXAMPLE_TIME },
      subscribers: part("How many people there are.", {
        subscribed: count("How many get changelog updates.", 1250),
        unsubscribed: count("How many have opted out.", 31),
      }),
      entries: part("How many entries there are.", {
        draft: count("How many are drafts.", 2),
        scheduled: count("How many become public later.", 1),
        published: count("How many are public.", 40),
      }),
      images: part("What images of entries there are.", {
        count: count("How many there are.", 300),
        bytes: count("How many bytes they have together.", 45_000_000),
      }),
      deliveries: listOf(
        "TitledDelivery",
        TitledDelivery,
        "The newest 10 deliveries, by when their entries became public.",
      ),
      webhooks: listOf(
        "FailingWebhook",
        FailingWebhook,
        "The webhooks that fail, or were disabled for it.",
      ),
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
      relay: part("What mails are passed on to.", {
        configured: flag("Whether entries can be mailed."),
        problem: {
          type: "text?",
          description: "Why it can't be used at the moment, for people.",
          example: null,
        },
      }),
      publicUrl: {
        type: "text?",
        description: "The address of the service as the world sees it; `null`: nothing is public.",
        example: "https://updates.example.com",
        rules: { format: "uri" },
      },
      attention: listOf("Attention", Attention, "What somebody has to look after; empty: nothing."),
    },
  }),
  TitledDelivery,
  FailingWebhook,
  Attention,
} as const satisfies Record<string, Schema>;
