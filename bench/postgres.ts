/** What Boardcast makes of PostgreSQL, beside what pgbench and one query per request make of it. */
import { startCluster } from "../tests/_postgres.ts";
import { BOARD_ID, boardcast, type Contender, plainPostgres } from "./_contenders.ts";
import { alternate, createSamples } from "./_rounds.ts";
import type { Subject } from "./_subject.ts";
import { figure, table } from "./_table.ts";
import { GET_BOARD, type Load, measureServed, putSubscriptions } from "./_wrk.ts";

/** An operation, over HTTP and as a statement. */
interface Operation {
  readonly name: string;
  readonly load: Load;
  /** The same for pgbench. */
  readonly statement: string;
}

const CONNECTIONS = 64;
const USERS = 100_000;
const OPERATIONS: readonly Operation[] = [
  {
    name: "GET board",
    load: GET_BOARD,
    statement: `select * from boardcast.boards where board_id = '${BOARD_ID}';`,
  },
  {
    name: "PUT subscribe",
    load: putSubscriptions(USERS, 20_000),
    statement: `\\set i random(0, ${USERS - 1})
\\set state random(0, 1)
insert into boardcast.subscriptions as s
values ('user' || :i || '@example.com', 'Ann', :state = 1, 'api', now(), now())
on conflict (user_email) do update set user_name = coalesce(excluded.user_name, s.user_name),
  subscribed = excluded.subscribed, updated_at = excluded.updated_at
returning *;`,
  },
];

/** The adapter of PostgreSQL beside what else there is. */
export const postgres: Subject = {
  name: "postgres",
  async run({ rounds, seconds }) {
    await using cleanup = new AsyncDisposableStack();
    const { url, dispose } = await startCluster({ durable: true });
    cleanup.defer(dispose);
    const own = boardcast("Boardcast", { storage: url });
    const overHttp = (contenders: readonly Contender[]) => ({ load }: Operation) =>
      measureServers(contenders, load, seconds);
    const ways = [
      { name: own.name, rate: overHttp([own]) },
      { name: "Boardcast, two processes", rate: overHttp([own, own]) },
      { name: "Boardcast, one query per request", rate: overHttp([plainPostgres(url)]) },
      {
        name: "pgbench, prepared",
        rate: ({ statement }: Operation) => runPgbench(url, statement, seconds),
      },
    ];
    // The first start makes the tables.
    await using _ = await own.start();
    const samples = createSamples();
    for (const { name, rate } of alternate(ways, rounds)) {
      for (const operation of OPERATIONS) {
        samples.add(`${name}, ${operation.name}`, await rate(operation));
      }
    }
    const rows = OPERATIONS.flatMap((operation) =>
      ways.map(({ name }) => [
        `${operation.name}: ${name}`,
        figure(samples.median(`${name}, ${operation.name}`)),
        figure(
          samples.ratio(`${name}, ${operation.name}`, `${own.name}, ${operation.name}`),
          2,
        ),
      ])
    );
    return { text: table([`${CONNECTIONS} connections`, "per second", "of Boardcast"], rows) };
  },
};

/** Puts a load on servers together, and returns the sum of their rates. */
async function measureServers(
  contenders: readonly Contender[],
  load: Load,
  seconds: number,
): Promise<number> {
  await using servers = new AsyncDisposableStack();
  const connections = CONNECTIONS / contenders.length;
  const started = [];
  for (const contender of contenders) started.push(servers.use(await contender.start()));
  await Promise.all(
    started.map((server) => measureServed(server, load, { connections, seconds: 1 })),
  );
  const found = await Promise.all(
    started.map((server) => measureServed(server, load, { connections, seconds })),
  );
  return found.reduce((sum, { perSecond }) => sum + perSecond, 0);
}

async function runPgbench(url: string, statement: string, seconds: number): Promise<number> {
  const script = await Deno.makeTempFile({ suffix: ".sql" });
  try {
    await Deno.writeTextFile(script, statement);
    const { stdout, stderr } = await new Deno.Command("pgbench", {
      args: ["-n", "-M", "prepared", "-f", script, "-c", `${CONNECTIONS}`, "-T", `${seconds}`, url],
    }).output();
    const decoder = new TextDecoder();
    const rate = /tps = ([\d.]+)/.exec(decoder.decode(stdout));
    if (rate === null) throw new Error(`pgbench failed: ${decoder.decode(stderr)}`);
    return Number(rate[1]);
  } finally {
    await Deno.remove(script);
  }
}
