import type { Schema } from "../../model/json_schema.ts";
import { type Attention, ATTENTION_CODES, type FailingWebhook } from "../../model/stats.ts";
import type { Stats } from "../../model/stats.ts";
import { count, describe, flag, orNull, type Properties, type Property, record } from "./schema.ts";
import { schemaRef, text, time } from "./schema.ts";
import { CHANGELOG_SCHEMAS } from "./changelog_schemas.ts";

const FAILING: Properties<FailingWebhook> = {
  webhookId: text("The identifier.", "k3v9x0a7m2q8d5t1"),
  host: text("The host of its URL.", "example.com"),
  enabled: flag("Whether it is told of anything.", false),
  failingSince: orNull(time("Since when every attempt has failed; `null`: the last did not.")),
  disabledAt: orNull(time("When it was disabled for it; `null`: it was not.")),
  problem: orNull(text("Why it was disabled, for people.", "It answered 410 Gone")),
};

const ATTENTION: Properties<Attention> = {
  code: text("The stable code.", "webhook_disabled", { enum: ATTENTION_CODES }),
  entryId: orNull(text("The entry that it is about.", ""), null),
  webhookId: orNull(text("The webhook that it is about.", "k3v9x0a7m2q8d5t1")),
  detail: text(
    "What is wrong, for people.",
    "The webhook k3v9x0a7m2q8d5t1 to example.com was disabled: It answered 410 Gone",
  ),
};

const FailingWebhook = record("A webhook that fails, or was disabled for it.", FAILING);
const Attention = record("What somebody has to look after.", ATTENTION);

const STATS: Properties<Stats> = {
  at: time("When this was found."),
  subscribers: part("How many people there are.", {
    subscribed: count("How many get changelog updates.", 1250),
    unsubscribed: count("How many have opted out.", 31),
  }),
  entries: part("How many entries there are.", {
    draft: count("How many are drafts.", 2),
    scheduled: count("How many become public later.", 1),
    published: count("How many are public.", 40),
  }),
  deliveries: all("The newest 10 deliveries, by when their entries became public.", {
    name: "Delivery",
    schema: CHANGELOG_SCHEMAS.Delivery,
  }),
  webhooks: all("The webhooks that fail, or were disabled for it.", {
    name: "FailingWebhook",
    schema: FailingWebhook,
  }),
  storage: part("Where records are kept.", {
    writable: flag("Whether it takes writes.", true),
  }),
  worker: part("What delivers mails and messages to webhooks.", {
    running: flag("Whether it is in the process that answers.", true),
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
    configured: flag("Whether entries can be mailed.", true),
    problem: orNull(text("Why it can't be used at the moment, for people.", ""), null),
  }),
  attention: all("What somebody has to look after; empty: nothing.", {
    name: "Attention",
    schema: Attention,
  }),
};

export const STATS_SCHEMAS = {
  Metrics: describe("The text format of Prometheus, version 0.0.4.", {
    examples: [
      "# HELP boardcast_subscribers People on record.\n# TYPE boardcast_subscribers gauge\n" +
      'boardcast_subscribers{state="subscribed"} 1250\n',
    ],
  }),
  Stats: record("How the service is at a moment.", STATS),
  FailingWebhook,
  Attention,
} as const satisfies Record<string, Schema>;

/** Describes an object within a record. */
function part<T>(description: string, properties: Properties<T>): Property<T> {
  const schema = record(description, properties);
  const { examples: [example], ...rest } = schema as typeof schema & { examples: readonly T[] };
  return { schema: rest, example, isNullable: false };
}

/** Describes a list of records within a record. */
function all<T>(
  description: string,
  { name, schema }: { readonly name: string; readonly schema: Schema },
): Property<readonly T[]> {
  return {
    schema: { description, type: "array", items: schemaRef(name) },
    example: (schema.examples ?? []) as readonly T[],
    isNullable: false,
  };
}
