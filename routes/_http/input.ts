import { type BodyOptions, openStream, readBody } from "./body.ts";
import type { Incoming } from "./content.ts";
import { type Accepted, checkValues, type Inputs, type RawValues } from "./fields.ts";
import { parseForm } from "./form.ts";
import type { Operation } from "./operation.ts";
import { Problem, validationFailed } from "./problem.ts";

export interface OperationInput {
  readonly query: Accepted;
  readonly body: Accepted;
  /** The body of an operation with `streams`; empty for others. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

const NO_INPUTS: Inputs = {};
const NO_VALUES: Accepted = {};
const NO_CHUNKS: AsyncIterable<Uint8Array> = { async *[Symbol.asyncIterator]() {} };

/**
 * Reads and checks the query and the body of a request. Returns a problem otherwise, which names
 * the refused fields of both.
 */
export async function readInput(
  incoming: Incoming,
  operation: Operation,
  options: BodyOptions,
): Promise<OperationInput | Problem> {
  const { request } = incoming;
  const query = readQuery(request.url, operation);
  if (query instanceof Problem && query.errors === undefined) return query;
  const body = operation.body === undefined
    ? NO_VALUES
    : await readBody(incoming, operation, options);
  if (body instanceof Problem) return query instanceof Problem ? joinProblems(query, body) : body;
  if (query instanceof Problem) return query;
  if (operation.streams === undefined) return { query, body, chunks: NO_CHUNKS };
  const chunks = openStream(request, operation.streams, options);
  return chunks instanceof Problem ? chunks : { query, body, chunks };
}

/** Reads the query; returns `malformed_path` or `validation_failed` otherwise. */
function readQuery(url: string, operation: Operation): Accepted | Problem {
  const { scope, ignoresUnknown, queryInputs: inputs = NO_INPUTS } = operation;
  // Links to pages and health checks may carry parameters for other programs.
  const isStrict = scope !== undefined && !ignoresUnknown;
  if (inputs === NO_INPUTS && !(isStrict && url.includes("?"))) return NO_VALUES;
  let values: RawValues["values"];
  try {
    values = parseForm(queryOf(url), isStrict ? undefined : Object.keys(inputs));
  } catch (error) {
    return new Problem("malformed_path", `The query can't be read: ${(error as Error).message}`);
  }
  return checkValues(inputs, { kind: "text", values });
}

/** Joins the refused fields of query and body, unless the body could not be read. */
function joinProblems(query: Problem, body: Problem): Problem {
  if (body.errors === undefined) return body;
  return validationFailed([...query.errors ?? [], ...body.errors]);
}

function queryOf(url: string): string {
  const [beforeFragment] = url.split("#", 1);
  const start = beforeFragment.indexOf("?");
  return start < 0 ? "" : beforeFragment.slice(start + 1);
}
