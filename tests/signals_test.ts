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
    const [kind, isTerminal, laterMs, code] of [
      ["no echo, so that it ends at once", false, 0, 9],
      ["an echo on a terminal", true, 0, 0],
      ["no echo on a terminal that comes later", true, 100, 9],
    ] as const
  ) {
    it(`takes a second SIGINT for ${kind}`, async () => {
      const script = `
        Deno.stdin.isTerminal = () => ${isTerminal};
        const times = [500, ${500 + laterMs}];
        performance.now = () => times.shift();
        onStopSignal(() => {}, () => Deno.exit(9));
        Deno.addSignalListener("SIGINT", () => {
          if (times.length === 0) Deno.exit(0);
          Deno.kill(Deno.pid, "SIGINT");
        });
        Deno.kill(Deno.pid, "SIGINT");`;
      assertEquals(await endOf(script), [null, code]);
    });
  }
});
