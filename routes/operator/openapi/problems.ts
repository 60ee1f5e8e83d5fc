import type { ResponseHeaderName } from "../../_http/reply.ts";
import type { Operation, Success } from "../../_http/operation.ts";
import {
  type FieldProblem,
  PROBLEM_TYPE,
  type ProblemCode,
  PROBLEMS,
} from "../../_http/problem.ts";
import type { Schema } from "../../../model/values/json_schema.ts";
import { REFUSAL_CODES } from "../../../model/values/refusal.ts";
import type { REQUEST_HEADERS } from "./headers.ts";
import { meaningOf, PROBLEM_HEADERS, problemExample } from "./problem_guide.ts";
import { parametersOf } from "./paths.ts";
import { describe, schemaRef } from "./schema.ts";
import type { ExampleObject, Reference, ResponseObject } from "./types.ts";

const CODES = Object.keys(PROBLEMS) as ProblemCode[];

/** The headers of every response. */
export const COMMON_HEADERS: readonly ResponseHeaderName[] = [
  "X-Request-Id",
  "Cache-Control",
  "X-Content-Type-Options",
];
/** The headers of every response to a request with a key, as the rate limit counts it. */
export const RATE_HEADERS: readonly ResponseHeaderName[] = ["RateLimit-Policy", "RateLimit"];

/** The problems of a request with a wrong path or method, which reaches no operation. */
const OF_NO_OPERATION: readonly ProblemCode[] = ["not_found", "method_not_allowed"];
/** The problems of pages alone, which are not described. */
const OF_PAGES: readonly ProblemCode[] = ["foreign_origin"];
const LACKING: ProblemCode = "insufficient_scope";
const OF_CALLERS: readonly ProblemCode[] = [
  "malformed_credentials",
  "missing_credentials",
  "invalid_token",
  "insufficient_scope",
  "rate_limited",
  "storage_unavailable",
];
const OF_STREAMS: readonly ProblemCode[] = [
  "malformed_body",
  "request_timeout",
  "unsupported_media_type",
  "unsupported_transfer_encoding",
];
const OF_BODIES: readonly ProblemCode[] = [...OF_STREAMS, "body_too_large", "validation_failed"];

/**
 * Returns the conditions of an operation: a GET with an `ETag` has some, and conditional changes.
 */
export function conditionsOf(
  operation: Pick<Operation, "method" | "successes" | "isConditional">,
): readonly (keyof typeof REQUEST_HEADERS)[] {
  if (operation.isConditional) return ["If-Match"];
  const isCached = operation.successes.some((success) => isConditional(operation, success));
  return isCached ? ["If-Match", "If-None-Match"] : [];
}

/** Tells whether a success is 304 if the client has the content already. */
export function isConditional(
  { method }: Pick<Operation, "method">,
  { headers }: Success,
): boolean {
  return method === "GET" && headers?.includes("ETag") === true;
}

/** Returns the codes of an operation's problems, by status. */
export function problemsOf(operation: Operation): ReadonlyMap<string, readonly ProblemCode[]> {
  const { path, scope, query, body, streams, ignoresUnknown, problems = [] } = operation;
  const checksQuery = query !== undefined || (scope !== undefined && !ignoresUnknown);
  const codes: readonly ProblemCode[] = [
    ...problems,
    ...Object.values(parametersOf(path)).flatMap(({ missing }) => missing ?? []),
    ...OF_NO_OPERATION,
    "malformed_path",
    "internal_error",
    ...scope === undefined ? [] : OF_CALLERS.filter((code) => scope !== "any" || code !== LACKING),
    ...conditionsOf(operation).length > 0 ? ["precondition_failed"] as const : [],
    ...checksQuery ? ["validation_failed"] as const : [],
    ...body === undefined ? [] : OF_BODIES,
    ...streams === undefined ? [] : OF_STREAMS,
    ...Object.values(streams ?? {}).some(({ maxBytes }) => maxBytes !== undefined)
      ? ["body_too_large"] as const
      : [],
  ];
  const byStatus = new Map<string, readonly ProblemCode[]>();
  for (const code of CODES.filter((code) => codes.includes(code))) {
    const status = `${PROBLEMS[code][0]}`;
    byStatus.set(status, [...byStatus.get(status) ?? [], code]);
  }
  return byStatus;
}

export function problemResponseName(codes: readonly ProblemCode[]): string {
  return codes.map(pascalCase).join("Or");
}

/** Describes the response for some problems. */
export function describeProblemResponse(codes: readonly ProblemCode[]): ResponseObject {
  const base = codes.includes("validation_failed") ? "ValidationProblem" : "Problem";
  const ofOperation = codes.find((code) => !OF_NO_OPERATION.includes(code));
  const mayBeCounted = ofOperation !== undefined && PROBLEMS[ofOperation][0] !== 401;
  return {
    description: codes.map((code) => `\`${code}\`: ${meaningOf(code)}`).join("\n\n"),
    headers: headerRefs([
      ...COMMON_HEADERS,
      ...(mayBeCounted ? RATE_HEADERS : []),
      ...codes.flatMap((code) => PROBLEM_HEADERS[code] ?? []),
    ]),
    content: {
      [PROBLEM_TYPE]: {
        schema: {
          allOf: [schemaRef(base), {
            type: "object",
            properties: { code: { type: "string", enum: codes } },
          }],
        },
        examples: Object.fromEntries(
          codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
        ),
      },
    },
  };
}

/** Describes an example of each problem that operations have. */
export function describeProblemExamples(): Record<string, ExampleObject> {
  return Object.fromEntries(
    CODES.filter((code) => !OF_PAGES.includes(code)).map((code) => [code, {
      summary: meaningOf(code),
      value: problemExample(code),
      ...OF_NO_OPERATION.includes(code) && { "x-everywhere": true },
    }]),
  );
}

const FIELD_PROBLEM: Record<keyof FieldProblem, Schema> = {
  field: describe("The name of the field."),
  code: describe("The stable code.", { enum: REFUSAL_CODES }),
  detail: describe("What is wrong, for people."),
};
const PROBLEM = {
  type: describe("Always `about:blank`.", { const: "about:blank" }),
  title: describe("The reason phrase of the status."),
  status: describe("The status of the response.", { type: "integer" }),
  code: describe("The stable code.", { enum: CODES }),
  detail: describe("What is wrong here, for people."),
  requestId: describe("The value of `X-Request-Id`."),
};

export const PROBLEM_SCHEMAS: Readonly<Record<string, Schema>> = {
  Problem: describe("What is wrong (RFC 9457).", objectOf(PROBLEM)),
  ValidationProblem: {
    description: "All fields that were refused, at once.",
    allOf: [
      schemaRef("Problem"),
      objectOf({
        errors: describe("One entry for each field that was refused.", {
          type: "array",
          items: objectOf(FIELD_PROBLEM),
        }),
      }),
    ],
  },
};

function objectOf(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: "object", properties, required: Object.keys(properties) };
}

/** Returns references to response headers. */
export function headerRefs(names: readonly ResponseHeaderName[]): Record<string, Reference> {
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

function pascalCase(code: string): string {
  return code.split("_").map((word) => word[0].toUpperCase() + word.slice(1)).join("");
}
