import { fileURLToPath } from "node:url";
import { BOARD_ID, KEY } from "./_contenders.ts";
import type { Target } from "./_wrk.ts";

/** Something that holds sockets. */
export interface Attack {
  readonly name: string;
  /** Starts it; it ends with the scope. */
  start(victim: Target): AsyncDisposable;
}

/** How many sockets an attack holds, or tries to hold. */
export const SOCKETS = 5_000;
/** How fast it opens them. */
export const SOCKETS_PER_SECOND = 2_500;

const LIMIT_OF_FILES = SOCKETS + 1_000;
const LONGEST_SECONDS = 120;
// Within the pauses that a proxy allows between two pieces of a body.
const SECONDS_BETWEEN_PIECES = 4;

/**
 * Sockets that send nothing and come back when they are closed, slow heads, slow bodies, and those that
 * ask for the longest page and hardly read it.
 */
export const ATTACKS: readonly Attack[] = [
  {
    name: "silent",
    start({ port }) {
      const script = fileURLToPath(new URL("_silent.ts", import.meta.url));
      return spawn([
        ...[Deno.execPath(), "run", "--no-check", "--allow-net", script],
        ...[`${port}`, `${SOCKETS}`, `${SOCKETS_PER_SECOND}`],
      ]);
    },
  },
  {
    name: "slow heads",
    start: (victim) => slowHttpTest(victim, ["-H"], `/api/v1/boards/${BOARD_ID}`),
  },
  {
    // Without a key a body is refused before it is read, so this attacker has one.
    name: "slow bodies",
    start: (victim) =>
      slowHttpTest(
        victim,
        ["-B", "-t", "PUT", "-m", `*/*\r\nAuthorization: Bearer ${KEY}`],
        "/api/v1/changelogs/subscribe",
      ),
  },
  {
    name: "slow reading",
    start: (victim) =>
      slowHttpTest(
        victim,
        ["-X", "-w", "512", "-y", "1024", "-n", "4", "-z", "16"],
        "/docs",
      ),
  },
];

// By 127.0.0.1 whatever the host of the victim: slowhttptest knows no IPv6.
function slowHttpTest(victim: Target, mode: readonly string[], path: string): AsyncDisposable {
  const { scheme = "http", port } = victim;
  return spawn([
    ...["slowhttptest", ...mode, "-v", "0", "-c", `${SOCKETS}`, "-r", `${SOCKETS_PER_SECOND}`],
    ...["-i", `${SECONDS_BETWEEN_PIECES}`, "-l", `${LONGEST_SECONDS}`],
    ...["-u", `${scheme}://127.0.0.1:${port}${path}`],
  ]);
}

function spawn(command: readonly string[]): AsyncDisposable {
  const child = new Deno.Command("sh", {
    args: ["-c", `ulimit -n ${LIMIT_OF_FILES} && exec "$0" "$@"`, ...command],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  return {
    async [Symbol.asyncDispose]() {
      try {
        child.kill("SIGKILL");
      } catch (error) {
        // slowhttptest ends by itself once all its sockets are closed.
        if (!(error instanceof TypeError)) throw error;
      }
      await child.status;
    },
  };
}
