import { assertEquals } from "@std/assert";
import type { HandlerOptions } from "../../../mod.ts";
import type { BounceSummary } from "../../../services/bounces.ts";
import { createService, JSON_TYPE, readJson, START, type TestService } from "../service.ts";

/** The public URL of the service. */
export const PUBLIC_URL = "https://example.com/feedback";
/** Where the address is shown. */
export const ADDRESS = "changelogs/bounces";
/** A subscribed person. */
export const ANN = "ann@example.com";
/** A day, in milliseconds. */
export const DAY_MS = 86_400_000;

/** Creates a service with some subscribers, and functions that post events to it. */
export async function startBouncing(
  people: readonly string[] = [],
  options: Pick<HandlerOptions, "storage"> | undefined = undefined,
) {
  const service = createService({ publicUrl: PUBLIC_URL, ...options });
  const { path } = await service.call<{ path: string }>("GET", ADDRESS);
  for (const userEmail of people) await subscribe(service, userEmail);
  let nowMs = Date.parse(START);
  return {
    ...service,
    /** The path to which events are posted. */
    path,
    advance(durationMs: number) {
      nowMs += durationMs;
      service.advance(durationMs);
    },
    /** Posts events as JSON; returns how many were unsubscribed, counted and ignored. */
    async post(...events: readonly unknown[]): Promise<string> {
      const body = JSON.stringify(events.length === 1 ? events[0] : events);
      const sent = { key: null, body, headers: { "content-type": JSON_TYPE } };
      const { read, unsubscribed, counted, ignored } = await readJson<BounceSummary>(
        await service.send("POST", path, sent),
      );
      assertEquals(read, unsubscribed + counted + ignored);
      return `${unsubscribed} ${counted} ${ignored}`;
    },
    /** Returns an event of Postmark from some time ago. */
    event(Type: string, { email = ANN, agoMs = 0, id = "" } = {}) {
      const BouncedAt = new Date(nowMs - agoMs).toISOString();
      return { RecordType: "Bounce", Type, Email: email, BouncedAt, Details: id };
    },
    /** Returns whether a person is subscribed, and the source of that state. */
    async state(userEmail = ANN): Promise<string> {
      const response = await service.send("GET", `changelogs/subscribers/${userEmail}`);
      if (response.status === 404) return "unknown";
      const { subscribed, source } = await response.json();
      return `${subscribed} ${source}`;
    },
  };
}

/** Subscribes somebody. */
export async function subscribe(
  { call }: Pick<TestService, "call">,
  userEmail: string,
): Promise<void> {
  await call("PUT", "changelogs/subscribe", { userEmail, subscribe: true });
}
