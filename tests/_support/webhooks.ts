import { Webhook as Verifier } from "standardwebhooks";
import type { HeldLease } from "../../delivery/loop.ts";
import { createUpkeepChannel } from "../../delivery/upkeep.ts";
import { createWebhookChannel } from "../../delivery/webhooks/channel.ts";
import { openMemoryStorage } from "../../mod.ts";
import type { ShownWebhook } from "../../model/webhooks/webhook.ts";
import type { ShownMessage } from "../../model/webhooks/webhook_message.ts";
import type { WebhookOutcome } from "../../model/webhooks/webhook_retry.ts";
import { storeOf } from "../../services/store.ts";
import { createService, readJson, START, type TestService } from "./service.ts";

/** The path of all webhooks. */
export const WEBHOOKS = "/api/v1/webhooks";
/** The URL of webhooks under test; no test connects to it. */
export const ENDPOINT = "https://hooks.example.com/in";

/** A new webhook with its secret. */
export type NewWebhook = ShownWebhook & { readonly secret: string };

/** A posted message. */
export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The time of the attempt, in milliseconds since 1970. */
  readonly atMs: number;
  readonly text: string;
  readonly message: { readonly type: string; readonly timestamp: string; readonly data: unknown };
}

/** A service in memory whose endpoints follow a script. */
export type WebhookService = ReturnType<typeof createWebhookService>;

/** Creates a service. `answer` returns the response of an endpoint. Default: 204. */
export function createWebhookService(
  answer: (post: Post) => WebhookOutcome | Promise<WebhookOutcome> = () => ({ status: 204 }),
) {
  const storage = openMemoryStorage();
  let nowMs = Date.parse(START);
  const clock = () => nowMs;
  const service = createService({ storage, clock, publicUrl: "https://example.com" });
  const posts: Post[] = [];
  const stopping = new AbortController();
  const lease: HeldLease = {
    token: 1,
    transact: storeOf(storage).transact,
    signal: stopping.signal,
    isOn: () => !stopping.signal.aborted,
  };
  const fakeClock = {
    now: clock,
    elapsed: clock,
    sleep: (_durationMs: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve())),
  };
  const upkeep = createUpkeepChannel({
    storage,
    clock: fakeClock,
    voteRetentionMs: false,
    onError: (error) => {
      throw error;
    },
  });
  const channel = createWebhookChannel({
    storage,
    publicUrl: "https://example.com",
    post(url, headers, body) {
      const text = new TextDecoder().decode(body);
      const post = { url, headers, atMs: nowMs, text, message: JSON.parse(text) };
      posts.push(post);
      return Promise.resolve(answer(post));
    },
    clock: fakeClock,
    random: () => 0.5,
    onEvent: () => {},
    pollMs: 1_000,
  });

  return {
    ...service,
    /** The posted messages, in order. */
    posts,
    channel,
    /** The lease under which messages are sent. */
    lease,
    advance: (durationMs: number) => void (nowMs += durationMs),
    /** Stops the sender. */
    stop: () => stopping.abort(),
    async create(json: Record<string, unknown> = {}) {
      const response = await service.send("POST", WEBHOOKS, { json: { url: ENDPOINT, ...json } });
      return await readJson<NewWebhook>(response, 201);
    },
    /** Sends messages until none is due, and does regular work; returns those that were posted. */
    async deliver() {
      const first = posts.length;
      for (const one of [channel, upkeep]) if (await one.isDue()) await one.run(lease);
      return posts.slice(first);
    },
    async messages(webhookId: string) {
      const response = await service.send("GET", `${WEBHOOKS}/${webhookId}/messages?limit=100`);
      return (await readJson<{ data: ShownMessage[] }>(response)).data;
    },
    async webhook(webhookId: string) {
      return await readJson<ShownWebhook>(await service.send("GET", `${WEBHOOKS}/${webhookId}`));
    },
  };
}

/** Subscribes or unsubscribes an address. */
export async function subscribe(
  { send }: Pick<TestService, "send">,
  userEmail: string,
  subscribed = true,
): Promise<void> {
  const form = { userEmail, subscribe: `${subscribed}` };
  await readJson(await send("PUT", "/api/v1/changelogs/subscribe", { form }));
}

/** Tells whether a post is correctly signed with a secret at its time. */
export function isSignedWith(secret: string, { atMs, headers, text }: Post): boolean {
  const { now } = Date;
  Date.now = () => atMs;
  try {
    new Verifier(secret).verify(text, { ...headers });
    return true;
  } catch (error) {
    if (String(error).includes("No matching signature")) return false;
    throw error;
  } finally {
    Date.now = now;
  }
}
