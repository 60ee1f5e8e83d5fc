/**
 * Measures Boardcast and prints tables. Needs Linux, wrk, Node with npm, and PostgreSQL's server
 * programs.
 *
 *     deno task bench [SUBJECT]… [--rounds N] [--seconds N] [--write]
 *     deno task bench growth [--storage NAME]… [--subscribers N] [--connections N] [--seconds N]
 *
 * `--write` puts the tables of `compare` and `storages` into docs/performance.md.
 */
import { parseArgs } from "node:util";
import { describeMachine } from "./_machine.ts";
import { compare } from "./compare.ts";
import { growth } from "./growth.ts";
import { start } from "./start.ts";
import { storages } from "./storages.ts";

const SUBJECTS = [compare, start, storages, growth];
const SHOWN: readonly unknown[] = [compare, storages];
const PAGE = new URL("../docs/performance.md", import.meta.url);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "3" },
    subscribers: { type: "string", default: "100000" },
    connections: { type: "string", default: "32" },
    storage: { type: "string", multiple: true, default: [] },
    write: { type: "boolean", default: false },
  },
});
const unknown = positionals.find((name) => SUBJECTS.every((subject) => subject.name !== name));
if (unknown !== undefined) {
  console.error(`there is no ${unknown}; there are ${SUBJECTS.map(({ name }) => name).join(", ")}`);
  Deno.exit(2);
}
const effort = {
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  subscribers: Number(values.subscribers),
  connections: Number(values.connections),
  storages: values.storage,
};
const machine = await describeMachine();
console.log(`${machine}\n`);
for (const subject of SUBJECTS) {
  const { name, run } = subject;
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const text = await run(effort);
  const conditions = `Medians of ${effort.rounds} rounds of ${effort.seconds} s. ${machine}`;
  console.log(`${name}\n\n${text}\n`);
  if (values.write && SHOWN.includes(subject)) {
    await writeSection(name, `${text}\n\n<sub>${conditions}</sub>`);
  }
}

async function writeSection(name: string, text: string): Promise<void> {
  const page = await Deno.readTextFile(PAGE);
  const [opening, closing] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const [start, end] = [page.indexOf(opening), page.indexOf(closing)];
  if (start < 0 || end < start) throw new Error(`Cannot find the place of ${name} in ${PAGE}`);
  const before = page.slice(0, start + opening.length);
  await Deno.writeTextFile(PAGE, `${before}\n\n${text}\n\n${page.slice(end)}`);
}
