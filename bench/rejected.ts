/** What a request costs that is turned away, beside one that is served. */
import { boardcast, KEY } from "./_contenders.ts";
import { alternate, createSamples } from "./_rounds.ts";
import type { Subject } from "./_subject.ts";
import { figure, table } from "./_table.ts";
import { GET_BOARD, type Load, measure, putSubscriptions } from "./_wrk.ts";

const PUT = putSubscriptions();
const UNKNOWN_KEY = { Authorization: `Bearer ${KEY.replace("bench", "other")}` };
const MISTYPED_KEY = { Authorization: "Bearer bc_000000000000000000000000000000000000" };
const FULL_BODY = `"userEmail=ann%40example.com&subscribe=true&x=" .. string.rep("x", 16000)`;

/** A request that is refused, or one that is served and stands for what others cost. */
interface Case {
  readonly name: string;
  readonly load: Load;
  /** The name of the served request that this refused one is compared with. */
  readonly beside?: string;
}

const CASES: readonly Case[] = [
  { name: "GET board: 200", load: GET_BOARD },
  {
    name: "GET board: 401, no key",
    load: { ...GET_BOARD, headers: {} },
    beside: "GET board: 200",
  },
  {
    name: "GET board: 401, unknown key",
    load: { ...GET_BOARD, headers: UNKNOWN_KEY },
    beside: "GET board: 200",
  },
  {
    name: "GET board: 401, mistyped key",
    load: { ...GET_BOARD, headers: MISTYPED_KEY },
    beside: "GET board: 200",
  },
  {
    name: "GET board: 404",
    load: { ...GET_BOARD, path: "/api/v1/boards/none" },
    beside: "GET board: 200",
  },
  { name: "PUT subscribe: 200", load: PUT },
  {
    name: "PUT subscribe: 401, no key",
    load: { ...PUT, headers: { "Content-Type": PUT.headers["Content-Type"] } },
    beside: "PUT subscribe: 200",
  },
  {
    name: "PUT subscribe: 415",
    load: { ...PUT, headers: { ...PUT.headers, "Content-Type": "text/plain" } },
    beside: "PUT subscribe: 200",
  },
  {
    name: "PUT subscribe: 422",
    load: { ...PUT, bodies: { count: 1, lua: `"userEmail=ann&subscribe=perhaps"` } },
    beside: "PUT subscribe: 200",
  },
  {
    name: "PUT subscribe, 16 KiB: 200",
    load: { ...PUT, bodies: { count: 1, lua: FULL_BODY } },
  },
  {
    name: "PUT subscribe, over 16 KiB: 413",
    load: { ...PUT, bodies: { count: 1, lua: `"userName=" .. string.rep("a", 16384)` } },
    beside: "PUT subscribe, 16 KiB: 200",
  },
];
const WITH_A_LIMIT: readonly Case[] = [
  { name: "GET board, limited: 200", load: GET_BOARD },
  { name: "PUT subscribe, limited: 200", load: PUT },
];
const OVER_THE_LIMIT: readonly Case[] = [
  { name: "GET board, limited: 429", load: GET_BOARD, beside: "GET board, limited: 200" },
  { name: "PUT subscribe, limited: 429", load: PUT, beside: "PUT subscribe, limited: 200" },
];

/** The processor time of refused requests. */
export const rejected: Subject = {
  name: "rejected",
  async run({ rounds, seconds }) {
    const samples = createSamples();
    const contenders = [
      { contender: boardcast(), cases: CASES },
      {
        contender: boardcast("limited", { rateLimit: "1000000/s" }),
        cases: WITH_A_LIMIT,
      },
      { contender: boardcast("over the limit", { rateLimit: "2/m" }), cases: OVER_THE_LIMIT },
    ];
    for (const { contender, cases } of alternate(contenders, rounds)) {
      await using server = await contender.start();
      await measure(server, cases[0].load, { connections: 32, seconds: 1 });
      for (const { name, load, beside } of cases) {
        const found = await measure(server, load, { connections: 32, seconds });
        const isServed = found.refused === 0;
        if ((beside === undefined) !== isServed || found.failed > 0) {
          throw new Error(`${name} is not what was asked for: ${JSON.stringify(found)}`);
        }
        samples.add(`${name}, cpu`, found.cpuUs);
        samples.add(`${name}, rate`, found.perSecond);
      }
    }
    const rows = contenders.flatMap(({ cases }) => cases).map(({ name, beside = name }) => {
      return [
        name,
        figure(samples.median(`${name}, rate`)),
        figure(samples.median(`${name}, cpu`), 1),
        figure(samples.ratio(`${name}, cpu`, `${beside}, cpu`), 2),
      ];
    });
    return { text: table(["32 connections", "req/s", "CPU µs/req", "of one served"], rows) };
  },
};
