/**
 * Measures import and export of many subscribers on each storage: rows a second, the most
 * memory that the process had, and the last page of a listing against the first.
 *
 * ```sh
 * deno run --allow-all bench/import.ts [ROWS]
 * ```
 *
 * `none` is storage that forgets at once: the cost of the import itself. PostgreSQL runs
 * with its defaults, so that each commit is on disk; `TEST_POSTGRES_URL` names another
 * server, whose schema `boardcast` must be empty.
 */
import type { Surroundings } from "../commands/_command.ts";
import { readPages } from "../commands/_listing.ts";
import { readArguments } from "../commands/_options.ts";
import { makeFolder } from "./_folder.ts";
import { figure, table } from "./_table.ts";
import { runCommand } from "../commands/mod.ts";
import { openStorage, STORAGE_OPTIONS } from "../commands/_storage.ts";
import { openMemoryStorage, type Storage, type SubscriptionStorage } from "../mod.ts";
import { applySubscriptionChange } from "../model/subscription.ts";
import { openServer, startCluster } from "../tests/_postgres.ts";

const PAGE_SIZE = 100;
const PAGE_ROUNDS = 200;

interface Figures {
  readonly importSeconds: number;
  readonly importPeakMiB: number;
  readonly exportSeconds: number;
  /** The time of the last page as a multiple of that of the first. */
  readonly lastPage: number;
}

const [first = "1000000", ...rest] = Deno.args;
if (first === "measure") console.log(JSON.stringify(await measure(rest[0], rest[1])));
else await compare(Number(first));

async function compare(rowCount: number): Promise<void> {
  await using folder = await makeFolder();
  const server = Deno.env.get("TEST_POSTGRES_URL")
    ? await openServer()
    : await startCluster({ durable: true });
  try {
    const path = `${folder.path}/people.csv`;
    await writeRows(path, rowCount);
    const rows: string[][] = [];
    for (const storage of ["none", "memory", `file:${folder.path}/data`, server.url]) {
      const figures = await measureApart(storage, path);
      const rate = (seconds: number) => figure(rowCount / seconds);
      rows.push([
        storage.split(":")[0],
        rate(figures.importSeconds),
        figure(figures.importPeakMiB),
        storage === "none" ? "–" : rate(figures.exportSeconds),
        storage === "none" ? "–" : figure(figures.lastPage, 2),
      ]);
    }
    const headings = [
      "Storage",
      "Import, rows/s",
      "Peak, MiB",
      "Export, rows/s",
      "Last page / first",
    ];
    console.log(table(headings, rows));
  } finally {
    await server.dispose();
  }
}

/** Writes rows in no order, as lists from elsewhere are, a tenth of them opted out. */
async function writeRows(path: string, rowCount: number): Promise<void> {
  using file = await Deno.open(path, { write: true, create: true });
  const writer = file.writable.getWriter();
  const encoder = new TextEncoder();
  // A prime stride visits each number once.
  const stride = 611_953;
  let text = "userEmail,userName,subscribed\n";
  for (let row = 0; row < rowCount; row++) {
    const number = (row * stride) % rowCount;
    text += `user${number}@example.com,User ${number},${number % 10 !== 0}\n`;
    if (text.length > 65_536 || row === rowCount - 1) {
      await writer.write(encoder.encode(text));
      text = "";
    }
  }
  await writer.close();
}

/** Measures in a process of its own, which begins with no memory used. */
async function measureApart(storage: string, path: string): Promise<Figures> {
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--quiet", import.meta.filename!, "measure", storage, path],
    stderr: "inherit",
  }).output();
  if (code !== 0) throw new Error(`Cannot measure ${storage.split(":")[0]}`);
  return JSON.parse(new TextDecoder().decode(stdout));
}

async function measure(name: string, path: string): Promise<Figures> {
  const storage = name === "none" ? forgetful() : name === "memory" ? openMemoryStorage() : null;
  const kept: Storage | null = storage && { ...storage, close: () => Promise.resolve() };
  const surroundings: Surroundings = {
    environment: () => undefined,
    openStorage: (given) => kept ? Promise.resolve(kept) : openStorage(given),
    terminal: { out: () => {}, err: () => {} },
  };
  const flags = ["--storage", kept ? "file:unused" : name];

  const importSeconds = await time(() => run(["subscribers", "import", path, ...flags]));
  const importPeakMiB = await readPeakMiB();
  const exportSeconds = await time(() => run(["subscribers", "export", ...flags]));
  const lastPage = await comparePages(
    kept ?? await openStorage(await readArguments(flags, STORAGE_OPTIONS, () => undefined)),
  );
  return { importSeconds, importPeakMiB, exportSeconds, lastPage };

  async function run(args: readonly string[]): Promise<void> {
    const status = await runCommand(args, surroundings);
    if (status !== 0) throw new Error(`${args.slice(0, 2).join(" ")} ended with ${status}`);
  }
}

/** Measures pages of both ends in turn, so that both meet the same conditions. */
async function comparePages(storage: Storage): Promise<number> {
  const { subscriptions } = storage;
  const seconds = { first: 0, last: 0 };
  const last = await findLastPage(subscriptions);
  for (let round = 0; round < PAGE_ROUNDS; round++) {
    seconds.first += await time(() => subscriptions.list({ limit: PAGE_SIZE }));
    seconds.last += await time(() => subscriptions.list({ after: last, limit: PAGE_SIZE }));
  }
  await storage.close();
  return seconds.last / seconds.first;
}

/** Returns the address after which one page is left, where there are that many. */
async function findLastPage(subscriptions: SubscriptionStorage): Promise<string | undefined> {
  let before: string | undefined;
  const pages = readPages(subscriptions, ({ userEmail }) => userEmail);
  for await (const page of pages) before = page.at(-PAGE_SIZE - 1)?.userEmail ?? before;
  return before;
}

async function time(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return (performance.now() - started) / 1_000;
}

/** The most memory that this process had so far (Linux; elsewhere what it has now). */
async function readPeakMiB(): Promise<number> {
  const status = await Deno.readTextFile("/proc/self/status").catch(() => "");
  const [, peakKiB] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? [];
  return peakKiB ? Number(peakKiB) / 1_024 : Deno.memoryUsage().rss / 1_048_576;
}

/** Storage that keeps nothing of subscribers. */
function forgetful(): Storage {
  const storage = openMemoryStorage();
  return {
    ...storage,
    subscriptions: {
      ...storage.subscriptions,
      put: (change) =>
        Promise.resolve({
          subscription: applySubscriptionChange(undefined, change),
          changed: true,
        }),
    },
  };
}
