import { shortenForLog, SignInFault } from "../../model/oidc/sign_in_fault.ts";
import { type JsonObject, parseJsonObject } from "../../model/values/json_object.ts";

/** The response of a provider, below status 500 and no redirect. */
export interface ProviderResponse {
  readonly status: number;
  /** The JSON object; empty if a status other than 200 has none. */
  readonly json: JsonObject;
}

/** Sends a request to a provider. `place` names the endpoint in the fault. */
export type CallProvider = (
  place: string,
  url: string,
  init?: { readonly headers?: Readonly<Record<string, string>>; readonly body?: URLSearchParams },
) => Promise<ProviderResponse | SignInFault>;

/** The parts and limits of {@linkcode createCalls}. */
export interface CallOptions {
  /** The function that sends requests. Default: the platform's. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** The time limit of a call, in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number | undefined;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 256 * 1_024;

/** Creates the function that sends a provider requests, with limits of time and size. */
export function createCalls(
  { fetch: send = globalThis.fetch, timeoutMs = TIMEOUT_MS }: CallOptions = {},
): CallProvider {
  return async function call(place, url, { headers, body } = {}) {
    const fail = (reason: string) => new SignInFault("provider_unavailable", `${place} ${reason}`);
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const response = await send(url, {
        method: body === undefined ? "GET" : "POST",
        headers: { ...headers, accept: "application/json" },
        body,
        redirect: "manual",
        signal,
      });
      const { status } = response;
      const text = await readText(response);
      if (status >= 300 && status < 400) return fail(`answers ${status}, a redirect`);
      if (status >= 500 || status === 429) return fail(`answers ${status}`);
      if (text === undefined) return fail(`answers more than ${MAX_BYTES} bytes`);
      const json = parseJsonObject(text);
      if (json === undefined && status === 200) return fail("answers no JSON object");
      return { status, json: json ?? {} };
    } catch (error) {
      return fail(
        signal.aborted
          ? `does not answer within ${timeoutMs / 1_000} s`
          : `can't be reached: ${describeCause(error)}`,
      );
    }
  };
}

/** Returns the body; `undefined` if it is too large. */
async function readText({ body }: Response): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = "";
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** Returns the message of the first cause, which names the problem of the connection. */
function describeCause(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  return error.cause instanceof Error ? describeCause(error.cause) : shortenForLog(error.message);
}
