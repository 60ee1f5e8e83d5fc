/** A copy of the sources in which tests are run. */
export interface Workplace extends AsyncDisposable {
  /** Writes a file of the copy. */
  write(file: string, text: string): Promise<void>;
  /** Runs tests that have passed before, for no longer than that should take. */
  run(tests: readonly string[]): Promise<Outcome>;
  /** Throws, with what they print, where the tests don't pass. */
  requirePass(tests: readonly string[]): Promise<void>;
}

/** What became of tests. */
export type Outcome = "passed" | "failed" | "out of time";

const COPIED = ["adapters", "commands", "delivery", "docs", "model", "routes", "tests"];
const COPIED_FILES = ["deno.json", "deno.lock", "mod.ts", "server.ts", "README.md"];
const OPTIONS = ["--quiet", "--no-check", "--allow-all", "--fail-fast"];
// On a busy machine a fixed time would be over for what nothing is wrong with, too.
const PATIENCE = 4;
const LEAST_DEADLINE_MS = 60_000;

/** Copies what the tests need of a tree into a folder of its own. */
export async function createWorkplace(
  root: URL,
  environment: Readonly<Record<string, string>>,
): Promise<Workplace> {
  const tookMs = new Map<string, number>();
  const folder = await Deno.makeTempDir({ prefix: "boardcast-mutation-" });
  for (const name of COPIED) await copyFolder(new URL(`${name}/`, root), `${folder}/${name}`);
  for (const name of COPIED_FILES) await Deno.copyFile(new URL(name, root), `${folder}/${name}`);

  const testing = (tests: readonly string[], output: "null" | "piped") =>
    new Deno.Command(Deno.execPath(), {
      args: ["test", ...OPTIONS, ...tests],
      cwd: folder,
      env: { ...environment },
      stdin: "null",
      stdout: output,
      stderr: "null",
    });
  return {
    write: (file, text) => Deno.writeTextFile(`${folder}/${file}`, text),
    async run(tests) {
      const deadlineMs = Math.max(LEAST_DEADLINE_MS, PATIENCE * (tookMs.get(tests.join()) ?? 0));
      // Nothing is read of it: a process that it leaves behind may keep the pipe open.
      const child = testing(tests, "null").spawn();
      let isOver = false;
      const timer = setTimeout(() => {
        isOver = true;
        child.kill("SIGKILL");
      }, deadlineMs);
      const { success } = await child.status;
      clearTimeout(timer);
      if (success) return "passed";
      return isOver ? "out of time" : "failed";
    },
    async requirePass(tests) {
      const startedMs = performance.now();
      const { success, stdout } = await testing(tests, "piped").output();
      tookMs.set(tests.join(), performance.now() - startedMs);
      if (!success) throw new Error(`tests fail as it is:\n${new TextDecoder().decode(stdout)}`);
    },
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

async function copyFolder(from: URL, to: string): Promise<void> {
  await Deno.mkdir(to);
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyFolder(new URL(`${name}/`, from), `${to}/${name}`);
    else await Deno.copyFile(new URL(name, from), `${to}/${name}`);
  }
}
