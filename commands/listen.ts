import { sleep } from "../delivery/worker.ts";
import { randomText } from "../model/crypto/random.ts";
import { EVENT_TYPES } from "../model/webhooks/webhook_event.ts";
import { signWebhook } from "../model/webhooks/webhook_signature.ts";
import { CLIENT_OPTIONS, withApi } from "./api/client.ts";
import type { Command, Invocation } from "./shell/command.ts";
import { type Option, option, UsageError } from "./shell/options.ts";
import { type SendRequest, withQuery } from "./api/request.ts";
import { interruptible } from "./serve/signals.ts";

/** What the API shows of a message. */
interface Message {
  readonly messageId: string;
  readonly type: string;
  readonly body: string;
  readonly createdAt: string;
}

/** A webhook of the command's own. */
interface OwnWebhook {
  readonly webhookId: string;
  readonly secret: string;
  readonly url: string;
  readonly createdAt: string;
}

// Such a name never resolves (RFC 2606, section 2): the server keeps the messages, and delivers none.
const HOST_SUFFIX = ".listen.invalid";
const POLL_MS = 500;
const ANSWER_MS = 15_000;
const LEFT_OVER_MS = 24 * 3_600_000;
const PAGE_SIZE = 100;

const TYPE_OPTION: Option = option("type TYPE", "Only this type; repeat it for more.", {
  multiple: true,
  choices: EVENT_TYPES,
});

export const listenCommand: Command = {
  name: "webhooks listen",
  summary: "Forward what happens to a local URL while it runs, signed",
  options: [
    option("to URL", "Where it is posted to, like http://localhost:3000/hooks.", {
      required: true,
    }),
    TYPE_OPTION,
    ...CLIENT_OPTIONS,
  ],
  details:
    "Needs a running server, which need not reach the URL: this command asks it what happens, and posts " +
    "it as the server would, once. The webhook that it has for this is deleted when it ends.",
  example: "boardcast webhooks listen --to http://localhost:3000/hooks",
  async run(invocation) {
    const to = invocation.args.text("to") ?? "";
    if (!/^https?:\/\//.test(to) || !URL.canParse(to)) {
      throw new UsageError("--to is not a URL like http://localhost:3000/hooks");
    }
    const access = { isReading: false, mustExist: true, needsServer: true };
    await withApi(invocation, access, (send) => listen(invocation, send, to));
    return 0;
  },
};

async function listen(
  { args, terminal }: Invocation,
  send: SendRequest,
  to: string,
): Promise<void> {
  await removeLeftOvers(send);
  const types = args.texts("type").join(" ") || undefined;
  const url = `https://${randomText(12).toLowerCase()}${HOST_SUFFIX}/`;
  const created = await send({ method: "POST", path: "/webhooks", body: { url, types } });
  const webhook: OwnWebhook = await created.json();
  const path = `/webhooks/${webhook.webhookId}`;
  const stopping = new AbortController();
  try {
    await interruptible(stopping, async () => {
      terminal.err(`Forwarding to ${to}, signed with ${webhook.secret}\n`);
      for await (const message of readNew(send, `${path}/messages`, stopping.signal)) {
        terminal.out(
          `${message.createdAt} ${message.type} ${await forward(webhook, message, to)}\n`,
        );
      }
    });
  } finally {
    await send({ method: "DELETE", path });
  }
}

/** Removes webhooks of commands that were killed; the server may have only few. */
async function removeLeftOvers(send: SendRequest): Promise<void> {
  const response = await send({
    method: "GET",
    path: withQuery("/webhooks", { limit: PAGE_SIZE }),
  });
  const { data }: { data: readonly OwnWebhook[] } = await response.json();
  for (const { webhookId, url, createdAt } of data) {
    const isLeftOver = new URL(url).hostname.endsWith(HOST_SUFFIX) &&
      Date.now() - Date.parse(createdAt) > LEFT_OVER_MS;
    if (isLeftOver) await send({ method: "DELETE", path: `/webhooks/${webhookId}` });
  }
}

/** Reads the messages of a webhook as they come, oldest first, until the signal is aborted. */
async function* readNew(
  send: SendRequest,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<Message> {
  const seen = new Set<string>();
  while (!signal.aborted) {
    const found: Message[] = [];
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const query = { limit: PAGE_SIZE, ...cursor && { cursor } };
      const page: { data: readonly Message[]; nextCursor: string | null } =
        await (await send({ method: "GET", path: withQuery(path, query) })).json();
      const fresh = page.data.filter(({ messageId }) => !seen.has(messageId));
      for (const { messageId } of fresh) seen.add(messageId);
      found.push(...fresh);
      cursor = fresh.length === PAGE_SIZE ? page.nextCursor : null;
    }
    yield* found.reverse();
    await sleep(POLL_MS, signal);
  }
}

/** Posts a message as the server would; returns what came of it, for people. */
async function forward(webhook: OwnWebhook, message: Message, to: string): Promise<string> {
  const body = new TextEncoder().encode(message.body);
  const id = message.messageId;
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  const startedMs = performance.now();
  try {
    const response = await fetch(to, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": "boardcast",
        "webhook-id": id,
        "webhook-timestamp": `${timestampSeconds}`,
        "webhook-signature": await signWebhook([webhook.secret], { id, timestampSeconds, body }),
      },
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    await response.body?.cancel();
    return `${response.status} in ${Math.round(performance.now() - startedMs)} ms`;
  } catch (error) {
    return `failed: ${(error as Error).message}`;
  }
}
