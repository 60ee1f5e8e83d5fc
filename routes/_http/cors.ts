/** Adds CORS headers (WHATWG Fetch, section 3.2) to the headers of a response. */
export type Cors = (request: Request, headers: Headers) => void;

const EXPOSED = "ETag, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id";
const ALLOWED =
  "Authorization, Content-Type, If-Match, If-None-Match, Traceparent, Tracestate, X-Request-Id";
const MAX_AGE_SECONDS = 600;

/** Creates the CORS policy for a list of origins, each like `https://app.example.com`. */
export function createCors(origins: readonly string[]): Cors {
  const allowed = new Set(origins);
  return (request, headers) => {
    headers.append("Vary", "Origin");
    const origin = request.headers.get("origin");
    if (origin === null || !allowed.has(origin)) return;
    headers.set("Access-Control-Allow-Origin", origin);
    headers.set("Access-Control-Expose-Headers", EXPOSED);
    const isPreflight = request.method === "OPTIONS" &&
      request.headers.has("access-control-request-method");
    const methods = headers.get("allow");
    if (isPreflight && methods !== null) {
      headers.set("Access-Control-Allow-Methods", methods);
      headers.set("Access-Control-Allow-Headers", ALLOWED);
      headers.set("Access-Control-Max-Age", `${MAX_AGE_SECONDS}`);
    }
  };
}

/** Tells whether a text is an origin as browsers send it: a scheme, a host and maybe a port. */
export function isWebOrigin(text: string): boolean {
  return /^https?:\/\/[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
