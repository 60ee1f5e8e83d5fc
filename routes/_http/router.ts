import type { Operation } from "./operation.ts";
import { Problem } from "./problem.ts";

/** The operations of a path. */
export interface Match {
  readonly operations: ReadonlyMap<string, Operation>;
  /** The value of `Allow` for the path. */
  readonly allow: string;
  /** The declared path, for logs. */
  readonly path: string;
  readonly params: readonly string[];
}

/** A module of operations, loaded at the first request to one of its paths. */
export interface RouteModule {
  /** The paths of its operations. Each also covers the paths below it. */
  readonly paths: readonly string[];
  /** Loads its operations. Always returns the same ones. */
  readonly load: () => Promise<readonly Operation[]>;
}

/** Finds the operations of a request's path; returns `not_found` or `malformed_path` otherwise. */
export type Router = (request: Pick<Request, "url" | "headers">) => Promise<Match | Problem>;

/** A path and its operations. */
interface Route extends Omit<Match, "params"> {
  readonly operations: Map<string, Operation>;
}

/** A path with parameters, and the fixed texts between them. */
interface Pattern extends Route {
  readonly parts: readonly string[];
}

const PARAMETER = /:\w+/;
const PARAMETERS = /:\w+/g;
const NOT_FOUND = new Problem("not_found");
const BAD_HOST = new Problem("malformed_path", "The host of the request is invalid");
const BAD_SEGMENT = new Problem("malformed_path");

/**
 * Creates a router for paths below `basePath`. A parameter is a segment, or a segment without an
 * ending such as `.atom`. If several paths match, one without parameters wins, else the first.
 */
export function createRouter(basePath: string, modules: readonly RouteModule[]): Router {
  const loaded = new Map<RouteModule, readonly Operation[]>();
  const patterns = new Map(modules.map((module) => [module, patternOf(basePath, [module])]));
  let waiting = modules;
  // One pattern covers all of them, because testing each would take a tenth of a PUT.
  let needsModule = patternOf(basePath, waiting);
  let find = createFinder(basePath, []);

  async function loadFor(path: string): Promise<void> {
    const needed = waiting.filter((module) => patterns.get(module)!.test(path));
    await Promise.all(
      needed.map(async (module) => loaded.set(module, await module.load())),
    );
    waiting = modules.filter((module) => !loaded.has(module));
    needsModule = patternOf(basePath, waiting);
    find = createFinder(basePath, modules.flatMap((module) => loaded.get(module) ?? []));
  }

  return async ({ url, headers }) => {
    // Deno concatenates Host and path unchanged, so a character that ends a host would hide the
    // path.
    if (/[/?#\\]/.test(headers.get("host") ?? "")) return BAD_HOST;
    const path = pathOf(url);
    if (needsModule.test(path)) await loadFor(path);
    return find(path);
  };
}

/** Returns a pattern that matches the paths of modules, and all paths below them. */
function patternOf(basePath: string, modules: readonly RouteModule[]): RegExp {
  const paths = modules.flatMap(({ paths }) => paths).map((path) => `${basePath}${path}`);
  const sources = paths.map((path) => path.replaceAll(".", "\\.").replace(PARAMETERS, "[^/]+"));
  return new RegExp(`^(?:${sources.join("|") || "(?!)"})(?![^/])`);
}

/** Creates a function that finds the operations of a path among loaded ones. */
function createFinder(
  basePath: string,
  operations: readonly Operation[],
): (path: string) => Match | Problem {
  const fixed = new Map<string, Match>();
  const patterns: Pattern[] = [];
  for (const route of groupByPath(operations)) {
    const parts = `${basePath}${route.path}`.split(PARAMETER);
    if (parts.length === 1) fixed.set(parts[0], { ...route, params: [] });
    else patterns.push({ ...route, parts });
  }

  return (path) => {
    const match = fixed.get(path);
    if (match !== undefined) return match;
    for (const pattern of patterns) {
      const params = paramsOf(path, pattern);
      if (params instanceof Problem) return params;
      if (params !== undefined) return { ...pattern, params };
    }
    return NOT_FOUND;
  };
}

/**
 * Returns the path of a URL unchanged. `new URL` would repair it, and would throw for an invalid
 * `Host`, for which Bun passes only the path.
 */
function pathOf(url: string): string {
  const start = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3);
  const path = start < 0 ? "" : url.slice(start);
  const end = path.search(/[?#]/);
  return end < 0 ? path : path.slice(0, end);
}

/** Returns the parameters in a path; `undefined` if it does not match the pattern. */
function paramsOf(path: string, { parts }: Pattern): readonly string[] | Problem | undefined {
  const first = parts[0];
  if (!path.startsWith(first)) return undefined;
  const segments: string[] = [];
  let at = first.length;
  for (let index = 1; index < parts.length; index++) {
    const slash = path.indexOf("/", at);
    const ending = parts[index].split("/", 1)[0];
    const end = (slash < 0 ? path.length : slash) - ending.length;
    if (end <= at || !path.startsWith(parts[index], end)) return undefined;
    segments.push(path.slice(at, end));
    at = end + parts[index].length;
  }
  if (at < path.length) return undefined;
  const params = segments.map(decodeSegment);
  return params.every((param) => param !== undefined) ? params : BAD_SEGMENT;
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

/** Decodes a segment; returns `undefined` for a bad escape, invalid UTF-8 or NUL. */
function decodeSegment(segment: string): string | undefined {
  try {
    const decoded = segment.includes("%") ? decodeURIComponent(segment) : segment;
    return decoded.includes("\0") ? undefined : decoded;
  } catch {
    return undefined;
  }
}
