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

  it("ends at once when a second signal comes, half a second after the first", async () => {
    const rows = [["SIGINT", 499, "taken for the first"], ["SIGTERM", 500, "ended"]] as const;
    for (const [signal, laterMs, expected] of rows) {
      const script = `
        const times = [1_000, ${1_000 + laterMs}];
        performance.now = () => times.shift();
        onStopSignal(() => {}, () => Deno.exit(9));
        for (const signal of ["SIGINT", "SIGTERM"]) {
          Deno.addSignalListener(signal, () => {
            if (times.length === 0) Deno.exit(0);
            Deno.kill(Deno.pid, "${signal}");
          });
        }
        Deno.kill(Deno.pid, "SIGINT");`;
      assertEquals(await endOf(script), [null, expected === "ended" ? 9 : 0], expected);
    }
  });
});
