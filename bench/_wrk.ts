import type { ServerProcess } from "./_process.ts";

/** One request that wrk is to repeat. */
export interface Load {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The bodies that are sent in turn; none: requests without a body. */
  readonly bodies?: { readonly count: number; readonly lua: string };
  /** Bearer tokens that are sent in turn, by requests without a body. */
  readonly tokens?: readonly string[];
}

/** What wrk measured, and what the server used meanwhile. */
export interface Measurement {
  readonly perSecond: number;
  readonly cpuUs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Responses that were not 2xx or 3xx. */
  readonly refused: number;
  /** Requests without an answer. */
  readonly failed: number;
}

/** Options of {@linkcode measure}. */
export interface MeasureOptions {
  readonly connections: number;
  readonly seconds: number;
}

/** The key that every server under test takes. */
export const KEY = "bench-key-of-the-operator-0000";
/** The board that every server under test has. */
export const BOARD_ID = "feature-requests";
/** The header that brings {@linkcode KEY}. */
export const AUTHORIZATION = { Authorization: `Bearer ${KEY}` } as const;

const FORM = { "Content-Type": "application/x-www-form-urlencoded" } as const;

/** Reads the one board. */
export const GET_BOARD: Load = {
  method: "GET",
  path: `/api/v1/boards/${BOARD_ID}`,
  headers: AUTHORIZATION,
};

/**
 * Subscribes a number of users in turn, then unsubscribes them, and so on: each request
 * changes something. `stride` spreads neighbours over the whole range.
 */
export function putSubscriptions(users = 1_000, requests = 2 * users): Load {
  return {
    method: "PUT",
    path: "/api/v1/changelogs/subscribe",
    headers: { ...AUTHORIZATION, ...FORM },
    bodies: {
      count: requests,
      lua:
        `"userEmail=user" .. ((i * 7919) % ${users}) .. "%40example.com&userName=Ann&subscribe="` +
        ` .. tostring(math.floor(i / ${users}) % 2 == 0)`,
    },
  };
}

/** Puts a load on a server by wrk, over some connections for some seconds. */
export async function measure(
  server: ServerProcess,
  load: Load,
  { connections, seconds }: MeasureOptions,
): Promise<Measurement> {
  const script = await Deno.makeTempFile({ suffix: ".lua" });
  try {
    await Deno.writeTextFile(script, toLua(load));
    const cpuMs = await server.cpuMs();
    const { stdout, stderr, success } = await new Deno.Command("wrk", {
      args: [
        ...["-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", "10s", "-s", script],
        `http://127.0.0.1:${server.port}${load.path}`,
      ],
    }).output();
    const usedMs = await server.cpuMs() - cpuMs;
    const text = new TextDecoder().decode(stdout);
    const found = /RESULT (.+)/.exec(text);
    if (!success || found === null) {
      throw new Error(`wrk failed: ${text}${new TextDecoder().decode(stderr)}`);
    }
    const [requests, durationUs, p50Us, p99Us, refused, failed] = found[1].split(" ").map(Number);
    return {
      perSecond: requests / durationUs * 1e6,
      cpuUs: usedMs * 1e3 / requests,
      p50Ms: p50Us / 1e3,
      p99Ms: p99Us / 1e3,
      refused,
      failed,
    };
  } finally {
    await Deno.remove(script);
  }
}

// All requests are made before the first is sent, so that wrk takes little of the processor.
function toLua({ method, headers, bodies, tokens }: Load): string {
  const lines = Object.entries(headers).map(([name, value]) =>
    `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`
  );
  const count = tokens?.length ?? bodies?.count ?? 1;
  const credentials = tokens === undefined ? "nil" : `{ Authorization = "Bearer " .. tokens[i] }`;
  return `
wrk.method = "${method}"
local tokens = { ${tokens?.map((token) => `"${token}"`).join(", ") ?? ""} }
${lines.join("\n")}
local made = {}
local at = 0
function init()
  for i = 1, ${count} do
    made[i] = wrk.format(nil, nil, ${credentials}, ${bodies?.lua ?? "nil"})
  end
end
function request()
  at = at % ${count} + 1
  return made[at]
end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format("\\nRESULT %d %d %d %d %d %d\\n", summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), e.status,
    e.connect + e.read + e.write + e.timeout))
end
`;
}
