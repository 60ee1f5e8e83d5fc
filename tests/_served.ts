import { SERVER } from "./_server.ts";

/** A `boardcast serve` that runs in a process of its own. */
export interface Served {
  /** Where it listens, like `http://127.0.0.1:41234`. */
  readonly url: string;
  /** The API key that it printed at its first start. */
  readonly key: string;
  /** Asks it to stop, and returns its exit status and all that it wrote on standard error. */
  stop(): Promise<{ readonly status: number; readonly log: string }>;
}

/** How a server is started. */
export interface ServeOptions {
  /** Flags beside `--storage memory --port 0 --log json`. */
  readonly args?: readonly string[];
  /** Permissions; all of them unless told otherwise. */
  readonly permissions?: readonly string[];
  /** Environment variables beside those of the test. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the real command over storage in memory, on a free port. */
export async function startServer(options: ServeOptions = {}): Promise<Served> {
  const { args = [], permissions = ["--allow-all"], env } = options;
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--quiet", ...permissions, SERVER],
      ...["--storage", "memory", "--port", "0", "--log", "json", ...args],
    ],
    env: { NO_COLOR: "1", ...env },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const out = collect(child.stdout);
  const err = collect(child.stderr);
  const url = await err.find(/"url":"([^"]+)\/"/);
  const key = await out.find(/\b(bc_[0-9A-Za-z]{36})\b/);
  if (url === undefined || key === undefined) {
    throw new Error(`Cannot start the server:\n${err.text()}`);
  }

  return {
    url,
    key,
    async stop() {
      child.kill("SIGTERM");
      const { code } = await child.status;
      await Promise.all([out.ended, err.ended]);
      return { status: code, log: err.text() };
    },
  };
}

interface Collected {
  /** What arrived until now. */
  text(): string;
  /** Waits for a match and returns its first group, or nothing if the stream ends before. */
  find(pattern: RegExp): Promise<string | undefined>;
  /** Resolves at the end of the stream. */
  readonly ended: Promise<void>;
}

function collect(stream: ReadableStream<Uint8Array>): Collected {
  let text = "";
  let arrival = Promise.withResolvers<boolean>();

  async function read(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const bytes of stream) {
      text += decoder.decode(bytes, { stream: true });
      arrival.resolve(true);
      arrival = Promise.withResolvers();
    }
    arrival.resolve(false);
  }

  const ended = read();
  return {
    text: () => text,
    ended,
    async find(pattern) {
      for (let more = true; more;) {
        const match = pattern.exec(text);
        if (match !== null) return match[1];
        more = await arrival.promise;
      }
    },
  };
}
