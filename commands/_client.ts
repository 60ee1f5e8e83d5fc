import { createHandler, type Handler, type Storage } from "../mod.ts";
import { randomText } from "../model/random.ts";
import type { Invocation } from "./_command.ts";
import { type Option, UsageError } from "./_options.ts";
import { findServer, LASTING_STORAGE_OPTIONS, NO_MIGRATE_OPTION } from "./_storage.ts";

/** The flags of a command that calls the API. */
export const CLIENT_OPTIONS: readonly Option[] = [
  ...LASTING_STORAGE_OPTIONS,
  {
    name: "server",
    value: "URL",
    variable: "BOARDCAST_SERVER",
    description: "Call this server instead, with the API key in BOARDCAST_KEY.",
  },
];

const KEY_VARIABLE = "BOARDCAST_KEY";
// Nobody waits for an answer within seconds, and an import should outlast a database that stalls.
const STORAGE_TIMEOUT_MS = 10_000;
// A list that comes to this process may pause for as long as it likes.
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** What the API answered. */
export type Answer = Readonly<Record<string, unknown>>;

/** A call of the API, with its fields. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path below `/api/v1`. */
  readonly path: string;
  readonly fields: Answer;
}

/** A request to the API. */
export interface ApiRequest {
  readonly method: Call["method"];
  /** The path below `/api/v1`, with its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Fields, or content whose type is in the headers. */
  readonly body?: Answer | ReadableStream<Uint8Array>;
}

/** Sends a request and returns the response. Throws a {@linkcode RequestError} for a problem. */
export type SendRequest = (request: ApiRequest) => Promise<Response>;

/** A problem that the API answered. */
export class RequestError extends Error {
  /** Always `RequestError`. */
  override readonly name = "RequestError";
  /** The stable code. */
  readonly code: string;
  /** What is wrong with fields of the request. */
  readonly errors: readonly { readonly field: string; readonly detail: string }[];

  /** Creates the error of the content of a problem. */
  constructor({ code, detail, errors = [] }: {
    readonly code: string;
    readonly detail: string;
    readonly errors?: RequestError["errors"];
  }) {
    super(code === "invalid_token" ? `${detail} (it is in ${KEY_VARIABLE})` : detail);
    this.code = code;
    this.errors = errors;
  }
}

/** What a command does to storage. */
export interface Access {
  /** Whether there must be data already. */
  readonly mustExist: boolean;
  /** Whether nothing is changed. */
  readonly isReading: boolean;
}

/**
 * Opens the API for the time of a function: of the server that is named, of the one that holds the
 * data folder, or of a handler in this process.
 */
export async function withApi<T>(
  invocation: Invocation,
  { mustExist, isReading }: Access,
  use: (send: SendRequest) => Promise<T>,
): Promise<T> {
  const { given, terminal, openStorage } = invocation;
  const server = await chooseServer(invocation);
  if (server !== undefined) return await use(createSender(server, fetchFrom(server)));
  const storage = await openStorage(readStorageUrl(invocation), {
    mustExist,
    mayMigrate: !isReading && !given.flag(NO_MIGRATE_OPTION.name),
    timeoutMs: STORAGE_TIMEOUT_MS,
    onWarning: (message) => terminal.err(`boardcast: ${message}\n`),
  });
  try {
    return await use(createOwnSender(storage));
  } finally {
    await storage.close();
  }
}

/** Adds fields to a path as its query. */
export function withQuery(path: string, fields: Answer): string {
  const texts = Object.entries(fields).map(([name, value]) => [name, String(value)]);
  return texts.length === 0 ? path : `${path}?${new URLSearchParams(texts)}`;
}

/** A server and the key for it. */
interface Server {
  readonly url: string;
  readonly key: string;
}

async function chooseServer(invocation: Invocation): Promise<Server | undefined> {
  const { given, environment } = invocation;
  const isStorageNamed = given.flag("storage");
  if (isStorageNamed && given.flag("server")) {
    throw new UsageError("--storage and --server exclude each other");
  }
  const named = isStorageNamed ? undefined : given.text("server");
  if (named !== undefined && !isServerUrl(named)) {
    throw new UsageError("--server is not a URL like https://example.com, without user and query");
  }
  const url = named ?? await findServer(readStorageUrl(invocation));
  if (url === undefined) return undefined;
  const key = environment(KEY_VARIABLE);
  if (key !== undefined) return { url: url.replace(/\/$/, ""), key };
  throw named === undefined
    ? new Error(`${url} holds the data folder: put an API key for it into ${KEY_VARIABLE}`)
    : new UsageError(`--server needs an API key in ${KEY_VARIABLE}`);
}

function readStorageUrl({ given }: Invocation): string {
  const url = given.text("storage") ?? "";
  if (url !== "memory") return url;
  throw new UsageError(
    "--storage memory does not outlive the command; give file:DIR or postgres://…",
  );
}

function isServerUrl(text: string): boolean {
  return /^https?:\/\/[^@?#]+$/.test(text) && URL.canParse(text);
}

function fetchFrom({ url }: Server): Handler {
  return (request) =>
    fetch(request).catch((cause) => {
      throw new Error(`cannot reach ${url}: ${cause.cause?.message ?? cause.message}`, { cause });
    });
}

/** Sends requests to a handler in this process, and throws what went wrong in it. */
function createOwnSender(storage: Storage): SendRequest {
  const key = randomText(40);
  let failure: unknown;
  const handler = createHandler({
    storage,
    operatorKey: key,
    rateLimit: false,
    bodyTimeoutMs: NO_TIMEOUT_MS,
    log: ({ error }) => failure = error,
  });
  const send = createSender({ url: "http://localhost", key }, handler);
  return (request) =>
    send(request).catch((error) => {
      throw failure ?? error;
    });
}

function createSender({ url, key }: Server, handler: Handler): SendRequest {
  return async ({ method, path, headers, body }) => {
    const isStream = body instanceof ReadableStream;
    const type = body === undefined || isStream
      ? undefined
      : { "Content-Type": "application/json" };
    const response = await handler(
      new Request(`${url}/api/v1${path}`, {
        method,
        headers: { Authorization: `Bearer ${key}`, ...type, ...headers },
        body: isStream ? body : body && JSON.stringify(body),
        // The key is for this server alone.
        redirect: "manual",
      }),
    );
    if (response.ok) return response;
    const isProblem = response.headers.get("content-type") === "application/problem+json";
    if (isProblem) throw new RequestError(await response.json());
    await response.body?.cancel();
    throw new Error(
      `${url} answered ${response.status}, unlike Boardcast: is it the right address?`,
    );
  };
}
