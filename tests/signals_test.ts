import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";

const SIGNALS = new URL("../commands/_signals.ts", import.meta.url);
const SETUP = `
  import { exit, interruptible, onStopSignal } from "${SIGNALS}";
  const controller = new AbortController();
  const interruption = new Promise((resolve) =>
    controller.signal.addEventListener("abort", resolve));
  // Signals keep no process running.
  setInterval(() => {}, 1_000);
`;

/** Runs a script in a process of its own, and returns how that ended. */
async function endOf(script: string): Promise<[signal: Deno.Signal | null, code: number]> {
  const { signal, code } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--ext=ts", SETUP + script],
    stdout: "null",
    stderr: "inherit",
  }).output();
  return [signal, code];
}

describe("a process that can be interrupted", () => {
  it("ends with its status when no signal came", async () => {
    const script = "await interruptible(controller, async () => {}); await exit(3);";
    assertEquals(await endOf(script), [null, 3]);
  });

  it("ends by the signal, even when what was under way could be completed", async () => {
    const script = `
      await interruptible(controller, async () => {
        Deno.kill(Deno.pid, "SIGTERM");
        await interruption;
      });
      await exit(0);`;
    assertEquals(await endOf(script), ["SIGTERM", 128 + 15]);
  });

  it("ends at once when a second signal comes", async () => {
    const script = `
      interruption.then(() => Deno.kill(Deno.pid, "SIGTERM"));
      await interruptible(controller, () => {
        Deno.kill(Deno.pid, "SIGTERM");
        return new Promise(() => {});
      });`;
    assertEquals(await endOf(script), ["SIGTERM", 128 + 15]);
  });

  for (
    const [kind, terminal, second, laterMs, code] of [
      ["SIGINT for no echo, so that it ends at once", undefined, "SIGINT", 0, 9],
      ["SIGINT for an echo on a terminal", "stdin", "SIGINT", 0, 0],
      ["SIGINT for an echo on a terminal that reads what is written", "stderr", "SIGINT", 0, 0],
      ["SIGINT for an echo on a terminal that reads data", "stdout", "SIGINT", 0, 0],
      ["SIGINT for no echo on a terminal when it comes later", "stdin", "SIGINT", 100, 9],
      ["SIGTERM for no echo on a terminal", "stdin", "SIGTERM", 0, 9],
    ] as const
  ) {
    it(`takes a second ${kind}`, async () => {
      const script = `
        for (const name of ["stdin", "stdout", "stderr"]) {
          Deno[name].isTerminal = () => name === "${terminal}";
        }
        const times = [500, ${500 + laterMs}];
        performance.now = () => times.shift();
        onStopSignal(() => {}, () => Deno.exit(9));
        for (const signal of ["SIGINT", "SIGTERM"]) {
          Deno.addSignalListener(signal, () => {
            if (times.length === 0) Deno.exit(0);
            Deno.kill(Deno.pid, "${second}");
          });
        }
        Deno.kill(Deno.pid, "SIGINT");`;
      assertEquals(await endOf(script), [null, code]);
    });
  }
});
