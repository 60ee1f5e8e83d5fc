import type { Mail } from "../../delivery/mail/mailer.ts";
import { createWorker, openMemoryStorage, type Storage } from "../../mod.ts";
import type { WorkerEvent, WorkerOptions } from "../../mod.ts";
import { createService, START } from "./service.ts";
import { until } from "./waiting.ts";

export const PUBLIC_URL = "https://updates.example/feedback";
/** An address that signs up. */
export const ANN = "ann@example.com";

/** A service with sign-up, and the mails that it sends. */
export type SignUpService = ReturnType<typeof startSignUps>;

/** Starts a service with sign-up. */
export function startSignUps(
  { storage = openMemoryStorage(), nowMs, ...options }:
    & Partial<Omit<WorkerOptions, "clock">>
    & { readonly storage?: Storage; readonly nowMs?: () => number } = {},
) {
  const mails: Mail[] = [];
  const events: WorkerEvent[] = [];
  let now = Date.parse(START);
  const clock = nowMs ?? (() => now);
  const worker = createWorker({
    ...{ storage, publicUrl: PUBLIC_URL, from: "Acme <news@acme.example>", clock },
    log: (event) => void events.push(event),
    mailer: {
      send: (mail) => Promise.resolve(mails.push(mail)).then(() => ({ state: "sent" })),
      close: () => Promise.resolve(),
    },
    ...options,
  });
  const service = createService({
    ...{ storage, worker, publicUrl: PUBLIC_URL, signUp: true, clock },
    voteRetentionMs: options.voteRetentionMs,
    // The worker sends nothing to this address.
    webhookAllow: ["localhost:9"],
  });

  function post(form: Readonly<Record<string, string>>): Promise<Response> {
    return service.send("POST", "/subscribe", { key: null, form });
  }
  return {
    ...service,
    worker,
    mails,
    events,
    advance: (durationMs: number) => now += durationMs,
    /** Sends the form. */
    post,
    /** Signs up, and returns the path of the link in the mail. */
    async signUp(userEmail = ANN, rest: Readonly<Record<string, string>> = {}): Promise<string> {
      const count = mails.length;
      await (await post({ userEmail, ...rest })).body?.cancel();
      await until(() => mails.length > count);
      return linkOf(mails.at(-1)!);
    },
    /** Follows a link. `POST` stands for pressing the button. */
    async follow(path: string, method = "POST"): Promise<{ status: number; text: string }> {
      const response = await service.send(method, path, { key: null });
      return { status: response.status, text: await response.text() };
    },
    /** Returns `404` or the state and source of a subscriber. */
    async read(userEmail = ANN): Promise<string> {
      const response = await service.send("GET", `changelogs/subscribers/${userEmail}`);
      if (!response.ok) return `${response.status}`;
      const { subscribed, source, userName } = await response.json();
      return `${subscribed} ${source} ${userName}`;
    },
    [Symbol.asyncDispose]: () => worker.close(),
  };
}

/** Returns the path of the link in a mail. */
export function linkOf({ text }: Pick<Mail, "text">): string {
  const [url] = /https:\/\/updates\.example\S+/.exec(text) ?? [""];
  return url.slice(PUBLIC_URL.length);
}
