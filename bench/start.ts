/** Measures the time from the start of a process to its first response, and its memory then. */
import { join } from "node:path";
import { bundle } from "../packaging/compile.ts";
import { bare, boardcast, hono } from "./_contenders.ts";
import { makeFolder } from "./_folder.ts";
import { alternate, createSamples } from "./_rounds.ts";
import type { Subject } from "./_subject.ts";
import { figure, table } from "./_table.ts";

const STARTS_PER_ROUND = 4;

/** Compares the start of Boardcast, from sources and as a bundle, with that of other servers. */
export const start: Subject = {
  name: "start",
  async run({ rounds }) {
    await using folder = await makeFolder();
    const script = join(folder.path, await bundle(folder.path));
    const contenders = [bare(), boardcast(), boardcast("Boardcast, bundled", { script }), hono()];
    const samples = createSamples();
    for (const contender of contenders) await (await contender.start()).stop();
    for (const contender of alternate(contenders, rounds * STARTS_PER_ROUND)) {
      await using server = await contender.start();
      samples.add(`${contender.name}, start`, server.startMs);
      samples.add(`${contender.name}, memory`, await server.memoryMib());
    }
    const limit = `${contenders[0].name}, start`;
    const rows = contenders.map(({ name }) => {
      const started = `${name}, start`;
      const memoryMib = samples.median(`${name}, memory`);
      return [
        name,
        figure(samples.median(started)),
        figure(samples.ratio(started, limit), 2),
        figure(memoryMib),
      ];
    });
    return table(["from start to first response", "ms", "of the limit", "MiB"], rows);
  },
};
