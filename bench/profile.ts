/**
 * Ranks the functions of a CPU profile by the time spent in themselves.
 *
 *     deno run --cpu-prof --cpu-prof-dir=profiles … server.ts
 *     deno run --allow-read bench/profile.ts profiles/….cpuprofile [ROWS]
 */
import { figure, table } from "./_table.ts";

/** A profile as V8 writes it. */
interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: {
      readonly functionName: string;
      readonly url: string;
      readonly lineNumber: number;
    };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const [path, rows = "40"] = Deno.args;
const profile: Profile = JSON.parse(await Deno.readTextFile(path));
const places = new Map(profile.nodes.map(({ id, callFrame }) => {
  const { functionName, url, lineNumber } = callFrame;
  return [id, `${functionName || "(anonymous)"} ${url.replace(/^.*\//, "")}:${lineNumber + 1}`];
}));
const spentUs = new Map<string, number>();
profile.samples.forEach((id, i) => {
  const place = places.get(id)!;
  if (place.startsWith("(idle)")) return;
  spentUs.set(place, (spentUs.get(place) ?? 0) + profile.timeDeltas[i]);
});
const totalUs = [...spentUs.values()].reduce((sum, us) => sum + us, 0);
const ranked = [...spentUs].sort(([, a], [, b]) => b - a).slice(0, Number(rows));
console.log(table(
  ["function", "ms", "%"],
  ranked.map(([place, us]) => [place, figure(us / 1e3), figure(us / totalUs * 100, 1)]),
));
