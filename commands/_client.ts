import { createHandler, type Handler, type Storage } from "../mod.ts";
import { randomText } from "../model/random.ts";
import type { Invocation } from "./_command.ts";
import { type Option, UsageError } from "./_options.ts";
import { findHolder, LASTING_STORAGE_OPTIONS, NO_MIGRATE_OPTION } from "./_storage.ts";

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
// Who reads from this process may take their time.
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** A request to the API. */
export interface ApiRequest {
  readonly method: string;
  /** The path below `/api/v1`, percent-encoded, with its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A set of fields, or content with a type of its own. */
  readonly body?: Readonly<Record<string, unknown>> | ReadableStream<Uint8Array>;
}

/** Sends a request and returns the response. Throws {@linkcode RequestError} for a problem. */
export type SendRequest = (request: ApiRequest) => Promise<Response>;

/** What is wrong with one field of a request. */
export interface FieldError {
  readonly field: string;
  readonly detail: string;
}

/** A problem that the API answered. */
export class RequestError extends Error {
  /** Always `RequestError`. */
  override readonly name = "RequestError";
  /** The stable code. */
  readonly code: string;
  /** The fields that were refused. */
  readonly errors: readonly FieldError[];

  /** Creates an error; `detail` is for people. */
  constructor(code: string, detail: string, errors: readonly FieldError[] = []) {
    super(detail);
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
  access: Access,
  use: (send: SendRequest) => Promise<T>,
): Promise<T> {
  const server = await findServer(invocation);
  if (server !== undefined) return await use(createSender(reach(server.url), server));
  const { given, terminal } = invocation;
  const storage = await invocation.openStorage(readStorageUrl(invocation), {
    mustExist: access.mustExist,
    mayMigrate: !access.isReading && !given.flag(NO_MIGRATE_OPTION.name),
    timeoutMs: STORAGE_TIMEOUT_MS,
    onWarning: (message) => terminal.err(`boardcast: ${message}\n`),
  });
  try {
    return await use(createOwnSender(storage));
  } finally {
    await storage.close();
  }
}

/** A server and the key for it. */
interface Server {
  readonly url: string;
  readonly key: string;
}

async function findServer(invocation: Invocation): Promise<Server | undefined> {
  const { given, environment } = invocation;
  const isStorageNamed = given.flag("storage");
  if (isStorageNamed && given.flag("server")) {
    throw new UsageError("--storage and --server exclude each other");
  }
  const named = isStorageNamed ? undefined : given.text("server");
  const url = named === undefined ? await findHoldingServer(invocation) : readServerUrl(named);
  if (url === undefined) return undefined;
  const key = environment(KEY_VARIABLE);
  if (key !== undefined) return { url, key };
  if (named !== undefined) throw new UsageError(`--server needs an API key in ${KEY_VARIABLE}`);
  throw new Error(
    `the server at ${url} holds the data folder: put an API key for it into ${KEY_VARIABLE}`,
  );
}

async function findHoldingServer(invocation: Invocation): Promise<string | undefined> {
  const holder = await findHolder(readStorageUrl(invocation));
  return holder?.url?.replace(/\/$/, "");
}

function readStorageUrl({ given }: Invocation): string {
  const url = given.text("storage") ?? "";
  if (url !== "memory") return url;
  throw new UsageError(
    "--storage memory does not outlive the command; give file:DIR or postgres://…",
  );
}

function readServerUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url !== undefined && /^https?:$/.test(url.protocol) &&
    url.username + url.password + url.search + url.hash === "";
  if (isPlain) return text.replace(/\/$/, "");
  throw new UsageError(
    "--server must be a URL like https://example.com, without a user or a query",
  );
}

/** Sends requests to a handler in this process, which throws what went wrong in it. */
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
  const send = createSender(handler, { url: "http://localhost", key });
  return async (request) => {
    try {
      return await send(request);
    } catch (error) {
      throw failure ?? error;
    }
  };
}

/** Sends requests over the network. */
function reach(url: string): Handler {
  return (request) =>
    fetch(request).catch((cause) => {
      throw new Error(`cannot reach ${url}: ${reasonOf(cause)}`, { cause });
    });
}

function createSender(handler: Handler, { url, key }: Server): SendRequest {
  return async ({ method, path, headers = {}, body }) => {
    const isStream = body instanceof ReadableStream;
    const response = await handler(
      new Request(`${url}/api/v1${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${key}`,
          ...(body !== undefined && !isStream && { "Content-Type": "application/json" }),
          ...headers,
        },
        body: isStream ? body : body && JSON.stringify(body),
        // The key is for this server alone.
        redirect: "manual",
      }),
    );
    if (response.ok) return response;
    throw await readProblem(response, url);
  };
}

async function readProblem(response: Response, url: string): Promise<Error> {
  const type = response.headers.get("content-type") ?? "";
  if (!type.startsWith("application/problem+json")) {
    await response.body?.cancel();
    return new Error(
      `${url} answered ${response.status}, and not like Boardcast: is it the right address?`,
    );
  }
  const { code, detail, errors }: {
    readonly code: string;
    readonly detail: string;
    readonly errors?: readonly FieldError[];
  } = await response.json();
  const remark = response.status === 401 ? ` (it is in ${KEY_VARIABLE})` : "";
  return new RequestError(code, detail + remark, errors);
}

function reasonOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) error = cause;
  return (error as Error).message;
}
