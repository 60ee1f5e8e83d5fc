import type { Operation } from "./_operation.ts";
import { HttpError } from "./_problem.ts";

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

/** Finds what the URL of a request leads to; throws `not_found` or `malformed_path`. */
export type Router = (url: string) => Match;

interface Node {
  readonly children: Map<string, Node>;
  parameter?: { readonly name: string; readonly node: Node };
  path: string;
  readonly operations: Map<string, Operation>;
  allow: string;
}

/** Creates a router over a tree of path segments. Paths lie under `basePath`. */
export function createRouter(basePath: string, operations: readonly Operation[]): Router {
  const root = createNode();
  for (const operation of operations) addOperation(root, operation);

  return (url) => {
    const path = pathOf(url);
    if (path.startsWith(basePath) && path.charCodeAt(basePath.length) === 0x2f) {
      const match = find(root, path, basePath.length + 1);
      if (match !== undefined) return match;
    }
    throw new HttpError("not_found", "There is nothing at this path");
  };
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

function createNode(): Node {
  return { children: new Map(), operations: new Map(), path: "", allow: "" };
}

function addOperation(root: Node, operation: Operation): void {
  let node = root;
  for (const segment of operation.path.slice(1).split("/")) {
    if (segment.startsWith(":")) {
      node.parameter ??= { name: segment.slice(1), node: createNode() };
      node = node.parameter.node;
    } else {
      if (!node.children.has(segment)) node.children.set(segment, createNode());
      node = node.children.get(segment)!;
    }
  }
  node.path = operation.path;
  node.operations.set(operation.method, operation);
  if (operation.method === "GET") node.operations.set("HEAD", operation);
  node.allow = [...node.operations.keys(), "OPTIONS"].sort().join(", ");
}

function find(root: Node, path: string, from: number): Match | undefined {
  const params: Record<string, string> = {};
  let node: Node | undefined = root;
  for (let start = from; node !== undefined && start <= path.length;) {
    const slash = path.indexOf("/", start);
    const end = slash < 0 ? path.length : slash;
    const segment = path.slice(start, end);
    const child: Node | undefined = node.children.get(segment);
    if (child === undefined && node.parameter !== undefined && segment !== "") {
      params[node.parameter.name] = segment;
      node = node.parameter.node;
    } else node = child;
    start = end + 1;
  }
  if (node === undefined || node.operations.size === 0) return undefined;
  for (const name in params) params[name] = decodeSegment(params[name]);
  return { operations: node.operations, allow: node.allow, path: node.path, params };
}

function decodeSegment(segment: string): string {
  try {
    const decoded = segment.includes("%") ? decodeURIComponent(segment) : segment;
    if (!decoded.includes("\0")) return decoded;
  } catch {
    // A bad escape, or escapes that are not UTF-8.
  }
  throw new HttpError("malformed_path", "The path has a bad percent-escape, invalid UTF-8 or NUL");
}
