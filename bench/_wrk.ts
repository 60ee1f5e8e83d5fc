import { AUTHORIZATION, BOARD_ID } from "./_contenders.ts";
import type { ServerProcess } from "./_process.ts";

/** A request for wrk to repeat. */
export interface Load {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Request bodies to send in turn. Each comes from a Lua expression, in which `run` is a text that
   * differs between measurements. Absent: no body.
   */
  readonly bodies?: { readonly count: number; readonly lua: string };
  /** A Lua expression for the path of each request. Absent: always `path`. */
  readonly pathLua?: string;
}

/** The figures of wrk, and the processor time of the server. */
export interface Measurement {
  readonly perSecond: number;
  /** The processor time per request. */
  readonly cpuUs: number;
  readonly p99Ms: number;
}

const FORM = { "Content-Type": "application/x-www-form-urlencoded" } as const;

export const GET_BOARD: Load = {
  method: "GET",
  path: `/api/v1/boards/${BOARD_ID}`,
  headers: AUTHORIZATION,
};

/**
 * Unsubscribes users in turn, then subscribes them again, and so on, so that each request changes
 * something. Every measurement uses its own names. Consecutive users are far apart in the order of
 * addresses, and there are many of them, because real users seldom change their subscription.
 */
export function putSubscriptions(users = 20_000, requests = 2 * users): Load {
  const changing = requests / 2;
  return {
    method: "PUT",
    path: "/api/v1/changelogs/subscribe",
    headers: { ...AUTHORIZATION, ...FORM },
    bodies: {
      count: requests,
      lua: `"userEmail=user" .. ((i % ${changing} * 7919) % ${users}) .. "%40example.com` +
        `&userName=" .. run .. "&subscribe=" .. tostring(i >= ${changing})`,
    },
  };
}

/** Votes as a new person with each request, for each post in turn. */
export function putVotes(postsPath: string, posts: number): Load {
  return {
    method: "PUT",
    path: postsPath,
    headers: { ...AUTHORIZATION, ...FORM },
    pathLua: `"${postsPath}/p" .. (i % ${posts}) .. "/votes"`,
    bodies: {
      count: 100_000,
      lua: `"userEmail=v" .. i .. run .. "%40example.com&vote=true"`,
    },
  };
}

/**
 * Measures a server with wrk. Throws if a request got no response, or a status other than 2xx or
 * 3xx.
 */
export async function measure(
  { port, cpuMs }: ServerProcess,
  load: Load,
  { connections, seconds }: { readonly connections: number; readonly seconds: number },
): Promise<Measurement> {
  const script = await Deno.makeTempFile({ suffix: ".lua" });
  try {
    await Deno.writeTextFile(script, toLua(load));
    const beforeMs = await cpuMs();
    const { stdout, stderr, success } = await new Deno.Command("wrk", {
      args: [
        "-t1",
        `-c${connections}`,
        `-d${seconds}s`,
        "--timeout",
        "10s",
        "-s",
        script,
        `http://127.0.0.1:${port}${load.path}`,
      ],
    }).output();
    const usedMs = await cpuMs() - beforeMs;
    const text = new TextDecoder().decode(stdout);
    const found = /RESULT (.+)/.exec(text);
    if (!success || found === null) {
      throw new Error(`wrk failed: ${text}${new TextDecoder().decode(stderr)}`);
    }
    const [requests, durationUs, p99Us, refused, failed] = found[1].split(" ").map(Number);
    if (refused + failed > 0) {
      throw new Error(`${load.method} ${load.path}: ${refused} were refused, ${failed} failed`);
    }
    return {
      perSecond: requests / durationUs * 1e6,
      cpuUs: usedMs * 1e3 / requests,
      p99Ms: p99Us / 1e3,
    };
  } finally {
    await Deno.remove(script);
  }
}

// All requests are created before the first is sent, so that wrk takes little processor time.
function toLua(load: Load): string {
  const { method, headers, pathLua = "nil", bodies = { count: 1, lua: "nil" } } = load;
  const lines = Object.entries(headers).map(([name, value]) =>
    `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`
  );
  return `
wrk.method = "${method}"
${lines.join("\n")}
local run = "${crypto.randomUUID()}"
local made = {}
local at = 0
function init()
  for i = 0, ${bodies.count} - 1 do made[i + 1] = wrk.format(nil, ${pathLua}, nil, ${bodies.lua}) end
end
function request()
  at = at % ${bodies.count} + 1
  return made[at]
end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format("\\nRESULT %d %d %d %d %d\\n", summary.requests, summary.duration,
    latency:percentile(99), e.status, e.connect + e.read + e.write + e.timeout))
end
`;
}
