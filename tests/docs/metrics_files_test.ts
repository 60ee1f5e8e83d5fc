import { assert, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { METRICS } from "../../model/metrics.ts";
import { forEachRow } from "../_support/rows.ts";

const read = (path: string) => Deno.readTextFileSync(new URL(`../../${path}`, import.meta.url));

describe("the metrics", () => {
  it("are all on their page, with their labels", async () => {
    const page = read("docs/operations.md");
    await forEachRow(Object.entries(METRICS), ([name, metric]) => {
      const labels = "labels" in metric ? Object.keys(metric.labels) : [];
      assertStringIncludes(
        page,
        `| \`${name}\` | ${labels.map((label) => `\`${label}\``).join(", ")}`,
      );
    });
  });

  it("that alerts and the dashboard ask for are there", () =>
    forEachRow(["alerts.yml", "alerts_test.yml", "grafana.json"], (file) => {
      const found = read(`packaging/prometheus/${file}`).match(/\b(?:boardcast|process)_[a-z_]+/g)!;
      assert(found.length > 5);
      for (const name of found) {
        assert(Object.hasOwn(METRICS, name.replace(/_(?:bucket|count|sum)$/, "")), name);
      }
    }));
});
