import * as http from "node:http";
import * as https from "node:https";
import { isIP } from "node:net";
import { isPublicAddress } from "../../model/webhooks/public_address.ts";
import { Refusal } from "../../model/values/refusal.ts";
import { parseRetryAfter, type WebhookOutcome } from "../../model/webhooks/webhook_retry.ts";
import { isAllowed, parseWebhookUrl } from "../../model/webhooks/webhook_url.ts";
import { lookupBy, type Resolve, type ResolvedAddress, resolveName } from "../resolver.ts";

/** Options of {@linkcode createWebhookPoster}. */
export interface WebhookPosterOptions {
  /** Hosts and ports that need not be public, as returned by `parseWebhookAllow`. Default: none. */
  readonly allow?: readonly string[];
  /** The limit for DNS, connection, TLS, request and response together. Default: 15 s. */
  readonly timeoutMs?: number;
  /** Resolves a host name. Default: the resolver of this process. */
  readonly lookup?: Resolve;
  /** The certificate authorities to trust (PEM). Default: those of the runtime. */
  readonly ca?: string;
  /** Returns the milliseconds since 1970, to compare with a date in `Retry-After`. */
  readonly now?: () => number;
}

/** Posts messages to webhooks, and fetches URLs under the same checks. */
export interface WebhookPoster {
  /**
   * Posts a body to a URL. Never rejects, follows no redirect (its status is the outcome) and reads
   * no response body.
   */
  post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: Uint8Array,
  ): Promise<WebhookOutcome>;
  /** Fetches a URL under the same rules as `post`; the status is the outcome. */
  get(url: string): Promise<WebhookOutcome>;
  /** Aborts requests in flight, and refuses later ones. */
  close(): void;
}

const MAX_INTERIM = 5;
const STOPPED = "the sender has stopped";

/**
 * Creates a poster for webhooks. It sends nothing unless every address of the host is public, and
 * connects to one of these addresses even if the host resolves to another one later.
 */
export function createWebhookPoster(options: WebhookPosterOptions = {}): WebhookPoster {
  const { allow = [], timeoutMs = 15_000, lookup = resolveName, ca, now = Date.now } = options;
  const inFlight = new Set<(problem: string) => void>();
  let isClosed = false;

  function exchange(
    url: URL,
    headers: http.OutgoingHttpHeaders,
    body: Uint8Array | undefined,
  ): Promise<WebhookOutcome> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => fail(`no response within ${timeoutMs / 1_000} s`), timeoutMs);
      let request: http.ClientRequest | undefined;
      function end(outcome: WebhookOutcome): void {
        clearTimeout(timer);
        inFlight.delete(fail);
        request?.destroy();
        resolve(outcome);
      }
      function fail(problem: string): void {
        end({ problem });
      }
      function failConnection(error?: unknown): void {
        fail(`the connection failed${codeOf(error)}`);
      }
      function send(addresses: readonly ResolvedAddress[]): void {
        if (!inFlight.has(fail)) return;
        if (!isAllowed(url, allow) && !addresses.every(({ address }) => isPublicAddress(address))) {
          return fail("the host has an address that is not public");
        }
        const { Agent, request: start } = url.protocol === "https:" ? https : http;
        // The agent takes `lookup`, because requests on Deno 2.6 do not.
        const agent = new Agent({ lookup: lookupBy(() => Promise.resolve(addresses)), ca });
        request = start(url, { method: body ? "POST" : "GET", agent, headers });
        for (const event of ["error", "close"]) request.on(event, failConnection);
        // A server may send 1xx responses without end (RFC 9110, section 15.2).
        let interim = 0;
        request.on("information", () => {
          if (++interim > MAX_INTERIM) fail(`it sent more than ${MAX_INTERIM} interim responses`);
        });
        request.on("response", read);
        request.end(body);
      }
      function read(response: http.IncomingMessage): void {
        // Only the status counts; a body could be endless, or never come.
        response.destroy();
        const retryAfterMs = parseRetryAfter(response.headers["retry-after"] ?? "", now());
        end({
          status: response.statusCode!,
          ...retryAfterMs !== undefined && { retryAfterMs },
        });
      }
      inFlight.add(fail);
      resolveHost(url)
        .then(send, (error) => fail(`the host cannot be resolved${codeOf(error)}`))
        .catch(failConnection);
    });
  }

  async function resolveHost({ hostname }: URL): Promise<readonly ResolvedAddress[]> {
    const host = hostname.replace(/^\[|\]$/g, "");
    return isIP(host) ? [{ address: host, family: isIP(host) }] : await lookup(host);
  }

  async function send(
    text: string,
    headers: http.OutgoingHttpHeaders,
    body?: Uint8Array,
  ): Promise<WebhookOutcome> {
    const refused = parseWebhookUrl(text, allow);
    if (refused instanceof Refusal) return { problem: `the URL ${refused.detail}` };
    if (isClosed) return { problem: STOPPED };
    return await exchange(new URL(text), headers, body);
  }

  return {
    post: (url, headers, body) =>
      send(url, { ...headers, "content-length": String(body.length) }, body),
    get: (url) => send(url, { "user-agent": "boardcast" }),
    close() {
      isClosed = true;
      for (const fail of inFlight) fail(STOPPED);
    },
  };
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? ` (${error.code})` : "";
}
