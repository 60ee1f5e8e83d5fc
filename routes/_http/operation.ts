import type { Storage } from "../../adapters/storage.ts";
import type { Scope } from "../../model/keys/api_key.ts";
import type { Described } from "../../model/resource.ts";
import type { Caller } from "./credentials.ts";
import {
  type Accepted,
  bodyInputs,
  type BodyValues,
  type InputFields,
  type Inputs,
  queryInputs,
  type QueryValues,
} from "./fields.ts";
import type { Instant } from "./instant.ts";
import type { ContentName } from "../operator/openapi/contents.ts";
import type { ResponseHeaderName } from "../operator/openapi/headers.ts";
import type { FieldProblem, Problem, ProblemCode } from "./problem.ts";
import type { HandlerWorker } from "../options.ts";
import type { Reply } from "./reply.ts";

/** The methods that operations have; HEAD and OPTIONS are derived. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A response that is no problem, described. */
export interface Success {
  readonly status: number;
  /** What it means. Default: what the content is. */
  readonly description?: string;
  /** What the content is; absent for none. */
  readonly schema?: Described | ContentName;
  /** The records of which the content is a page. */
  readonly page?: Described;
  /** What it is in other media types than its own or, without one, in each. */
  readonly others?: Readonly<Record<string, ContentName>>;
  /** Beside those of every response. A GET with an `ETag` is conditional, and answers 304, too. */
  readonly headers?: readonly ResponseHeaderName[];
}

/** The success of an operation that returns a page. */
export const FOUND_PAGE = { status: 200, schema: "Page" } as const;

/** What an operation works with. */
export interface Context<B = InputFields, Q = InputFields, R = never> {
  readonly request: Request;
  readonly storage: Storage;
  /** When the operation began: its body, if it has one, was complete. */
  readonly now: Instant;
  /** Whose key it is; nobody's where the operation has no scope. */
  readonly caller: Caller;
  /** The first path parameter, decoded; empty where the path has none. */
  readonly param: string;
  readonly params: readonly string[];
  readonly query: QueryValues<Q, R>;
  readonly body: BodyValues<B, R>;
  /** The body of an operation with `streams`. Throws the problem of one that ends early. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Returns the present time, for operations that take long. */
  readonly clock: () => Instant;
  /** The path under which the handler is mounted, without a slash at the end. */
  readonly basePath: string;
  /** The worker that delivers entries, if it is in this process. */
  readonly worker: HandlerWorker | undefined;
  /** Whether what is published with `notify` is mailed, by this process or another. */
  readonly hasMail: () => Promise<boolean>;
  readonly signal: AbortSignal | undefined;
  /** Throws once the caller's key has been revoked or has expired. */
  readonly checkKey: () => Promise<void>;
  /** Tells whether the client has ended its connection. */
  readonly isGone: () => boolean;
  /** Has the request logged as a warning: a sentence without personal data and secrets. */
  readonly warn: (warning: string) => void;
}

/** What comes of a request: a reply, or why there is none; a code stands for the problem as it is known. */
export type Outcome = Reply | Problem | ProblemCode;

/** How an operation is described and what it does. */
export interface Declaration<B = InputFields, Q = InputFields, R = never> {
  readonly operationId: string;
  readonly summary: string;
  /** What the summary leaves open. */
  readonly description?: string;
  /** What the caller's key must grant; `any`: nothing in particular; absent: no key is needed. */
  readonly scope?: Scope | "any";
  /** Scopes that the key must grant besides `scope`. */
  readonly alsoScopes?: readonly Scope[];
  /**
   * Checks what stands in the path in place of a key, before anything of the body is looked at; returns
   * the problem of a request that is not let in.
   */
  readonly admit?: (context: Pick<Context, "storage" | "param">) => Promise<Problem | undefined>;
  /** The parameters of the query. */
  readonly query?: Q;
  /** The fields of the body, a form or a JSON object. */
  readonly body?: B;
  /** The names of the fields and parameters that have to be there. */
  readonly required?: readonly R[];
  /** What a body without fields, which is read as it arrives, may be, by media type. */
  readonly streams?: Readonly<Record<string, StreamType>>;
  /** Whether unknown fields are ignored; otherwise they are refused. */
  readonly ignoresUnknown?: boolean;
  readonly bodyOptional?: boolean;
  /** How many may be under way at once, as each takes memory; and what these are. */
  readonly atOnce?: { readonly most: number; readonly what: string };
  /** Whether people look at it, so that problems are pages, too. */
  readonly isPage?: boolean;
  /** The most bytes in a body with fields. Default: it follows from the fields. */
  readonly maxBodyBytes?: number;
  /** Checks the accepted values of the body together; values that were refused are absent. */
  readonly check?: (body: Partial<BodyValues<B, R>>, now: Instant) => readonly FieldProblem[];
  /** Whether the change is made only where the record is in a version that `If-Match` names. */
  readonly isConditional?: boolean;
  readonly successes: readonly Success[];
  /** The problems of its own; those that follow from path, scope, fields and headers are implied. */
  readonly problems?: readonly ProblemCode[];
  readonly run: (context: Context<B, Q, R>) => Outcome | Promise<Outcome>;
}

/** What a body that is read as it arrives may be. */
export interface StreamType {
  readonly schema: ContentName;
  /** The most bytes in it; absent: any number. */
  readonly maxBytes?: number;
}

/** A declared operation, with the method and the path that lead to it. */
export interface Operation
  extends Omit<Declaration, "check" | "maxBodyBytes" | "required" | "run"> {
  readonly method: Method;
  /**
   * The path below the base path, with `:name` for parameters. `run` checks these, as what can't exist is
   * simply not found.
   */
  readonly path: string;
  /** The fields of the body, prepared; absent where the operation takes none. */
  readonly bodyInputs: Inputs | undefined;
  /** The parameters of the query, prepared; absent where the operation takes none. */
  readonly queryInputs: Inputs | undefined;
  /** The most bytes in a body with fields. */
  readonly maxBodyBytes: number;
  readonly check: ((body: Accepted, now: Instant) => readonly FieldProblem[]) | undefined;
  readonly run: (context: Context) => Outcome | Promise<Outcome>;
}

/** The most bytes in a body with fields, unless one of them takes many. */
export const MAX_BODY_BYTES = 16 * 1024;
// Percent-encoding makes three bytes of one; the rest is for the other fields.
const BYTES_PER_BYTE = 4;

/**
 * Declares an operation. Within `declared`, the types of values follow from the fields; the result has
 * lost them, so that operations fit into one table: the handler checks values before it calls `run`.
 */
export function operation<
  B extends InputFields = InputFields,
  Q extends InputFields = InputFields,
  R extends string & (keyof B | keyof Q) = never,
>(
  method: Method,
  path: string,
  declared: Declaration<B, Q, R>,
): Operation {
  const { scope, streams, query, required = [] } = declared;
  // An operation that needs no fields takes an empty form or object, or nothing.
  const isBare = method.startsWith("P") && scope !== undefined && declared.body === undefined &&
    streams === undefined;
  const body: InputFields | undefined = isBare ? {} : declared.body;
  const isChange = method === "PATCH";
  const sizes = Object.values(body ?? {}).map(({ maxBytes = 0 }) => maxBytes);
  const { check, run, ...rest } = declared as Declaration<never, never, never> as Declaration;
  return {
    ...rest,
    method,
    path,
    body,
    bodyOptional: isBare || declared.bodyOptional,
    bodyInputs: body && bodyInputs(body, { required, isChange }),
    queryInputs: query && queryInputs(query, required),
    maxBodyBytes: declared.maxBodyBytes ??
      Math.max(MAX_BODY_BYTES, BYTES_PER_BYTE * Math.max(0, ...sizes)),
    check: check as Operation["check"],
    run,
  };
}
