import { AUTHORIZATION, BOARD_ID } from "./_contenders.ts";
import type { ProcessFigures } from "./_process.ts";

/** One request that wrk is to repeat. */
export interface Load {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The bodies that are sent in turn; none: requests without a body. */
  readonly bodies?: { readonly count: number; readonly lua: string };
  /** Values of `Authorization` that are sent in turn. Not with `bodies`. */
  readonly authorizations?: readonly string[];
}

/** What wrk measured, and what the server used meanwhile. */
export interface Measurement {
  readonly perSecond: number;
  readonly cpuUs: number;
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
  /** How long an answer may take, in seconds. Default: 10. */
  readonly timeoutSeconds?: number;
}

/** What a load is put on. */
export interface Target extends ProcessFigures {
  readonly port: number;
  /** Default: `http`. */
  readonly scheme?: "http" | "https";
  /** The address as a URL has it. Default: 127.0.0.1. */
  readonly host?: string;
}

const FORM = { "Content-Type": "application/x-www-form-urlencoded" } as const;

/** Reads the one board. */
export const GET_BOARD: Load = {
  method: "GET",
  path: `/api/v1/boards/${BOARD_ID}`,
  headers: AUTHORIZATION,
};

/**
 * Unsubscribes some of a number of users in turn, then subscribes them, and so on: each request
 * changes something. Those who follow one another are spread over the whole range.
 */
export function putSubscriptions(users = 1_000, requests = 2 * users): Load {
  const changing = requests / 2;
  return {
    method: "PUT",
    path: "/api/v1/changelogs/subscribe",
    headers: { ...AUTHORIZATION, ...FORM },
    bodies: {
      count: requests,
      lua: `"userEmail=user" .. ((i % ${changing} * 7919) % ${users}) .. "%40example.com` +
        `&userName=Ann&subscribe=" .. tostring(i >= ${changing})`,
    },
  };
}

/** Like {@linkcode measure}, and throws where a request was not served. */
export async function measureServed(
  target: Target,
  load: Load,
  options: MeasureOptions,
): Promise<Measurement> {
  const found = await measure(target, load, options);
  const { refused, failed } = found;
  if (refused + failed > 0) {
    throw new Error(`${load.method} ${load.path}: ${refused} were refused, ${failed} failed`);
  }
  return found;
}

/** Puts a load on a server by wrk, over some connections for some seconds. */
export async function measure(
  target: Target,
  load: Load,
  { connections, seconds, timeoutSeconds = 10 }: MeasureOptions,
): Promise<Measurement> {
  const { scheme = "http", host = "127.0.0.1", port } = target;
  const script = await Deno.makeTempFile({ suffix: ".lua" });
  try {
    await Deno.writeTextFile(script, toLua(load));
    const cpuMs = await target.cpuMs();
    const { stdout, stderr, success } = await new Deno.Command("wrk", {
      args: [
        ...["-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", `${timeoutSeconds}s`],
        ...["-s", script, `${scheme}://${host}:${port}${load.path}`],
      ],
    }).output();
    const usedMs = await target.cpuMs() - cpuMs;
    const text = new TextDecoder().decode(stdout);
    const found = /RESULT (.+)/.exec(text);
    if (!success || found === null) {
      throw new Error(`wrk failed: ${text}${new TextDecoder().decode(stderr)}`);
    }
    const [requests, durationUs, p99Us, refused, failed] = found[1].split(" ").map(Number);
    return {
      perSecond: requests / durationUs * 1e6,
      cpuUs: usedMs * 1e3 / requests,
      p99Ms: p99Us / 1e3,
      refused,
      failed,
    };
  } finally {
    await Deno.remove(script);
  }
}

// All requests are made before the first is sent, so that wrk takes little of the processor.
function toLua({ method, headers, authorizations, ...load }: Load): string {
  const { count, lua } = load.bodies ?? { count: authorizations?.length ?? 1, lua: "nil" };
  const lines = Object.entries(headers).map(([name, value]) =>
    `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`
  );
  return `
wrk.method = "${method}"
${lines.join("\n")}
local made = {}
local at = 0
local authorizations = string.gmatch([[${authorizations?.join("\n") ?? ""}]], "[^\\n]+")
function init()
  for i = 0, ${count} - 1 do
    wrk.headers.Authorization = authorizations() or wrk.headers.Authorization
    made[i + 1] = wrk.format(nil, nil, nil, ${lua})
  end
end
function request()
  at = at % ${count} + 1
  return made[at]
end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format("\\nRESULT %d %d %d %d %d\\n", summary.requests, summary.duration,
    latency:percentile(99), e.status, e.connect + e.read + e.write + e.timeout))
end
`;
}
