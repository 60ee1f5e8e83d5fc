/** The key that the servers take. */
export const API_KEY = "bench-key-of-the-operator-0000";

const PATH = "/api/v1/changelogs/subscribe";

/** The address of a subscriber that was there before. */
export function emailOf(index: number): string {
  return `subscriber${index}@example${index % 100}.com`;
}

/** A server that runs. */
export interface BenchServer {
  readonly url: string;
  readonly openMs: number;
  readonly rssMb: number;
  stop(): Promise<void>;
}

/** Starts a server in a process of its own and waits until it listens. */
export async function startServer(
  kind: string,
  directory: string,
  count: number,
): Promise<BenchServer> {
  const script = new URL("./server.ts", import.meta.url).href;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", script, kind, directory, `${count}`],
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("\n")) text += (await reader.read()).value ?? "";
  reader.releaseLock();
  const { port, openMs, rssMb } = JSON.parse(text);
  return {
    url: `http://127.0.0.1:${port}`,
    openMs,
    rssMb,
    async stop() {
      child.kill("SIGTERM");
      await child.status;
    },
  };
}

/** What wrk measured. */
export interface Rate {
  readonly requestsPerSecond: number;
  readonly p99Ms: number;
}

/** Puts changes with wrk, each of which really changes a subscriber, over some connections. */
export async function putWithWrk(
  url: string,
  options: { readonly count: number; readonly seconds: number; readonly connections: number },
): Promise<Rate> {
  const script = await Deno.makeTempFile({ suffix: ".lua" });
  await Deno.writeTextFile(
    script,
    `
local n = 0
local thread = 0
function setup(t) t:set("id", thread) thread = thread + 1 end
function init() math.randomseed(os.time() * 7 + id) end
function request()
  n = n + 1
  local i = math.random(0, ${options.count - 1})
  return wrk.format("PUT", "${PATH}", {
    ["Authorization"] = "Bearer ${API_KEY}",
    ["Content-Type"] = "application/x-www-form-urlencoded",
  }, "userEmail=subscriber" .. i .. "%40example" .. (i % 100) .. ".com&subscribe=true&userName=" ..
    id .. "x" .. n)
end
function done(summary, latency)
  local failed = summary.errors.status + summary.errors.connect + summary.errors.read +
    summary.errors.write + summary.errors.timeout
  io.write(string.format("\\nRESULT %f %f %d\\n", summary.requests / summary.duration * 1e6,
    latency:percentile(99) / 1000, failed))
end
`,
  );
  const { stdout } = await new Deno.Command("wrk", {
    args: ["-t2", `-c${options.connections}`, `-d${options.seconds}`, "-s", script, url],
  }).output();
  await Deno.remove(script);
  const found = /RESULT (\S+) (\S+) (\d+)/.exec(new TextDecoder().decode(stdout));
  if (found === null || found[3] !== "0") throw new Error(`wrk failed: ${found?.[0]}`);
  return { requestsPerSecond: Number(found[1]), p99Ms: Number(found[2]) };
}

/** Removes one subscriber, which has the file storage folded soon. */
export async function eraseOne(url: string, index: number): Promise<void> {
  const response = await fetch(`${url}/api/v1/changelogs/subscribers/${emailOf(index)}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${API_KEY}` },
  });
  await response.body?.cancel();
  if (response.status !== 204) throw new Error(`the erasure answered ${response.status}`);
}

/** Returns the middle one of some numbers. */
export function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}
