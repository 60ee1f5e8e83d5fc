/** What a request costs that is turned away, beside one that is served. */
import { boardcast } from "./_contenders.ts";
import { running } from "./compare.ts";
import { alternate, createSamples } from "./_rounds.ts";
import type { Subject } from "./_subject.ts";
import { figure, table } from "./_table.ts";
import { GET_BOARD, KEY, type Load, measure, putSubscriptions } from "./_wrk.ts";

const PUT = putSubscriptions();
const UNKNOWN_KEY = { Authorization: `Bearer ${KEY.replace("bench", "other")}` };
const MISTYPED_KEY = { Authorization: "Bearer bc_000000000000000000000000000000000000" };
const CASES: readonly { name: string; load: Load; status: "served" | "refused" }[] = [
  { name: "GET board: 200", load: GET_BOARD, status: "served" },
  { name: "GET board: 401, no key", load: { ...GET_BOARD, headers: {} }, status: "refused" },
  {
    name: "GET board: 401, unknown key",
    load: { ...GET_BOARD, headers: UNKNOWN_KEY },
    status: "refused",
  },
  {
    name: "GET board: 401, mistyped key",
    load: { ...GET_BOARD, headers: MISTYPED_KEY },
    status: "refused",
  },
  {
    name: "GET board: 404",
    load: { ...GET_BOARD, path: "/api/v1/boards/none" },
    status: "refused",
  },
  { name: "PUT subscribe: 200", load: PUT, status: "served" },
  {
    name: "PUT subscribe: 413",
    load: { ...PUT, bodies: { count: 1, lua: `"userName=" .. string.rep("a", 16384)` } },
    status: "refused",
  },
  {
    name: "PUT subscribe: 415",
    load: { ...PUT, headers: { ...PUT.headers, "Content-Type": "text/plain" } },
    status: "refused",
  },
  {
    name: "PUT subscribe: 422",
    load: { ...PUT, bodies: { count: 1, lua: `"userEmail=ann&subscribe=perhaps"` } },
    status: "refused",
  },
];
const LIMITED = "GET board: 429";

/** The processor time of refused requests. */
export const rejected: Subject = {
  name: "rejected",
  async run({ rounds, seconds }) {
    const samples = createSamples();
    const contenders = [
      { contender: boardcast(), cases: CASES },
      {
        contender: boardcast("limited", { rateLimit: "2/m" }),
        cases: [{ name: LIMITED, load: GET_BOARD, status: "refused" as const }],
      },
    ];
    for (const { contender, cases } of alternate(contenders, rounds)) {
      await using server = await running(contender);
      await measure(server, cases[0].load, { connections: 32, seconds: 1 });
      for (const { name, load, status } of cases) {
        const found = await measure(server, load, { connections: 32, seconds });
        const { refused, failed, perSecond } = found;
        if ((status === "served") !== (refused === 0) || failed > 0) {
          throw new Error(`${name} is not ${status}: ${JSON.stringify(found)}`);
        }
        samples.add(`${name}, cpu`, found.cpuUs);
        samples.add(`${name}, rate`, perSecond);
      }
    }
    const names = [...CASES.map(({ name }) => name), LIMITED];
    const rows = names.map((name) => {
      const served = `${name.split(":")[0]}: 200`;
      const cpuUs = samples.median(`${name}, cpu`);
      return [
        name,
        figure(samples.median(`${name}, rate`)),
        figure(cpuUs, 1),
        figure(cpuUs / samples.median(`${served}, cpu`), 2),
      ];
    });
    return { text: table(["32 connections", "req/s", "CPU µs/req", "of one served"], rows) };
  },
};
