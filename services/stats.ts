import type { Storage } from "../adapters/storage.ts";
import { showDelivery, type ShownDelivery } from "../model/deliveries/delivery.ts";
import { isObstructed, waitingSince } from "../model/deliveries/delivery_steps.ts";
import {
  DELIVERIES,
  ENTRIES,
  MEMBERS,
  POSTS,
  SETTINGS,
  SUBSCRIPTIONS,
  WEBHOOKS,
} from "../model/kinds.ts";
import { grantsScope, type Scope } from "../model/keys/api_key.ts";
import {
  type FailingWebhook,
  findAttention,
  type Findings,
  type MailWaiting,
  type Stats,
  type TitledDelivery,
} from "../model/stats.ts";
import { getFailedAlerts } from "./alerts.ts";
import { MAX_WEBHOOKS, type Webhook } from "../model/webhooks/webhook.ts";
import { listNotable } from "./deliveries/deliveries.ts";
import { countAudience } from "./deliveries/recipients.ts";
import { countScheduled } from "./entries/entries.ts";
import { listEnabled } from "./webhooks/events.ts";
import { getImageTotals } from "./images/images.ts";
import { findPost } from "./posts/posts.ts";
import { droppedFormsOf, FORM_MAIL_COUNT } from "./proof/rate.ts";
import { countPosts } from "./posts/stats.ts";
import { countRecords } from "./records.ts";
import { sharedOf } from "./shared.ts";
import { UPKEEP_FAILURE } from "./upkeep.ts";
import { listDueMessages } from "./webhooks/queue.ts";

const SHOWN_DELIVERIES = 10;
const DUE_DELIVERIES = 100;
const MAX_NAMING_ERASED = 100;

/** Facts for statistics that storage does not hold. */
export interface StatsOptions {
  /** Whether this process has a worker. */
  readonly hasWorker: boolean;
  readonly hasMail: boolean;
  /** The public address of the service. */
  readonly publicUrl?: string | undefined;
  /** The labels of an entry whose audience is to be counted; `undefined`: no count. */
  readonly labels: readonly string[] | undefined;
  /** The scopes of the caller, who learns nothing of posts and entries without those that read. */
  readonly scopes: readonly Scope[];
  /** Tells whether the client has disconnected. */
  readonly isGone: () => boolean;
}

/** Returns the statistics of the service at a time (RFC 3339, UTC, milliseconds). */
export async function readStats(
  storage: Storage,
  { hasWorker, hasMail, publicUrl, labels, scopes, isGone }: StatsOptions,
  now: string,
): Promise<Stats> {
  const [found, members, audience, entries, posts, isWritable] = await Promise.all([
    readFindings(storage, now),
    countRecords(storage, MEMBERS, "byAddress"),
    labels === undefined ? null : countAudience(storage, labels, { isGone }),
    countEntries(storage, now),
    countPosts(storage, { now, isGone }),
    storage.ping().then(() => true, () => false),
  ]);
  const { at, subscribers, forms, images, deliveries, webhooks, mail, messageWaitingSeconds } =
    found;
  const mayReadPosts = grantsScope(scopes, "posts:read");
  const isNamed = ({ postId }: ShownDelivery) =>
    grantsScope(scopes, "entries:read") && (postId === null || mayReadPosts);
  const obstructed = deliveries.find(isObstructed);
  return {
    at,
    subscribers,
    audience,
    entries,
    posts,
    forms,
    images,
    deliveries: await Promise.all(
      deliveries.filter(isNamed).map((delivery) => addTitle(storage, delivery)),
    ),
    webhooks,
    storage: { writable: isWritable },
    worker: { running: hasWorker, mailWaitingSeconds: mail.oldestSeconds, messageWaitingSeconds },
    relay: { configured: hasMail, problem: obstructed?.problem ?? null },
    team: { members, providerProblem: sharedOf(storage).providerProblem ?? null },
    publicUrl: publicUrl ?? null,
    namesErased: mayReadPosts ? await listNamingErased(storage) : [],
    attention: findAttention({ ...found, isWritable, isNamed }),
  };
}

async function listNamingErased(storage: Storage): Promise<readonly string[]> {
  const posts = await storage.list(POSTS, { index: "namingErased", limit: MAX_NAMING_ERASED });
  return posts.map(({ postId }) => postId);
}

async function addTitle(storage: Storage, delivery: ShownDelivery): Promise<TitledDelivery> {
  const { entryId, postId } = delivery;
  const entry = entryId === null ? undefined : await storage.get(ENTRIES, entryId);
  const found = postId === null ? undefined : await findPost(storage, { postId });
  const title = entry?.title ?? found?.post.title ?? null;
  return { ...delivery, title, boardId: found?.board.boardId ?? null };
}

/** Returns the findings that take few reads, independently of the number of records. */
export async function readFindings(storage: Storage, now: string): Promise<Findings> {
  const [
    subscribers,
    formCount,
    upkeep,
    images,
    deliveries,
    webhooks,
    mail,
    messageWaitingSeconds,
    alerts,
  ] = await Promise.all([
    countSubscribers(storage),
    storage.get(SETTINGS, FORM_MAIL_COUNT),
    storage.get(SETTINGS, UPKEEP_FAILURE),
    getImageTotals(storage),
    listNotable(storage, SHOWN_DELIVERIES),
    storage.list(WEBHOOKS, { limit: MAX_WEBHOOKS }),
    readMailWaiting(storage, now),
    readMessageWaiting(storage, now),
    getFailedAlerts(storage),
  ]);
  return {
    at: now,
    subscribers,
    forms: { dropped: droppedFormsOf(formCount, now) },
    upkeepFailure: upkeep?.value,
    images,
    deliveries: deliveries.map(showDelivery),
    webhooks: webhooks.filter(isFailing).map(showFailing),
    mail,
    alertsProblem: alerts?.problem,
    messageWaitingSeconds,
  };
}

/** Counts the subscribers by state. */
async function countSubscribers(storage: Storage): Promise<Stats["subscribers"]> {
  const [subscribed, unsubscribed] = await Promise.all([
    countRecords(storage, SUBSCRIPTIONS, "subscribed"),
    countRecords(storage, SUBSCRIPTIONS, "unsubscribed"),
  ]);
  return { subscribed, unsubscribed };
}

async function countEntries(storage: Storage, now: string): Promise<Stats["entries"]> {
  const [all, draft, scheduled] = await Promise.all([
    countRecords(storage, ENTRIES, "byAge"),
    countRecords(storage, ENTRIES, "drafts"),
    countScheduled(storage, now),
  ]);
  return { draft, scheduled, published: Math.max(0, all - draft - scheduled) };
}

/** Returns how long mail has waited at a time (RFC 3339, UTC, milliseconds). */
async function readMailWaiting(storage: Storage, now: string): Promise<MailWaiting> {
  const found = await storage.list(DELIVERIES, { index: "byNext", limit: DUE_DELIVERIES });
  const waits = found.filter(({ nextAt }) => nextAt !== null && nextAt <= now)
    .map((delivery) => secondsBetween(waitingSince(delivery), now));
  if (waits.length === 0) return { oldestSeconds: 0, stalledSeconds: 0 };
  return { oldestSeconds: Math.max(...waits), stalledSeconds: Math.min(...waits) };
}

/** Returns how many seconds ago the longest waiting message to a webhook became due. */
async function readMessageWaiting(storage: Storage, now: string): Promise<number> {
  const waits = (await listEnabled(storage)).map(async ({ webhookId }) => {
    const due = await listDueMessages(storage, webhookId, { now, limit: 1 });
    return Math.max(0, ...due.map(({ nextAttemptAt }) => secondsBetween(nextAttemptAt!, now)));
  });
  return Math.max(0, ...await Promise.all(waits));
}

/** Returns whole seconds, at least 0: the process that stored a time may have another clock. */
function secondsBetween(from: string, to: string): number {
  return Math.max(0, Math.floor((Date.parse(to) - Date.parse(from)) / 1_000));
}

function isFailing({ failingSince, disabledAt }: Webhook): boolean {
  return failingSince !== null || disabledAt !== null;
}

function showFailing(
  { webhookId, url, enabled, failingSince, disabledAt, problem }: Webhook,
): FailingWebhook {
  const { host } = new URL(url);
  return { webhookId, host, enabled, failingSince, disabledAt, problem };
}
