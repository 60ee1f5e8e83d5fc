/**
 * Measures the public changelog of 1,000 entries beside a bare `Deno.serve` that returns the same
 * bytes with the same headers. Needs wrk.
 *
 *     deno run -A --no-check bench/changelog.ts [ROUNDS] [SECONDS]
 */
import { fileURLToPath } from "node:url";
import { openFileStorage } from "../adapters/file.ts";
import { createHandler, openMemoryStorage, type Storage } from "../mod.ts";
import { createEntry, publish } from "../services/entries.ts";
import { alternate, createSamples } from "./_rounds.ts";
import { figure, table } from "./_table.ts";

const PATHS = ["/changelog", "/changelog.atom"];
const CONTENDERS = ["bare", "memory", "file"] as const;
const ENTRIES = 1_000;
const CONNECTIONS = 64;
const PARAGRAPH = "Press **D**, or open [Settings](https://example.com/settings) & choose. ";
const START_MS = Date.parse("2026-11-21T10:00:00.000Z");

async function fill(storage: Storage): Promise<void> {
  for (let i = 0; i < ENTRIES; i++) {
    const at = new Date(START_MS - i * 60_000).toISOString();
    const entryId = `entry-${i}`;
    await createEntry(storage, {
      entryId,
      title: `What is new, number ${i}`,
      body: `${PARAGRAPH.repeat(5)}\n\n- One\n- Two\n\n${PARAGRAPH.repeat(5)}`,
      labels: ["new", "editor"],
      url: null,
      publishedAt: null,
      firstPublishedAt: null,
      announceAt: null,
      createdAt: at,
      updatedAt: at,
    });
    await publish(storage, entryId, { from: at, at, notify: false });
  }
}

/** Serves one contender until the process is ended, and prints its port. */
async function serve(contender: string, path: string, folder: string): Promise<void> {
  const storage = contender === "file" ? await openFileStorage(folder) : openMemoryStorage();
  await fill(storage);
  let handler: (request: Request) => Response | Promise<Response> = createHandler({
    storage,
    publicUrl: "http://127.0.0.1:8000",
  });
  if (contender === "bare") {
    const response = await handler(new Request(`http://127.0.0.1${path}`));
    const [bytes, headers] = [await response.arrayBuffer(), [...response.headers]];
    handler = () => new Response(bytes, { headers: headers as [string, string][] });
  }
  const onListen = ({ port }: Deno.NetAddr) => console.log(port);
  Deno.serve({ hostname: "127.0.0.1", port: 0, onListen }, handler);
}

/** Starts a contender and returns how many requests per second it answered. */
async function measure(contender: string, path: string, seconds: number): Promise<number> {
  const folder = await Deno.makeTempDir();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", fileURLToPath(import.meta.url), contender, path, folder],
    stdout: "piped",
  }).spawn();
  try {
    const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const port = Number((await output.read()).value);
    await output.cancel();
    const url = `http://127.0.0.1:${port}${path}`;
    const response = await fetch(url);
    if (!(await response.text()).includes("number 0")) {
      throw new Error(`${url}: ${response.status}`);
    }
    const args = ["-t1", `-c${CONNECTIONS}`, `-d${seconds}s`, url];
    const { stdout } = await new Deno.Command("wrk", { args }).output();
    const text = new TextDecoder().decode(stdout);
    const [, rate] = /Requests\/sec:\s+([\d.]+)/.exec(text) ?? [];
    if (rate === undefined || text.includes("Non-2xx")) throw new Error(`wrk: ${text}`);
    return Number(rate);
  } finally {
    child.kill("SIGKILL");
    await child.status;
    await Deno.remove(folder, { recursive: true });
  }
}

const [first = "5", second = "3", third = ""] = Deno.args;
if (CONTENDERS.some((contender) => contender === first)) {
  await serve(first, second, third);
} else {
  for (const path of PATHS) {
    const samples = createSamples();
    for (const contender of alternate(CONTENDERS, Number(first))) {
      samples.add(contender, await measure(contender, path, Number(second)));
    }
    const rows = CONTENDERS.map((name) => [
      name,
      figure(samples.median(name)),
      figure(samples.ratio(name, CONTENDERS[0]), 2),
    ]);
    console.log(table([`${path}, ${CONNECTIONS} connections`, "req/s", "of the limit"], rows));
  }
}
