import { checkValues, type Fields, type RawValues, type Values } from "./fields.ts";
import { parseForm } from "./form.ts";
import type { Operation } from "./operation.ts";
import { Problem, validationFailed } from "./problem.ts";

const NO_FIELDS: Fields = {};

/** Reads and checks the query of a request; or returns `malformed_path` or `validation_failed`. */
export function readQuery(url: string, operation: Operation): Values<Fields> | Problem {
  const { scope, ignoresUnknown, query: fields = NO_FIELDS } = operation;
  // Links to a page and health checks may carry parameters that are meant for others.
  const isStrict = scope !== undefined && !ignoresUnknown;
  if (fields === NO_FIELDS && !isStrict) return {};
  let values: RawValues["values"];
  try {
    values = parseForm(queryOf(url), isStrict ? undefined : Object.keys(fields));
  } catch (error) {
    return new Problem("malformed_path", `The query can't be read: ${(error as Error).message}`);
  }
  return checkValues(fields, { kind: "text", values });
}

/** Names the bad fields of query and body at once, unless the body could not even be read. */
export function joinProblems(query: Problem, body: Problem): Problem {
  if (body.errors === undefined) return body;
  return validationFailed([...query.errors ?? [], ...body.errors]);
}

function queryOf(url: string): string {
  const [beforeFragment] = url.split("#", 1);
  const start = beforeFragment.indexOf("?");
  return start < 0 ? "" : beforeFragment.slice(start + 1);
}
