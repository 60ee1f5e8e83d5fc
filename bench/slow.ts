/**
 * Measures honest clients while 5,000 slow or silent sockets are held against each listener, and
 * against nginx in front. Needs Linux, wrk, slowhttptest, nginx and openssl.
 *
 *     deno task slow [--rounds N] [--seconds N] [FRONT]…
 */
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Attack, ATTACKS, SOCKETS, SOCKETS_PER_SECOND } from "./_attacks.ts";
import { choose } from "./_choice.ts";
import { type Front, type FrontKind, FRONTS } from "./_fronts.ts";
import { describeMachine } from "./_machine.ts";
import { sendNewcomers } from "./_newcomers.ts";
import { alternate, createSamples } from "./_rounds.ts";
import { figure, table } from "./_table.ts";
import { GET_BOARD, measure, putSubscriptions } from "./_wrk.ts";

const OPERATIONS = [
  { name: "GET", load: GET_BOARD },
  { name: "PUT", load: putSubscriptions() },
];
const RAMP_MS = SOCKETS / SOCKETS_PER_SECOND * 1_000;
const LONGEST_RAMP_MS = 3 * RAMP_MS;
// The longest of the deadlines is 10 s, for a head or a body. slowhttptest takes several seconds more
// to open all its sockets where the machine is busy.
const DEADLINE_MS = 20_000;
const RECOVERY_MS = 1_000;
const ALONE = "alone";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "4" },
  },
});
const seconds = Number(values.seconds);
const fronts = choose(FRONTS, positionals);
const samples = createSamples();
console.log(`${await describeMachine()}\n`);
for (const kind of alternate(fronts, Number(values.rounds))) await attackOne(kind);
printClients();
printServers();

/** Measures one front alone, and then under each attack. */
async function attackOne(kind: FrontKind): Promise<void> {
  await using front = await kind.start();
  for (const { load } of OPERATIONS) await measure(front, load, { connections: 32, seconds: 1 });
  await useHonestly(front, `${kind.name}, ${ALONE}`);
  for (const attack of ATTACKS) await underAttack(front, attack, `${kind.name}, ${attack.name}`);
}

async function underAttack(front: Front, attack: Attack, name: string): Promise<void> {
  const before = await front.handles();
  samples.add(`${name}, MiB before`, await front.memoryMib());
  {
    await using _ = attack.start(front);
    samples.add(`${name}, held`, await waitForSockets(front) - before);
    const deadline = performance.now() + DEADLINE_MS;
    await useHonestly(front, name);
    await delay(Math.max(0, deadline - performance.now()));
    samples.add(`${name}, held still`, await front.handles() - before);
    samples.add(`${name}, MiB during`, await front.memoryMib());
  }
  await delay(RECOVERY_MS);
  samples.add(`${name}, MiB after`, await front.memoryMib());
  samples.add(`${name}, files after`, await front.handles() - before);
}

/** Waits until an attack has opened its sockets, or no more of them are let in. */
async function waitForSockets(front: Front): Promise<number> {
  const started = performance.now();
  let [before, now] = [0, 0];
  while (
    performance.now() - started < RAMP_MS ||
    now > before && performance.now() - started < LONGEST_RAMP_MS
  ) {
    before = now;
    await delay(500);
    now = await front.handles();
  }
  return now;
}

/** Measures those who call over 32 connections of their own, and those who come for one answer. */
async function useHonestly(front: Front, name: string): Promise<void> {
  const newcomers = sendNewcomers(front, OPERATIONS.length * seconds * 1_000);
  let failed = 0;
  for (const operation of OPERATIONS) {
    const options = { connections: 32, seconds, timeoutSeconds: 2 };
    const found = await measure(front, operation.load, options);
    samples.add(`${name}, ${operation.name}, rate`, found.perSecond);
    samples.add(`${name}, ${operation.name}, p99`, found.p99Ms);
    failed += found.failed + found.refused;
  }
  samples.add(`${name}, failed`, failed);
  const { came, served, longestMs } = await newcomers;
  samples.add(`${name}, newcomers`, served / came * 100);
  samples.add(`${name}, longest`, longestMs / 1_000);
}

function printClients(): void {
  const rows = fronts.flatMap((front) =>
    [ALONE, ...ATTACKS.map(({ name }) => name)].map((attack) => {
      const found = (what: string) => samples.median(`${front.name}, ${attack}, ${what}`);
      const alone = (what: string) => samples.median(`${front.name}, ${ALONE}, ${what}`);
      const beside = (what: string, decimals: number) =>
        figure(found(what), decimals) +
        (attack === ALONE ? "" : ` (${figure(found(what) / alone(what), 2)})`);
      return [
        `${front.name}: ${attack}`,
        ...OPERATIONS.flatMap((
          { name },
        ) => [beside(`${name}, rate`, 0), beside(`${name}, p99`, 1)]),
        figure(found("failed")),
        figure(found("newcomers")),
        figure(found("longest"), 1),
      ];
    })
  );
  const headings = OPERATIONS.flatMap(({ name }) => [`${name} req/s (of alone)`, "p99 ms"]);
  console.log(table(
    ["honest clients", ...headings, "failed", "newcomers served %", "longest without s"],
    rows,
  ));
}

function printServers(): void {
  const columns = ["held", "held still", "files after", "MiB before", "MiB during", "MiB after"];
  const rows = fronts.flatMap((front) =>
    ATTACKS.map((attack) => [
      `${front.name}: ${attack.name}`,
      ...columns.map((column) =>
        figure(samples.median(`${front.name}, ${attack.name}, ${column}`))
      ),
    ])
  );
  const headings = [
    ...["sockets held at first", "after the deadlines", "files more than before"],
    ...columns.slice(3),
  ];
  console.log(`\n${table(["server", ...headings], rows)}`);
}
