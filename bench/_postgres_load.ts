import { fileURLToPath } from "node:url";
import { openPostgresStorage } from "../adapters/postgres.ts";
import { issueKey } from "../model/issue_key.ts";

/** A server process under load. */
export interface BenchServer {
  /** The address, like `http://127.0.0.1:1234`. */
  readonly url: string;
  /** Ends the process. */
  stop(): Promise<void>;
}

const DECODER = new TextDecoder();

/** Creates the key that the load uses, and boards to read; returns the key's text. */
export async function prepareDatabase(url: string): Promise<string> {
  const storage = await openPostgresStorage(url);
  const at = new Date().toISOString();
  const { key, text } = await issueKey({ name: "bench", scopes: ["*"], expiresAt: null }, at);
  await storage.apiKeys.create(key);
  await Promise.all(Array.from({ length: 1_000 }, (_, i) =>
    storage.boards.create({
      boardId: `board${i}`,
      name: `Board ${i}`,
      description: "What people would like to see next.",
      url: `https://example.com/boards/${i}`,
      createdAt: at,
      updatedAt: at,
    })));
  await storage.close();
  return text;
}

/** Starts `postgres_server.ts` with arguments. */
export async function startServer(args: readonly string[]): Promise<BenchServer> {
  const script = fileURLToPath(new URL("./postgres_server.ts", import.meta.url));
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", script, ...args],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  const port = DECODER.decode((await reader.read()).value).trim();
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      await child.stdin.close();
      await reader.cancel();
      await child.status;
    },
  };
}

/** What `wrk` is to send. */
export interface HttpLoad {
  /** How many connections. */
  readonly connections: number;
  /** For how long. */
  readonly seconds: number;
  /** A script for `wrk`. */
  readonly script: string;
}

/** Runs `wrk` and returns requests per second; throws if an answer was no success. */
export async function runWrk(
  url: string,
  { connections, seconds, script }: HttpLoad,
): Promise<number> {
  const file = await Deno.makeTempFile({ suffix: ".lua" });
  try {
    await Deno.writeTextFile(file, script);
    const output = await run("wrk", [
      ...["-t1", `-c${connections}`, `-d${seconds}s`, "-s", file],
      url,
    ]);
    if (/Non-2xx|Socket errors/.test(output)) throw new Error(output);
    return readRate(/Requests\/sec:\s+([\d.]+)/, output);
  } finally {
    await Deno.remove(file);
  }
}

/** Runs `pgbench` with one prepared statement and returns transactions per second. */
export async function runPgbench(
  url: string,
  { connections, seconds, script }: HttpLoad,
): Promise<number> {
  const file = await Deno.makeTempFile({ suffix: ".sql" });
  try {
    await Deno.writeTextFile(file, script);
    const output = await run("pgbench", [
      ...["-n", "-M", "prepared", "-f", file, "-c", `${connections}`, "-T", `${seconds}`],
      url,
    ]);
    return readRate(/tps = ([\d.]+)/, output);
  } finally {
    await Deno.remove(file);
  }
}

/** The load of `PUT /changelogs/subscribe`, evenly over so many addresses. */
export function putScript(key: string, addresses: number): string {
  return `
math.randomseed(os.time() + tonumber(tostring({}):sub(8), 16) % 1000000)
local head = { ["Authorization"] = "Bearer ${key}",
  ["Content-Type"] = "application/x-www-form-urlencoded" }
local path = "/api/v1/changelogs/subscribe"
request = function()
  local state = math.random(2) == 1 and "true" or "false"
  return wrk.format("PUT", path, head, "userEmail=user" .. math.random(${addresses}) ..
    "%40example.com&userName=Ann&subscribe=" .. state)
end`;
}

/** The same change as a statement of `pgbench`. */
export function putStatement(addresses: number): string {
  return `\\set i random(1, ${addresses})
\\set state random(0, 1)
insert into boardcast.subscriptions as s
values ('user' || :i || '@example.com', 'Ann', :state = 1, now(), now())
on conflict (user_email) do update set user_name = coalesce(excluded.user_name, s.user_name),
  subscribed = excluded.subscribed, updated_at = excluded.updated_at
returning *;`;
}

/** The load of `GET /boards/:boardId`. */
export function getScript(key: string): string {
  return `
local head = { ["Authorization"] = "Bearer ${key}" }
request = function()
  return wrk.format("GET", "/api/v1/boards/board" .. math.random(0, 999), head)
end`;
}

/** The same look-up as a statement of `pgbench`. */
export const GET_STATEMENT = `\\set i random(0, 999)
select * from boardcast.boards where board_id = 'board' || :i;`;

function readRate(pattern: RegExp, output: string): number {
  const match = pattern.exec(output);
  if (match === null) throw new Error(`No rate in the output: ${output}`);
  return Number(match[1]);
}

async function run(program: string, args: readonly string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, { args: [...args] }).output();
  if (!success) throw new Error(`${program} failed: ${DECODER.decode(stderr)}`);
  return DECODER.decode(stdout);
}
