import type { HandlerWorker } from "./embedding.ts";
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
import type { Instant } from "../../model/values/time.ts";
import type { FieldProblem, Problem, ProblemCode } from "./problem.ts";
import type { ContentName, Reply, ResponseHeaderName } from "./reply.ts";

/** The methods of operations; HEAD and OPTIONS are derived. */
export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** A method of an operation. */
export type Method = (typeof METHODS)[number];

/** The description of a successful response. */
export interface Success {
  readonly status: number;
  /** The meaning of the response. Default: the description of its content. */
  readonly description?: string;
  /** The schema of the content; absent for none. */
  readonly schema?: Described | ContentName;
  /** The record of which the content is a page. */
  readonly page?: Described;
  /** The content in other media types; without `schema`, in each media type. */
  readonly others?: Readonly<Record<string, ContentName>>;
  /** Headers beside the common ones. A GET with an `ETag` is conditional and may answer 304. */
  readonly headers?: readonly ResponseHeaderName[];
}

/** Tells whether an operation shows a page to people, takes a form of one, or leads to one. */
export function showsPage({ isPage, successes }: Pick<Operation, "isPage" | "successes">): boolean {
  return isPage === true &&
    successes.some(({ schema, status }) => schema === "Page" || status === 303);
}

/** The success of an operation that returns a page. */
export const FOUND_PAGE = { status: 200, schema: "Page" } as const;

/** The input of an operation, and the means to carry it out. */
export interface Context<B = InputFields, Q = InputFields, R = never> {
  readonly request: Request;
  readonly storage: Storage;
  /** The start of the operation; its body, if it has fields, is complete. */
  readonly now: Instant;
  /** The sender; nobody if the operation needs no key. */
  readonly caller: Caller;
  /** The first path parameter, decoded; empty if the path has none. */
  readonly param: string;
  readonly params: readonly string[];
  readonly query: QueryValues<Q, R>;
  readonly body: BodyValues<B, R>;
  /** The body of an operation with `streams`. Throws a problem if the body ends early. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Returns the current time, for operations that run for long. */
  readonly clock: () => Instant;
  /** The path under which the handler is mounted, without a slash at the end. */
  readonly basePath: string;
  /** The worker, if it runs in this process. */
  readonly worker: HandlerWorker | undefined;
  /** Resolves to whether this process or another sends the mails of a publication. */
  readonly hasMail: () => Promise<boolean>;
  readonly signal: AbortSignal | undefined;
  /** Throws once the caller's key has been revoked or has expired. */
  readonly checkKey: () => Promise<void>;
  /** Tells whether the client has ended its connection. */
  readonly isGone: () => boolean;
  /**
   * Logs the request as a warning, with a sentence that contains no personal data and no secrets.
   */
  readonly warn: (warning: string) => void;
}

/** The result of an operation. A bare code represents a problem without details. */
export type Outcome = Reply | Problem | ProblemCode;

/** The description and the implementation of an operation. */
export interface Declaration<B = InputFields, Q = InputFields, R = never> {
  readonly operationId: string;
  readonly summary: string;
  /** Details beyond the summary, in Markdown. */
  readonly description?: string;
  /**
   * The scope that the caller's key must grant; `any` accepts every key. Absent: no key is needed.
   */
  readonly scope?: Scope | "any";
  /** Scopes that the key must grant besides `scope`. */
  readonly alsoScopes?: readonly Scope[];
  /**
   * Checks what replaces a key, such as a secret in the path, before the body is read. Returns the
   * problem if it refuses the request.
   */
  readonly admit?: (
    context: Pick<Context, "request" | "storage" | "param">,
  ) => Promise<Problem | undefined>;
  /** The parameters of the query. */
  readonly query?: Q;
  /** The fields of the body, a form or a JSON object. */
  readonly body?: B;
  /** The names of the required fields and parameters. */
  readonly required?: readonly R[];
  /** The media types of a body without fields, which is read while it arrives. */
  readonly streams?: Readonly<Record<string, StreamType>>;
  /** Whether unknown fields are ignored; otherwise they are refused. */
  readonly ignoresUnknown?: boolean;
  readonly bodyOptional?: boolean;
  /** Whether browsers show the reply, so that problems are pages, too. */
  readonly isPage?: boolean;
  /** The maximum size of a body with fields. Default: derived from the fields. */
  readonly maxBodyBytes?: number;
  /** Checks the accepted values of the body together; values that were refused are absent. */
  readonly check?: (body: Partial<BodyValues<B, R>>, now: Instant) => readonly FieldProblem[];
  /** Whether `If-Match` restricts the change to a version of the record. */
  readonly isConditional?: boolean;
  readonly successes: readonly Success[];
  /** Problems beyond those that follow from path, scope, fields and headers. */
  readonly problems?: readonly ProblemCode[];
  readonly run: (context: Context<B, Q, R>) => Outcome | Promise<Outcome>;
}

/** A media type of a body that is read while it arrives. */
export interface StreamType {
  readonly schema: ContentName;
  /** The maximum size; absent: unlimited. */
  readonly maxBytes?: number;
}

/** A declared operation with its method and path. */
export interface Operation
  extends Omit<Declaration, "check" | "maxBodyBytes" | "required" | "run"> {
  readonly method: Method;
  /**
   * The path below the base path, with `:name` for parameters. `run` checks their values: an
   * impossible identifier is simply not found.
   */
  readonly path: string;
  /** The prepared fields of the body; absent if the operation takes none. */
  readonly bodyInputs: Inputs | undefined;
  /** The prepared parameters of the query; absent if the operation takes none. */
  readonly queryInputs: Inputs | undefined;
  /** The maximum size of a body with fields. */
  readonly maxBodyBytes: number;
  readonly check: ((body: Accepted, now: Instant) => readonly FieldProblem[]) | undefined;
  readonly run: (context: Context) => Outcome | Promise<Outcome>;
}

/** The default for the maximum size of a body with fields. */
export const MAX_BODY_BYTES: number = 16 * 1024;
// Percent-encoding triples a byte; the rest is for the other fields.
const BYTES_PER_BYTE = 4;

/**
 * Declares an operation. The types of values within `declared` follow from the fields. The result
 * omits these types, so that all operations fit into one table; the handler checks values before it
 * calls `run`.
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
  // An operation without fields accepts an empty form, an empty object, or no body.
  const isBare = method.startsWith("P") && scope !== undefined && declared.body === undefined &&
    streams === undefined;
  const isChange = method === "PATCH";
  const fields: InputFields | undefined = isBare ? {} : declared.body;
  const sizes = Object.values(fields ?? {}).map(({ maxBytes = 0 }) => maxBytes);
  const { check, run, ...rest } = declared as Declaration<never, never, never> as Declaration;
  return {
    ...rest,
    method,
    path,
    body: isChange && fields !== undefined ? withoutDefaults(fields) : fields,
    bodyOptional: isBare || declared.bodyOptional,
    bodyInputs: fields && bodyInputs(fields, { required, isChange }),
    queryInputs: query && queryInputs(query, required),
    maxBodyBytes: declared.maxBodyBytes ??
      Math.max(MAX_BODY_BYTES, BYTES_PER_BYTE * Math.max(0, ...sizes)),
    check: check as Operation["check"],
    run,
  };
}

/** A field that is left out of a change keeps its value, so it has no default there. */
function withoutDefaults(fields: InputFields): InputFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, { default: _, schema, ...field }]) => {
      const { default: _preset, ...rest } = schema;
      return [name, { ...field, schema: rest }];
    }),
  );
}
