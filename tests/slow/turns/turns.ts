import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { withFolder } from "../../_support/folder.ts";
import { START } from "../../_support/service.ts";
import { type Asked, send, type Server, start, watch } from "./_measure.ts";

const PEOPLE = 200_000;
const ROUNDS = 3;
const LIMIT_MS = 100;
// On a busy machine, a thread that works waits longer for a processor than an idle one.
const BUSY_FACTOR = 3;
const API = "/api/v1";

interface Description {
  readonly paths: Readonly<
    Record<string, {
      readonly get?: { readonly parameters?: readonly Parameter[] };
    }>
  >;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly enum?: readonly string[]; readonly type?: string };
}

/** Returns every reading operation with every value of its filters, from the description. */
async function readings({ url, webhookId }: Server): Promise<readonly Asked[]> {
  const description: Description = await (await fetch(`${url}/openapi.json`)).json();
  const params: Readonly<Record<string, string>> = { webhookId, userEmail: "user7@example.com" };
  const texts: Readonly<Record<string, string>> = {
    prefix: "user19",
    label: "b-7",
    labels: "new",
    q: "nothing",
  };
  return Object.entries(description.paths).flatMap(([path, { get }]) => {
    if (get === undefined) return [];
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => params[name] ?? "first");
    const queries = (get.parameters ?? []).filter((parameter) => parameter.in === "query")
      .flatMap(({ name, schema }) => {
        const values = schema.enum ?? (schema.type === "boolean" ? ["true", "false"] : []);
        return [...values, ...texts[name] === undefined ? [] : [texts[name]]]
          .map((value) => `?${name}=${value}`);
      });
    return ["", ...queries].map((query) => ({ method: "GET", path: `${filled}${query}` }));
  });
}

/** Requests that read or write much. */
function heavy({ webhookId }: Server): readonly Asked[] {
  const list = `${API}/changelogs/subscribers`;
  const rows = Array.from({ length: 30_000 }, (_, at) => `new${at}@example.com,Ann,true\n`);
  const csv = `userEmail,userName,subscribed\n${rows.join("")}`;
  const type = { "content-type": "text/csv" };
  const entries = Array.from(
    { length: 500 },
    (_, at) => `## [1.${at}.0] - 2026-01-01\n\n- Some **thing**\n\n`,
  );
  const markdown = { "content-type": "text/markdown" };
  const since = new URLSearchParams({ since: START });
  const form = { "content-type": "application/x-www-form-urlencoded" };
  return [
    ...["application/x-ndjson", "text/csv"].flatMap((accept) =>
      ["", "?source=bounce"].map((query) => ({
        method: "GET",
        path: `${list}${query}`,
        headers: { accept },
      }))
    ),
    { method: "GET", path: `${list}?source=bounce&limit=1` },
    { method: "GET", path: `${list}?source=bounce&subscribed=true&limit=1` },
    { method: "POST", path: `${list}/import?dryRun=true`, headers: type, body: csv },
    { method: "POST", path: `${list}/import`, headers: type, body: csv },
    {
      method: "POST",
      path: `${API}/changelogs/entries/import`,
      headers: markdown,
      body: `# Changelog\n\n${entries.join("")}`,
    },
    {
      method: "POST",
      path: `${API}/webhooks/${webhookId}/replay`,
      headers: form,
      body: `${since}`,
    },
    { method: "DELETE", path: `${list}/user7@example.com` },
    { method: "DELETE", path: `${API}/changelogs/entries/first` },
    { method: "DELETE", path: `${API}/webhooks/${webhookId}` },
  ];
}

/**
 * Returns, by operation, how much longer other requests wait on a filled server than on an idle
 * one.
 */
async function measure(folder: string | undefined): Promise<ReadonlyMap<string, number>> {
  using idle = await start({ folder: undefined, people: 0 });
  using busy = await start({ folder, people: PEOPLE });
  const waits = new Map<string, number>();
  for (const asked of [...await readings(busy), ...heavy(busy)]) {
    const name = `${asked.method} ${asked.path} ${asked.headers?.accept ?? ""}`
      .replace(busy.webhookId, ":webhookId");
    const stops = [watch(busy), watch(idle)];
    const status = await send(busy, asked);
    assert(status < 500, `${name}: ${status}`);
    const [worstMs, idleMs] = await Promise.all(stops.map((stop) => stop()));
    waits.set(name, worstMs - BUSY_FACTOR * idleMs);
  }
  return waits;
}

/** Returns, by operation, the waits whose median over some rounds is too long. */
async function findSlow(
  measureOnce: () => Promise<ReadonlyMap<string, number>>,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const rounds: ReadonlyMap<string, number>[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await measureOnce());
  const waits = [...rounds[0].keys()].map((name) =>
    [
      name,
      rounds.map((round) => Math.round(round.get(name) ?? 0)).sort((a, b) => a - b),
    ] as const
  );
  return new Map(waits.filter(([, all]) => all[ROUNDS >> 1] > LIMIT_MS));
}

async function assertNobodyWaits(measureOnce: () => Promise<ReadonlyMap<string, number>>) {
  const first = await findSlow(measureOnce);
  if (first.size === 0) return;
  // A busy machine does not disturb the same operation twice.
  const again = await findSlow(measureOnce);
  const slow = [...first].filter(([name]) => again.has(name));
  assertEquals(slow.map(([name, all]) => `${name}: ${all}, ${again.get(name)} ms`), []);
}

describe("no operation keeps another request waiting, with 300,000 records", () => {
  it("in memory", () => assertNobodyWaits(() => measure(undefined)));

  it("in a folder", () =>
    assertNobodyWaits(async () => {
      let waits: ReadonlyMap<string, number> = new Map();
      await withFolder(async (folder) => void (waits = await measure(folder)));
      return waits;
    }));
});
