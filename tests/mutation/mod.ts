/**
 * Breaks the sources, a place at a time, and runs the tests that should notice. Ends with 1 where
 * nothing notices what is not on the list of accepted mutants. What runs out of time counts as
 * noticed, and is printed.
 *
 *     deno task mutate [GROUP | FILE | FILE:LINE]… [--per-line N] [--workers N]
 *
 * `--per-line`: how many mutants of a line are tried, the coarsest first; default 1. `--workers`:
 * how many run at a time; default 2.
 */
import { parseArgs } from "node:util";
import { startCluster } from "../_postgres.ts";
import { ACCEPTED } from "./_accepted.ts";
import { type Group, GROUPS } from "./_groups.ts";
import { findMutants, type Mutant } from "./_mutants.ts";
import { createWorkplace, type Outcome, type Workplace } from "./_workplace.ts";

/** A mutant, and what becomes of it. */
interface Trial {
  readonly group: Group;
  readonly file: string;
  readonly source: string;
  readonly mutant: Mutant;
  /** What the last tests came to that were run; once those of all steps pass, it survives. */
  outcome?: Outcome;
}

const ROOT = new URL("../../", import.meta.url);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    "per-line": { type: "string", default: "1" },
    workers: { type: "string", default: "2" },
  },
});
const trials: Trial[] = [];
for (const group of GROUPS) trials.push(...await findTrials(group));
const groups = GROUPS.filter((group) => trials.some((trial) => trial.group === group));
if (trials.length === 0) {
  console.error(`there is nothing to break; groups are ${GROUPS.map(({ name }) => name)}`);
  Deno.exit(2);
}

const cluster = groups.some((group) => group.needsPostgres) ? await startCluster() : undefined;
try {
  const environment: Record<string, string> = cluster === undefined
    ? {}
    : { TEST_POSTGRES_URL: cluster.url };
  const queue = trials.values();
  await Promise.all(Array.from({ length: Number(values.workers) }, async () => {
    await using workplace = await createWorkplace(ROOT, environment);
    for (const { tests } of groups) {
      for (const step of tests) await workplace.requirePass(step);
    }
    for (const trial of queue) await carryOut(trial, workplace);
  }));
} finally {
  await cluster?.dispose();
}
report();

async function findTrials(group: Group): Promise<Trial[]> {
  const found: Trial[] = [];
  for await (const file of filesOf(group)) {
    const text = await Deno.readTextFile(new URL(file, ROOT));
    for (const mutant of findMutants(text, Number(values["per-line"]))) {
      if (!isAsked([group.name, file, `${file}:${mutant.line}`])) continue;
      found.push({ group, file, source: text, mutant });
    }
  }
  return found;
}

async function* filesOf({ sources }: Group): AsyncGenerator<string> {
  for (const source of sources) {
    if (!source.endsWith("/")) {
      yield source;
      continue;
    }
    const entries = await Array.fromAsync(Deno.readDir(new URL(source, ROOT)));
    const names = entries.filter(({ isFile }) => isFile).map(({ name }) => name);
    for (const name of names.sort()) yield source + name;
  }
}

function isAsked(names: readonly string[]): boolean {
  return positionals.length === 0 || names.some((name) => positionals.includes(name));
}

async function carryOut(trial: Trial, workplace: Workplace): Promise<void> {
  const { file, source, mutant: { start, end, replacement } } = trial;
  const broken = source.slice(0, start) + replacement + source.slice(end);
  await workplace.write(file, broken);
  let outcome: Outcome = "passed";
  for (const tests of trial.group.tests) {
    outcome = await workplace.run(tests);
    if (outcome !== "passed") break;
  }
  trial.outcome = outcome;
  await workplace.write(file, source);
  const done = trials.filter(({ outcome }) => outcome !== undefined).length;
  if (outcome !== "failed") console.log(`${outcome}: ${describe(trial)}`);
  if (done % 50 === 0) console.error(`${done} of ${trials.length}`);
}

function describe({ file, source, mutant: { line, start, end, replacement } }: Trial): string {
  return `${file}:${line}: ${source.slice(start, end).slice(0, 80)}  ->  ${replacement}`;
}

function isAccepted({ file, source, mutant: { start, end, replacement } }: Trial): boolean {
  const broken = source.slice(start, end);
  return ACCEPTED.some((accepted) =>
    accepted.file === file && accepted.source === broken &&
    (accepted.replacement ?? replacement) === replacement
  );
}

function survives({ outcome }: Trial): boolean {
  return outcome === "passed";
}

function report(): void {
  const survivors = trials.filter(survives);
  const open = survivors.filter((trial) => !isAccepted(trial));
  for (const { name } of groups) {
    const all = trials.filter(({ group }) => group.name === name);
    const alive = all.filter(survives);
    const accepted = alive.filter(isAccepted).length;
    const late = all.filter(({ outcome }) => outcome === "out of time").length;
    const killed = all.length - alive.length;
    console.log(
      `${name}: ${all.length} mutants, ${killed} killed (${late} out of time), ` +
        `${accepted} accepted, ${alive.length - accepted} survived`,
    );
  }
  if (open.length > 0) {
    console.log(`\nNo test notices:\n${open.map(describe).join("\n")}`);
    Deno.exit(1);
  }
}
