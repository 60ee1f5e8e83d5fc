import {
  type Decision,
  type Found,
  type Item,
  MAX_CREATED_BYTES,
  type Refs,
  type Storage,
} from "../../adapters/storage.ts";
import { WEBHOOK_MESSAGES, type WebhookList } from "../../model/kinds.ts";
import type { EventType, WebhookEvent } from "../../model/webhooks/webhook_event.ts";
import {
  createMessage,
  generateMessageId,
  type WebhookMessage,
} from "../../model/webhooks/webhook_message.ts";
import { all, change, type ChangeTools, type Reading } from "../change.ts";
import { newRecord } from "../records.ts";
import type { ReadList } from "../shared.ts";
import { readWebhookList } from "../store.ts";

const encoder = new TextEncoder();

/** A decision, and the events that it causes. */
export interface EventfulDecision<R extends Refs, A> extends Decision<R, A> {
  /**
   * At most one event per type, or a function that creates them if a webhook subscribes to them.
   */
  readonly events?: readonly WebhookEvent[] | (() => readonly WebhookEvent[]) | undefined;
}

/**
 * Like {@linkcode Storage.transact}; the same step creates a message for each event and each
 * webhook that subscribes to its type.
 */
export function transactWithEvents<R extends Refs, A>(
  storage: Storage,
  refs: R,
  decide: (found: Found<R>) => EventfulDecision<R, A>,
  { types, at }: {
    /** The types of events that the decision may cause. */
    readonly types: readonly EventType[];
    /** The time of the events (RFC 3339, UTC, milliseconds). */
    readonly at: string;
  },
): Promise<A> {
  async function transact(webhooks: WebhookList["enabled"]): Promise<A> {
    const receivers = receiversOf(webhooks, types);
    if (receivers.length === 0) return await storage.transact(refs, decide);
    let isTooLarge = false;
    const result = await storage.transact<R, A>(refs, (found) => {
      const { events, create = [], ...decision } = decide(found);
      const messages = createMessages(events, receivers, at);
      isTooLarge = messages.isTooLarge;
      if (isTooLarge) return { answer: decision.answer };
      const records = messages.records.map((message) => newRecord(WEBHOOK_MESSAGES, message));
      return { ...decision, create: [...create, ...records] };
    });
    return isTooLarge ? await transactWithRefs(receivers) : result;
  }

  /** Stores messages that are too large for `create` through refs, whose records have no limit. */
  function transactWithRefs(receivers: readonly Receiver[]): Promise<A> {
    const messageRefs = receivers.map(({ messageId: key }) =>
      [`message ${key}`, { kind: WEBHOOK_MESSAGES, key }] as const
    );
    const all: Refs = { ...refs, ...Object.fromEntries(messageRefs) };
    return storage.transact<Refs, A>(all, (found) => {
      const { answer, put, remove, create, events } = decide(found as Found<R>);
      const { records } = createMessages(events, receivers, at);
      const messages = records.map((message) => [`message ${message.messageId}`, message] as const);
      return {
        answer,
        put: { ...put, ...Object.fromEntries<Item>(messages) },
        remove: remove?.map(String),
        create,
      };
    });
  }

  const webhooks = listEnabled(storage);
  return webhooks instanceof Promise ? webhooks.then(transact) : transact(webhooks);
}

/** The means of a change, and one to tell webhooks of it. */
export interface EventfulTools extends ChangeTools {
  /** Creates a message for each webhook that subscribes to the event; at most once a type. */
  tell(event: WebhookEvent): void;
}

/** Like {@linkcode change}; the same step creates the messages that its steps tell of. */
export async function changeWithEvents<A>(
  storage: Storage,
  steps: (tools: EventfulTools) => Reading<A>,
  { types, at }: {
    /** The types of events that the steps may tell of. */
    readonly types: readonly EventType[];
    /** The time of the events (RFC 3339, UTC, milliseconds). */
    readonly at: string;
  },
): Promise<A> {
  const receivers = receiversOf(await listEnabled(storage), types);
  return await change<A>(storage, function* (tools) {
    const events: WebhookEvent[] = [];
    const result = yield* steps({ ...tools, tell: (event) => void events.push(event) });
    const { records, isTooLarge } = createMessages(events, receivers, at);
    if (!isTooLarge) {
      for (const message of records) tools.create(WEBHOOK_MESSAGES, message);
      return result;
    }
    // Records that are read first may be of any size.
    yield* all(...records.map(({ messageId }) => tools.read(WEBHOOK_MESSAGES, messageId)));
    for (const message of records) tools.put(WEBHOOK_MESSAGES, message);
    return result;
  });
}

/** Creates a message for each event and receiver; tells whether their total size is too large. */
function createMessages(
  events: EventfulDecision<Refs, unknown>["events"] = [],
  receivers: readonly Receiver[],
  at: string,
): { readonly records: readonly WebhookMessage[]; readonly isTooLarge: boolean } {
  const records: WebhookMessage[] = [];
  let bytes = 0;
  for (const event of typeof events === "function" ? events() : events) {
    const messages = receivers.filter(({ type }) => type === event.type)
      .map((receiver) => createMessage(receiver, event, at));
    if (messages.length === 0) continue;
    // Messages of one event differ only in their identifiers, which have equal lengths.
    bytes += messages.length * encoder.encode(JSON.stringify(messages[0])).length;
    records.push(...messages);
  }
  return { records, isTooLarge: bytes > MAX_CREATED_BYTES };
}

/** A webhook that subscribes to a type of events, and the id of its message. */
interface Receiver extends Pick<WebhookMessage, "webhookId" | "messageId"> {
  readonly type: EventType;
}

/** Lists the webhooks that subscribe to each type, with new ids for their messages. */
function receiversOf(
  webhooks: WebhookList["enabled"],
  types: readonly EventType[],
): readonly Receiver[] {
  return webhooks.flatMap(({ webhookId, types: wanted }) =>
    types.filter((type) => wanted.includes(type))
      .map((type) => ({ type, webhookId, messageId: generateMessageId() }))
  );
}

/**
 * Returns the event types of each enabled webhook, including every acknowledged change. Returns
 * them synchronously if this process alone uses the storage and has read them before.
 */
export function listEnabled(
  storage: Storage,
): WebhookList["enabled"] | Promise<WebhookList["enabled"]> {
  const found = readWebhookList(storage);
  return found instanceof Promise ? found.then(enabledOf) : enabledOf(found);
}

function enabledOf({ list }: ReadList): WebhookList["enabled"] {
  return list?.enabled ?? [];
}
