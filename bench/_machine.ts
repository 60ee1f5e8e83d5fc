/** One paragraph that says on what was measured. */
export async function describeMachine(): Promise<string> {
  const cpu = await firstMatch("/proc/cpuinfo", /^model name\s*:\s*(.+)$/m);
  const load = Deno.loadavg()[0].toFixed(1);
  const memoryGib = Math.round(Deno.systemMemoryInfo().total / 2 ** 30);
  const node = await versionOf("node");
  const wrk = await versionOf("wrk");
  return `Deno ${Deno.version.deno}, Node ${node}, wrk ${wrk}, on ` +
    `${Deno.build.os} ${
      Deno.osRelease().replace(/-.*/, "")
    }, ${navigator.hardwareConcurrency} cores of ` +
    `${cpu ?? Deno.build.arch}, ${memoryGib} GiB; load average at the start ${load}. ` +
    `Client and server share the machine.`;
}

async function firstMatch(path: string, pattern: RegExp): Promise<string | undefined> {
  const text = await Deno.readTextFile(path).catch(() => "");
  return pattern.exec(text)?.[1];
}

// wrk ends with status 1 after it printed its version.
async function versionOf(program: string): Promise<string> {
  const { stdout, stderr } = await new Deno.Command(program, { args: ["--version"] }).output();
  const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  return /\d+\.\d+\.\d+/.exec(text)?.[0] ?? "of unknown version";
}
