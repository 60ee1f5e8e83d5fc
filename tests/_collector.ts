/** A span as it is exported (OTLP 1.5, JSON encoding), as far as tests look at it. */
export interface ExportedSpan {
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly { readonly key: string; readonly value: unknown }[];
}

/** A collector of telemetry on a free port of this machine. */
export interface Collector {
  /** The value of `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  /** The bodies that arrived, by path: `/v1/traces`, `/v1/metrics`, `/v1/logs`. */
  readonly bodies: ReadonlyMap<string, string>;
  /** The spans that arrived. */
  spans(): readonly ExportedSpan[];
  /** Stops collecting. */
  close(): Promise<void>;
}

interface TraceExport {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly ExportedSpan[] }[];
  }[];
}

/** Starts a collector of OTLP over HTTP with JSON. */
export function startCollector(): Collector {
  const bodies = new Map<string, string>();
  const spans: ExportedSpan[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    const body = await request.text();
    bodies.set(pathname, (bodies.get(pathname) ?? "") + body);
    if (pathname === "/v1/traces") {
      const { resourceSpans }: TraceExport = JSON.parse(body);
      spans.push(...resourceSpans.flatMap((r) => r.scopeSpans).flatMap((scope) => scope.spans));
    }
    return Response.json({});
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    bodies,
    spans: () => spans,
    close: () => server.shutdown(),
  };
}
