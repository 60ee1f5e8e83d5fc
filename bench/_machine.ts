/** Describes the machine and the versions in one paragraph. */
export async function describeMachine(): Promise<string> {
  const cpu = await nameOfProcessor();
  const load = Deno.loadavg()[0].toFixed(1);
  const memoryGib = Math.round(Deno.systemMemoryInfo().total / 2 ** 30);
  const node = await versionOf("node");
  const wrk = await versionOf("wrk");
  const system = `${Deno.build.os} ${Deno.osRelease().replace(/-.*/, "")}`;
  return `Deno ${Deno.version.deno}, Node ${node}, wrk ${wrk}, on ${system}, ` +
    `${navigator.hardwareConcurrency} cores of ${cpu}, ${memoryGib} GiB; ` +
    `load average at the start ${load}.`;
}

async function nameOfProcessor(): Promise<string> {
  const text = await Deno.readTextFile("/proc/cpuinfo").catch(() => "");
  return /^model name\s*:\s*(.+)$/m.exec(text)?.[1] ?? Deno.build.arch;
}

// Ignores the exit status: wrk prints its version and exits with 1.
async function versionOf(program: string): Promise<string> {
  const { stdout, stderr } = await new Deno.Command(program, { args: ["--version"] }).output();
  const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  return /\d+\.\d+\.\d+/.exec(text)?.[0] ?? "of unknown version";
}
