import type { Operation } from "./_operation.ts";
import { Problem } from "./_problem.ts";

/** What a path leads to. */
export interface Match {
  /** The operations of the path by method. */
  readonly operations: ReadonlyMap<string, Operation>;
  /** The value of `Allow` for the path. */
  readonly allow: string;
  /** The path as it was declared, for logs. */
  readonly path: string;
  /** The decoded parameters, in their order. */
  readonly params: readonly string[];
}

/** Finds what the URL of a request leads to; or `not_found`, or `malformed_path`. */
export type Router = (url: string) => Match | Problem;

/** One declared path. */
interface Route {
  readonly path: string;
  readonly operations: Map<string, Operation>;
  allow: string;
}

const PARAMETER = /:[^/]+/g;
const NOT_FOUND = new Problem("not_found", "There is nothing at this path");

/**
 * Creates a router. Paths lie under `basePath`; their parameters are whole segments. They are looked for in the URL as it was sent: `new URL` would repair it, and throws
 * where a client sent a `Host` that is none. (Bun then gives the path alone.) Where two paths fit, the
 * one that was declared first is found.
 */
export function createRouter(basePath: string, operations: readonly Operation[]): Router {
  const routes = groupByPath(operations);
  // One expression finds the path, much faster than one comparison after the other: each path ends
  // with an empty group that tells which it is, behind those of its parameters.
  const routeAt: (Route | undefined)[] = [undefined];
  const paths = routes.map((route) => {
    const { path } = route;
    const count = path.match(PARAMETER)?.length ?? 0;
    routeAt.push(...Array<undefined>(count), route);
    return `${escapeDots(path).replace(PARAMETER, "([^/?#]+)")}()`;
  });
  const pattern = new RegExp(
    `^(?:[^:/]+://[^/]*)?${escapeDots(basePath)}(?:${paths.join("|")})(?:[?#]|$)`,
  );

  return (url) => {
    const found = pattern.exec(url);
    if (found === null) return NOT_FOUND;
    let first = 1;
    while (found[first] === undefined) first++;
    const params: string[] = [];
    for (let at = first;; at++) {
      const route = routeAt[at];
      if (route !== undefined) return { ...route, params };
      const param = decodeSegment(found[at]);
      if (param instanceof Problem) return param;
      params.push(param);
    }
  };
}

function groupByPath(operations: readonly Operation[]): readonly Route[] {
  const routes = new Map<string, Route>();
  for (const operation of operations) {
    const { path, method } = operation;
    const route = routes.get(path) ?? { path, operations: new Map(), allow: "" };
    routes.set(path, route);
    route.operations.set(method, operation);
    if (method === "GET") route.operations.set("HEAD", operation);
    route.allow = [...route.operations.keys(), "OPTIONS"].sort().join(", ");
  }
  return [...routes.values()];
}

function escapeDots(path: string): string {
  return path.replaceAll(".", "\\.");
}

/** Returns the query of an absolute URL as it was sent, without the question mark. */
export function queryOf(url: string): string {
  const [beforeFragment] = url.split("#", 1);
  const start = beforeFragment.indexOf("?");
  return start < 0 ? "" : beforeFragment.slice(start + 1);
}

function decodeSegment(segment: string): string | Problem {
  try {
    const decoded = segment.includes("%") ? decodeURIComponent(segment) : segment;
    if (!decoded.includes("\0")) return decoded;
  } catch {
    // A bad escape, or escapes that are not UTF-8.
  }
  return new Problem("malformed_path", "The path has a bad percent-escape, invalid UTF-8 or NUL");
}
