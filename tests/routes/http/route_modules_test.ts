import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createRouter, type RouteModule } from "../../../routes/_http/router.ts";
import { operation } from "../../../routes/_http/operation.ts";
import { Problem } from "../../../routes/_http/problem.ts";
import { routeModulesOf } from "../../../routes/operations.ts";
import { forEachRow } from "../../_support/rows.ts";

const OPTIONS = {
  publicUrl: "https://boards.example.com",
  signUp: true,
  studio: true,
  worker: { wake() {}, askForProof() {} },
};
const BASE = "/feedback";

const requestTo = (path: string) => new Request(`http://localhost${BASE}${path}`);

describe("a router of modules", () => {
  it("finds each operation where its module is the first to be loaded", async () => {
    const modules = routeModulesOf(OPTIONS);
    const rows = (await Promise.all(modules.map(({ load }) => load()))).flat();
    assert(rows.length > 100, `only ${rows.length}`);
    await forEachRow(rows, async ({ path, method, operationId }) => {
      const route = createRouter(BASE, routeModulesOf(OPTIONS));
      const match = await route(requestTo(path.replace(/:\w+/g, "a")));
      assert(!(match instanceof Problem), operationId);
      assertEquals([match.path, match.operations.get(method)?.operationId], [path, operationId]);
    });
  });

  it("loads no module whose paths differ from that of the request", async () => {
    const loaded: string[] = [];
    const modules = routeModulesOf(OPTIONS).map(({ paths, load }) => ({
      paths,
      load() {
        loaded.push(paths[0]);
        return load();
      },
    }));
    const route = createRouter(BASE, modules);
    await route(requestTo("/api/v1/changelogs/subscribe"));
    await route(requestTo("/api/v1/changelogs/subscribe"));
    assertEquals(loaded, ["/api/v1/changelogs/subscribe"]);
    await route(requestTo("/api/v1/changelogs/subscribed"));
    await route(requestTo("/nothing"));
    assertEquals(loaded.length, 1);
  });

  it("loads a module again at the next request when that failed", async () => {
    let isBroken = true;
    const found = operation("GET", "/found", {
      operationId: "find",
      summary: "Find",
      successes: [],
      run: () => ({ status: 204 }),
    });
    const modules: readonly RouteModule[] = [{
      paths: ["/found"],
      load: () => isBroken ? Promise.reject(new Error("no file")) : Promise.resolve([found]),
    }];
    const route = createRouter(BASE, modules);
    const error = await Promise.resolve(route(requestTo("/found"))).catch((error) => error);
    assertEquals(error.message, "no file");
    isBroken = false;
    const match = await route(requestTo("/found"));
    assertEquals(match instanceof Problem ? match : match.path, "/found");
  });
});
