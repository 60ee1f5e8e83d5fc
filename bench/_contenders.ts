import { fileURLToPath } from "node:url";
import { runDeno, runProgram } from "../packaging/_deno.ts";
import { makeFolder } from "./_folder.ts";
import { type ServerCommand, type ServerProcess, startServer } from "./_process.ts";

/** The key that every contender accepts. */
export const KEY = "bench-key-of-the-operator-0000";
/** The board that every contender has. */
export const BOARD_ID = "feature-requests";
/** The header that sends {@linkcode KEY}. */
export const AUTHORIZATION = { Authorization: `Bearer ${KEY}` } as const;

/** A server that can be started for a measurement. */
export interface Contender {
  readonly name: string;
  /** Starts the server with the board {@linkcode BOARD_ID}. */
  start(): Promise<ServerProcess>;
}

/** Options of {@linkcode boardcast}. */
export interface BoardcastOptions {
  /** The value of `--storage`. Default: `memory`. */
  readonly storage?: string;
  /** Additional environment variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** The script to run. Default: `server.ts`. */
  readonly script?: string;
}

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Starts Boardcast as users do, but with a known key and without a rate limit. */
export function boardcast(name = "Boardcast", options: BoardcastOptions = {}): Contender {
  const { storage = "memory", env = {}, script = `${ROOT}server.ts` } = options;
  return {
    name,
    async start() {
      const server = await startServer({
        program: Deno.execPath(),
        args: () => ["run", "--no-check", "-A", script],
        env: (port) => ({
          ...env,
          BOARDCAST_API_KEY: KEY,
          BOARDCAST_PORT: `${port}`,
          BOARDCAST_STORAGE: storage,
          BOARDCAST_RATE_LIMIT: "off",
          BOARDCAST_LOG: "off",
        }),
      });
      await createBoard(server);
      return server;
    },
  };
}

/** Starts a bare `Deno.serve`, the upper limit for all servers on Deno. */
export function bare(): Contender {
  return deno("bare Deno.serve", "bare.ts");
}

export function hono(): Contender {
  return deno("Hono on Deno", "hono.ts");
}

/** Servers on Node. Their packages are removed at the end of the scope. */
export interface NodeContenders extends AsyncDisposable {
  readonly contenders: readonly Contender[];
}

/** Installs Fastify and Express, and bundles the common rules for Node. */
export async function installNode(): Promise<NodeContenders> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await makeFolder());
  for await (const { name } of Deno.readDir(`${ROOT}bench/node`)) {
    await Deno.copyFile(`${ROOT}bench/node/${name}`, `${folder.path}/${name}`);
  }
  const rules = `${ROOT}bench/contenders/_rules.ts`;
  await runDeno(["bundle", "-q", rules, "-o", `${folder.path}/rules.mjs`]);
  await runProgram("npm", ["install", "--no-audit", "--no-fund"], folder.path);
  const node = (name: string, file: string) =>
    contender(name, {
      program: "node",
      args: (port) => [file, `${port}`, KEY],
      env: () => ({ NODE_ENV: "production" }),
      cwd: folder.path,
    });
  const kept = stack.move();
  return {
    contenders: [node("Fastify on Node", "fastify.mjs"), node("Express on Node", "express.mjs")],
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function deno(name: string, file: string): Contender {
  const script = `${ROOT}bench/contenders/${file}`;
  const args = (port: number) => ["run", "--no-check", "-A", script, `${port}`, KEY];
  return contender(name, { program: Deno.execPath(), args });
}

function contender(name: string, command: ServerCommand): Contender {
  return { name, start: () => startServer(command) };
}

async function createBoard({ port }: ServerProcess): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/boards`, {
    method: "POST",
    headers: AUTHORIZATION,
    body: new URLSearchParams({ boardId: BOARD_ID, name: "Feature requests" }),
  });
  await response.body?.cancel();
  if (response.status !== 201 && response.status !== 409) {
    throw new Error(`Cannot create the board: ${response.status}`);
  }
}
