import { assert, assertEquals } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import { fileURLToPath } from "node:url";
import { METRICS } from "../../../model/metrics.ts";
import { withFolder } from "../../_support/folder.ts";
import { freePort } from "../../_support/port.ts";
import { type PostgresCluster, startCluster, withDatabase } from "../../_support/postgres.ts";
import {
  run,
  startProcess,
  startProgram,
  type TestServer,
  waitUntilServing,
} from "../../_support/process.ts";
import { until } from "../../_support/waiting.ts";

const FILES = fileURLToPath(new URL("../../../packaging/prometheus/", import.meta.url));
const KEY = "operators-own-key-0123456789";
const DEADLINE_MS = 60_000;

/** A series in a response of Prometheus. */
interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

async function startOn(storage: string): Promise<TestServer> {
  Deno.env.set("BOARDCAST_API_KEY", KEY);
  return await waitUntilServing(startProcess(["serve", "--storage", storage, "--port", "0"]), KEY);
}

async function call({ url }: TestServer, method: string, path: string, json?: unknown) {
  const headers = { Authorization: `Bearer ${KEY}`, "content-type": "application/json" };
  const response = await fetch(url + path, {
    method,
    headers,
    body: json === undefined ? null : JSON.stringify(json),
  });
  const text = await response.text();
  assertEquals(response.ok, true, text);
  return text;
}

/**
 * Calls a function with a query function for a Prometheus server that scrapes some servers each
 * second.
 */
async function withPrometheus(
  servers: readonly TestServer[],
  use: (query: (path: string) => Promise<unknown>) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/key`, KEY);
    const targets = servers.map(({ port }) => `"127.0.0.1:${port}"`).join(", ");
    await Deno.writeTextFile(
      `${folder}/prometheus.yml`,
      `global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: ["${FILES}alerts.yml"]
scrape_configs:
  - job_name: boardcast
    authorization: { credentials_file: ${folder}/key }
    static_configs: [{ targets: [${targets}] }]
`,
    );
    const port = freePort();
    await using _server = startProgram("prometheus", {
      args: [
        `--config.file=${folder}/prometheus.yml`,
        `--storage.tsdb.path=${folder}/data`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
    });
    await use(async (path) => {
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
      return (await response.json()).data;
    });
  });
}

/** Repeats a query until it returns `count` series. */
async function readSeries(
  query: (path: string) => Promise<unknown>,
  expression: string,
  count: number,
): Promise<readonly Series[]> {
  let series: readonly Series[] = [];
  await until(async () => {
    const found = await query(`query?query=${encodeURIComponent(expression)}`).catch(() => null);
    series = (found as { readonly result?: readonly Series[] } | null)?.result ?? [];
    return series.length >= count;
  }, DEADLINE_MS);
  return series;
}

describe("the metrics", () => {
  let cluster: PostgresCluster;
  before(async () => void (cluster = await startCluster()));
  after(() => cluster.dispose());

  it("are what promtool expects of names, types, units and help", async () => {
    await using server = await startOn("memory");
    await call(server, "PUT", "/api/v1/changelogs/subscribe", {
      userEmail: "ann@example.com",
      subscribe: true,
    });
    const child = new Deno.Command("promtool", {
      args: ["check", "metrics"],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(await call(server, "GET", "/metrics")));
    await writer.close();
    const { code, stdout, stderr } = await child.output();
    assertEquals([code, new TextDecoder().decode(stdout), new TextDecoder().decode(stderr)], [
      0,
      "",
      "",
    ]);
  });

  it("of two processes on one database are each one's own requests, and the same subscribers", () =>
    withDatabase(cluster, async (url) => {
      await using first = await startOn(url);
      await using second = await startOn(url);
      for (const [number, server] of [first, first, second].entries()) {
        const person = { userEmail: `${number}@example.com`, subscribe: number > 0 };
        await call(server, "PUT", "/api/v1/changelogs/subscribe", person);
      }
      await withPrometheus([first, second], async (query) => {
        const requests = await readSeries(
          query,
          'boardcast_http_request_duration_seconds_count{operation="subscribe"}',
          2,
        );
        const counts = Object.fromEntries(
          requests.map(({ metric, value }) => [metric.instance.split(":")[1], value[1]]),
        );
        assertEquals(counts, { [first.port]: "2", [second.port]: "1" });
        const people = await readSeries(query, 'boardcast_subscribers{state="subscribed"}', 2);
        assertEquals(people.map(({ value }) => value[1]), ["2", "2"]);
        const names = await query("label/__name__/values") as readonly string[];
        for (const [name, { type }] of Object.entries(METRICS)) {
          assert(names.includes(type === "histogram" ? `${name}_bucket` : name), name);
        }
        const rules = await query("rules") as { groups: { rules: { health: string }[] }[] };
        assert(
          rules.groups[0].rules.every(({ health }) => health !== "err"),
          JSON.stringify(rules),
        );
      });
    }));

  it("raise the alerts of the example when they should, and not otherwise", async () => {
    await run("promtool", ["check", "rules", `${FILES}alerts.yml`]);
    await run("promtool", ["test", "rules", `${FILES}alerts_test.yml`]);
  });
});
