/**
 * Runs the fast tests, which need only Deno, or with `slow [FOLDER]…` those of `tests/slow/`.
 * Without a terminal, prints only failures and one line at the end. Files that fail beside others,
 * or in a browser, run once more alone: only what fails again fails the run.
 */
import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { SERVER_VARIABLE, startCluster } from "./_support/postgres.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const FLAGS = ["--lock=tests/deno.lock", "--allow-all", "--no-check", "--reporter=dot"];
// One more job than processors, because many tests wait for processes and deadlines.
const JOBS = navigator.hardwareConcurrency + 1;
// These tests compare times or memory, which is fair only while nothing else runs.
const ALONE = [
  "tests/adapters/leaks_test.ts",
  "tests/delivery/bounces/attacks_test.ts",
  "tests/model/fider_tables_test.ts",
  "tests/model/html_import_test.ts",
  "tests/model/linear_time_test.ts",
];

// The moments of a browser depend on how busy the machine is.
const BROWSERS = ["browser", "studio"];

// A part that takes this long on two processors waits for something in vain.
const MAX_MS = 30 * 60_000;
// A process that a test left behind keeps the output open.
const OUTPUT_MS = 5_000;

/** The result of a run. */
interface Outcome {
  readonly passed: number;
  readonly failed: number;
  /** The files of failed tests; none if the run was cut short, or something else failed, too. */
  readonly files: readonly string[];
}

async function test(args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
  const isWatched = Deno.stdout.isTerminal();
  const report = await Deno.makeTempFile({ prefix: "boardcast-tests-", suffix: ".xml" });
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", ...FLAGS, `--junit-path=${report}`, ...args],
    cwd: ROOT,
    env: isWatched ? env : { ...env, NO_COLOR: "1" },
    stdout: isWatched ? "inherit" : "piped",
    stderr: "inherit",
  }).spawn();
  // Interrupted, `deno test` names the tests that haven't ended.
  const deadline = setTimeout(() => child.kill("SIGINT"), MAX_MS);
  let stdout = "";
  async function read(): Promise<void> {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) stdout += text;
  }
  const ended = isWatched ? undefined : read();
  const { success } = await child.status;
  clearTimeout(deadline);
  await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, OUTPUT_MS))]);
  if (!success) {
    console.log(nameFiles(stdout.slice(Math.max(0, stdout.search(/\n ERRORS |SIGINT/)))));
  }
  const [, passed = "0", failed = "0"] = /\| (\d+) passed.*\| (\d+) failed/.exec(stdout) ?? [];
  const suites = [
    ...(await Deno.readTextFile(report))
      .matchAll(/<testsuite name="\.\/([^"]+)"[^>]* failures="([1-9]\d*)"/g),
  ];
  await Deno.remove(report);
  const inFiles = suites.reduce((sum, [, , failures]) => sum + Number(failures), 0);
  return {
    passed: Number(passed),
    failed: Math.max(Number(failed), success ? 0 : 1),
    files: inFiles === Number(failed) ? suites.map(([, file]) => file) : [],
  };
}

/** Runs tests, and those files once more, alone, in which a test failed. */
async function testTwice(
  args: readonly string[],
  env?: Record<string, string>,
): Promise<Outcome> {
  const first = await test(args, env);
  if (first.files.length === 0) return first;
  console.log(`Once more, alone: ${first.files.join(" ")}`);
  const again = await test(first.files, env);
  return { ...again, passed: first.passed + first.failed - again.failed };
}

/**
 * Names the file of each failed test. `deno test` names a module of `node:test` instead, as tests
 * of a suite are steps, which that module begins.
 */
function nameFiles(output: string): string {
  return output.replace(/^(.+?)( \.\.\. .+ => )ext:deno_node\S+$/gm, (line, suite, rest) => {
    const path = globSync("tests/**/[!_]*.ts", { cwd: ROOT }).find((path) => hasSuite(path, suite));
    return path === undefined ? line : `${suite}${rest}${path}`;
  });
}

function hasSuite(path: string, name: string): boolean {
  const titles = readFileSync(ROOT + path, "utf8").matchAll(/describe\(["`](.+?)["`],/g);
  return titles.some(([, title]) => {
    const fixed = title.split(/\$\{.+?\}/).map(RegExp.escape);
    return new RegExp(`^${fixed.join(".+")}$`).test(name);
  });
}

/** Runs the fast tests, with one PostgreSQL server for all that neither crash nor stop it. */
async function runFast(): Promise<readonly Outcome[]> {
  const server = await startCluster();
  try {
    const env = { [SERVER_VARIABLE]: server.url, DENO_JOBS: `${JOBS}` };
    const apart = ["tests/slow", "tests/fixtures", ...ALONE].join(",");
    return [
      await testTwice(["--parallel", "--doc", `--ignore=${apart}`], env),
      await test(ALONE, env),
    ];
  } finally {
    await server.dispose();
  }
}

async function runSlow(folders: readonly string[]): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  const pattern = folders.length === 0 ? "*" : folders.length === 1 ? folders[0] : `{${folders}}`;
  for (const folder of globSync(`tests/slow/${pattern}`, { cwd: ROOT }).sort()) {
    const files = globSync(`${folder}/[!_]*.ts`, { cwd: ROOT });
    console.log(folder);
    const isInBrowser = BROWSERS.includes(basename(folder));
    outcomes.push(await (isInBrowser ? testTwice(files) : test(files)));
  }
  if (outcomes.length === 0) throw new RangeError(`There is no tests/slow/${pattern}`);
  return outcomes;
}

const [kind, ...folders] = Deno.args;
const outcomes = await (kind === "slow" ? runSlow(folders) : runFast());
const sum = (field: "passed" | "failed") =>
  outcomes.reduce((sum, outcome) => sum + outcome[field], 0);
if (!Deno.stdout.isTerminal()) console.log(`${sum("passed")} passed, ${sum("failed")} failed`);
Deno.exit(sum("failed") > 0 ? 1 : 0);
