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
  /** The decoded parameters. */
  readonly params: Readonly<Record<string, string>>;
}

/** Finds what the URL of a request leads to; or `not_found`, or `malformed_path`. */
export type Router = (url: string) => Match | Problem;

/** One declared path, cut where its parameter stands. */
interface Route {
  readonly path: string;
  readonly before: string;
  /** The name of the parameter; absent where the path has none. */
  readonly parameter?: string;
  readonly after: string;
  readonly operations: Map<string, Operation>;
  allow: string;
}

const PARAMETER = /^(.*\/):([^/]+)(.*)$/;
const NO_PARAMS = {};

/**
 * Creates a router. Paths lie under `basePath` and have at most one parameter, which is a whole
 * segment.
 */
export function createRouter(basePath: string, operations: readonly Operation[]): Router {
  const routes = new Map<string, Route>();
  for (const operation of operations) {
    const { path, method } = operation;
    const route = routes.get(path) ?? createRoute(basePath, path);
    routes.set(path, route);
    route.operations.set(method, operation);
    if (method === "GET") route.operations.set("HEAD", operation);
    route.allow = [...route.operations.keys(), "OPTIONS"].sort().join(", ");
  }
  const fixed = new Map<string, Match>();
  const open: Route[] = [];
  for (const route of routes.values()) {
    if (route.parameter === undefined) fixed.set(route.before, { ...route, params: NO_PARAMS });
    else open.push(route);
  }

  return (url) => {
    const path = pathOf(url);
    const match = fixed.get(path);
    if (match !== undefined) return match;
    for (const route of open) {
      const segment = parameterOf(route, path);
      if (segment === undefined) continue;
      const value = decodeSegment(segment);
      if (value instanceof Problem) return value;
      const { operations, allow, path: declared, parameter = "" } = route;
      return { operations, allow, path: declared, params: { [parameter]: value } };
    }
    return new Problem("not_found", "There is nothing at this path");
  };
}

function createRoute(basePath: string, path: string): Route {
  const [, before = path, parameter, after = ""] = PARAMETER.exec(path) ?? [];
  return { path, before: basePath + before, parameter, after, operations: new Map(), allow: "" };
}

/** Returns the segment that stands where a route has its parameter, if the rest fits. */
function parameterOf({ before, after }: Route, path: string): string | undefined {
  const end = path.length - after.length;
  if (end <= before.length || !path.startsWith(before) || !path.endsWith(after)) return undefined;
  const segment = path.slice(before.length, end);
  return segment.includes("/") ? undefined : segment;
}

/**
 * Returns the path of an absolute URL as it was sent. `new URL` would repair it, and throws
 * where a client sent a `Host` that is none.
 */
export function pathOf(url: string): string {
  const authority = url.indexOf("://");
  const start = authority < 0 ? 0 : url.indexOf("/", authority + 3);
  if (start < 0) return "";
  const end = url.slice(start).search(/[?#]/);
  return end < 0 ? url.slice(start) : url.slice(start, start + end);
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
