import type { Operation } from "./operation.ts";
import { Problem } from "./problem.ts";

/** What a path leads to. */
export interface Match {
  readonly operations: ReadonlyMap<string, Operation>;
  /** The value of `Allow` for the path. */
  readonly allow: string;
  /** The path as it was declared, for logs. */
  readonly path: string;
  readonly params: readonly string[];
}

/** Finds what a request leads to; or `not_found`, or `malformed_path`. */
export type Router = (request: Pick<Request, "url" | "headers">) => Match | Problem;

interface Route extends Omit<Match, "params"> {
  readonly operations: Map<string, Operation>;
}

const PARAMETER = /:[^/]+/g;
const NOT_FOUND = new Problem("not_found");
const BAD_HOST = new Problem("malformed_path", "The host of the request is invalid");
const BAD_SEGMENT = new Problem("malformed_path");

/**
 * Creates a router. Paths lie under `basePath`; their parameters are whole segments. Where two paths
 * fit, the one that was declared first is found.
 *
 * Paths are looked for in the URL as it was sent: `new URL` would repair it, and throws for a `Host` that
 * is none, in place of which Bun gives the path alone.
 */
export function createRouter(basePath: string, operations: readonly Operation[]): Router {
  // One expression finds the path, much faster than one comparison after the other: each path ends
  // with an empty group that tells which it is, behind those of its parameters.
  const routeAt: (Route | undefined)[] = [undefined];
  const paths = groupByPath(operations).map((route) => {
    const { path } = route;
    const count = path.match(PARAMETER)?.length ?? 0;
    routeAt.push(...Array<undefined>(count), route);
    return `${escapeDots(path).replace(PARAMETER, "([^/?#]+)")}()`;
  });
  const pattern = new RegExp(
    `^(?:[^:/]+://[^/]*)?${escapeDots(basePath)}(?:${paths.join("|")})(?:[?#]|$)`,
  );

  return ({ url, headers }) => {
    // Deno puts Host and path together as they came: what ends a host would hide the path.
    if (/[/?#\\]/.test(headers.get("host") ?? "")) return BAD_HOST;
    const found = pattern.exec(url);
    if (found === null) return NOT_FOUND;
    let first = 1;
    while (found[first] === undefined) first++;
    const params: string[] = [];
    for (let at = first;; at++) {
      const route = routeAt[at];
      if (route !== undefined) return { ...route, params };
      const param = decodeSegment(found[at]);
      if (param === undefined) return BAD_SEGMENT;
      params.push(param);
    }
  };
}

function groupByPath(operations: readonly Operation[]): readonly Route[] {
  const routes = new Map<string, Route>();
  for (const operation of operations) {
    const { path, method } = operation;
    const methods = routes.get(path)?.operations ?? new Map<string, Operation>();
    methods.set(method, operation);
    if (method === "GET") methods.set("HEAD", operation);
    const allow = [...methods.keys(), "OPTIONS"].sort().join(", ");
    routes.set(path, { path, operations: methods, allow });
  }
  return [...routes.values()];
}

function escapeDots(path: string): string {
  return path.replaceAll(".", "\\.");
}

/** Decodes a segment; `undefined` for a bad escape, invalid UTF-8 or NUL. */
function decodeSegment(segment: string): string | undefined {
  try {
    const decoded = segment.includes("%") ? decodeURIComponent(segment) : segment;
    return decoded.includes("\0") ? undefined : decoded;
  } catch {
    return undefined;
  }
}
