import type { Storage } from "../adapters/storage.ts";
import type { Scope } from "../model/api_key.ts";
import type { Caller } from "./_credentials.ts";
import type { Fields, FieldSchema, Values } from "./_fields.ts";
import type { Instant } from "./_instant.ts";
import type { TagName } from "./_openapi/guide.ts";
import type { RequestHeaderName, ResponseHeaderName } from "./_openapi/headers.ts";
import type { FieldProblem, Problem, ProblemCode } from "./_problem.ts";
import type { HandlerWorker } from "./_options.ts";
import type { Reply } from "./_reply.ts";
import type { SchemaName } from "./_openapi/schemas.ts";

/** The methods that operations have; HEAD and OPTIONS are derived. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** One answer that is no problem, described. */
export interface Success {
  readonly status: number;
  readonly description: string;
  /** The name of the schema of the content; absent for none. */
  readonly schema?: SchemaName;
  /** The media type of content that is not JSON. */
  readonly contentType?: string;
  /** The schemas of content in other media types, which a client may ask for. */
  readonly others?: Readonly<Record<string, SchemaName>>;
  /** The headers that matter to callers. */
  readonly headers?: readonly ResponseHeaderName[];
}

/** What an operation is given. */
export interface Context<B extends Fields = Fields, Q extends Fields = Fields> {
  readonly request: Request;
  readonly storage: Storage;
  /** When the request was taken up or, if the operation has a body, when the body had arrived. */
  readonly now: Instant;
  /** Who asks; where an operation has no scope, nobody was asked. */
  readonly caller: Caller;
  /** The first decoded path parameter; empty where the path has none. */
  readonly param: string;
  /** All decoded path parameters, in their order. */
  readonly params: readonly string[];
  readonly query: Values<Q>;
  readonly body: Values<B>;
  /**
   * The body of an operation with `streams`, piece by piece; throws the problem of one that ends
   * early.
   */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Tells the time, for what takes long. */
  readonly clock: () => Instant;
  /** The path under which the handler is mounted, without a slash at the end. */
  readonly basePath: string;
  /** Who delivers entries, if it is in this process. */
  readonly worker: HandlerWorker | undefined;
  /** Aborted when the server is stopping. */
  readonly signal: AbortSignal | undefined;
}

/** One method of one path: how it is described and what it does. */
export interface Operation<B extends Fields = Fields, Q extends Fields = Fields> {
  readonly method: Method;
  /** The path below the base path, with `:name` for parameters. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tag: TagName;
  /** What the caller's key must grant; absent: no key is needed. */
  readonly scope?: Scope;
  /** The path parameters, which `run` checks: what can't exist is simply not found. */
  readonly params?: Readonly<Record<string, FieldSchema>>;
  readonly query?: Q;
  readonly body?: B;
  /** The schemas, by media type, of a body that is no set of fields, but is read as it arrives. */
  readonly streams?: Readonly<Record<string, SchemaName>>;
  /** The most bytes in the body, if more than usual. */
  readonly maxBodyBytes?: number;
  /** Whether names that are no fields are passed over, as the two documented operations do. */
  readonly ignoresUnknown?: boolean;
  /** Whether the body may be left out. */
  readonly bodyOptional?: boolean;
  /** Checks the accepted values of the body together; values that were refused are absent. */
  readonly check?: (body: Partial<Values<B>>, now: Instant) => readonly FieldProblem[];
  /** Request headers that the operation honours. */
  readonly requestHeaders?: readonly RequestHeaderName[];
  readonly successes: readonly Success[];
  /** The problems of its own; those that follow from scope and fields are implied. */
  readonly problems?: readonly ProblemCode[];
  /** Carries out the operation. */
  readonly run: (context: Context<B, Q>) => Reply | Promise<Reply | Problem>;
}

/**
 * Declares an operation, with the types of its fields. The handler checks fields before it
 * calls `run`, which is why the types may be dropped for the table of all operations.
 */
export function operation<B extends Fields = Fields, Q extends Fields = Fields>(
  declared: Operation<B, Q>,
): Operation {
  return declared as Operation<never, never> as Operation;
}
