import type { LogEvent } from "../mod.ts";

/** The API that OpenTelemetry implementations register in the global scope, as far as used. */
interface OpenTelemetry {
  readonly context: { active(): { getValue(key: symbol): unknown } };
  readonly trace: { getTracer(name: string): { startSpan(name: string): Span } };
}

interface Span {
  updateName(name: string): unknown;
  setAttribute(name: string, value: unknown): unknown;
}

// Both names are fixed by the OpenTelemetry API for JavaScript, so that all its copies meet.
const API = Symbol.for("opentelemetry.js.api.1");
const ACTIVE_SPAN = Symbol.for("OpenTelemetry Context Key SPAN");

/** Attributes that name people: paths hold e-mail addresses, and queries cursors made of them. */
const PERSONAL = new Set(["url.full", "url.path", "url.query"]);
/** Those of the API. Whatever else a client sends as its method may be its own word. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/**
 * Makes the spans that the runtime creates for requests (`OTEL_DENO=true`) fit to be kept:
 * nothing personal stands in them, and they are named by route template, like
 * `GET /api/v1/boards/:boardId` (OpenTelemetry semantic conventions for HTTP spans). Returns
 * what has to be called for each request while it is answered; `undefined` where no
 * telemetry is collected.
 */
export function createTelemetry(): ((event: LogEvent) => void) | undefined {
  const api: OpenTelemetry | undefined = Reflect.get(globalThis, API);
  if (api === undefined) return undefined;
  // This span is never ended, and so never exported.
  keepClean(Object.getPrototypeOf(api.trace.getTracer("boardcast").startSpan("none")));

  return ({ method, route }) => {
    const span = api.context.active().getValue(ACTIVE_SPAN) as Span | undefined;
    if (span === undefined) return;
    const known = method === "_OTHER" ? "HTTP" : method;
    if (route === null) return void span.updateName(known);
    span.updateName(`${known} ${route}`);
    span.setAttribute("http.route", route);
  };
}

/**
 * Keeps what is personal out of all spans. The runtime adds the URL before the handler is
 * called; an attribute that is set again is exported twice, and there is no hook for what is
 * exported. So it has to be stopped at the method that adds it.
 */
function keepClean(spans: Span): void {
  const { setAttribute } = spans;
  spans.setAttribute = function (name, value) {
    const isStrange = name === "http.request.method" && !METHODS.has(`${value}`);
    return PERSONAL.has(name) ? this : setAttribute.call(this, name, isStrange ? "_OTHER" : value);
  };
}
