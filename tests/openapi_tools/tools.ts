import { assertEquals, assertStringIncludes } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import { createTestHandler } from "../_openapi.ts";
import { OPERATOR_KEY } from "../_service.ts";
import { run } from "../consumers/_package.ts";

// Pinned, so that a newer rule is met when one chooses to.
const PACKAGES = [
  "@redocly/cli@2.77.0",
  "@stoplight/spectral-cli@6.16.3",
  "openapi-fetch@0.17.0",
  "openapi-typescript@7.13.0",
  "typescript@5.9.3",
];
const LANGUAGES = {
  curl: ["bash", "-c"],
  js: ["node", "--input-type=module", "-e"],
  python: ["python3", "-c"],
} as const;

describe("The OpenAPI description in the hands of others", () => {
  let folder: string;
  let server: Deno.HttpServer<Deno.NetAddr>;
  let url: string;

  before(async () => {
    folder = await Deno.makeTempDir({ prefix: "boardcast-openapi-" });
    server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      createTestHandler(),
    );
    url = `http://127.0.0.1:${server.addr.port}`;
    const headers = { Authorization: `Bearer ${OPERATOR_KEY}` };
    const body = new URLSearchParams({ boardId: "feature-requests", name: "Feature requests" });
    await (await fetch(`${url}/api/v1/boards`, { method: "POST", headers, body })).body?.cancel();
    const description = await (await fetch(`${url}/openapi.json`)).text();
    await Deno.writeTextFile(`${folder}/openapi.json`, description);
    await Deno.writeTextFile(`${folder}/.spectral.yaml`, 'extends: ["spectral:oas"]\n');
    await Deno.writeTextFile(`${folder}/package.json`, '{ "type": "module", "private": true }\n');
    await runHere("npm", ["install", "--no-audit", "--no-fund", ...PACKAGES]);
  });

  after(async () => {
    await server?.shutdown();
    await Deno.remove(folder, { recursive: true });
  });

  /** Runs a command in the folder and returns what it writes; throws when it fails. */
  async function runHere(command: string, args: readonly string[]): Promise<string> {
    const env = { KEY: OPERATOR_KEY, REDOCLY_TELEMETRY: "off" };
    return (await run([command, ...args], { cwd: folder, env })).stdout;
  }

  const runTool = (name: string, ...args: readonly string[]) =>
    runHere(`${folder}/node_modules/.bin/${name}`, args);

  it("has no error and no warning when Redocly lints it", async () => {
    const report = await runTool("redocly", "lint", "--format=json", "openapi.json");
    assertEquals(JSON.parse(report.slice(report.indexOf("{"))).problems, []);
  });

  it("has no error, warning or hint when Spectral lints it", async () => {
    const args = ["lint", "--fail-severity=hint", "--format=json", "--quiet", "openapi.json"];
    assertEquals(JSON.parse(await runTool("spectral", ...args)), []);
  });

  it("makes a typed client that reads a board and subscribes a user", async () => {
    await runTool("openapi-typescript", "openapi.json", "--output", "api.d.ts");
    await Deno.copyFile(new URL("client.ts.txt", import.meta.url), `${folder}/client.ts`);
    await runTool(
      "tsc",
      "--strict",
      "--target",
      "es2022",
      "--module",
      "nodenext",
      "--lib",
      "es2022,dom,dom.iterable",
      "client.ts",
    );
    const output = await runHere("node", ["client.js", url, OPERATOR_KEY]);
    assertEquals(output, "Feature requests\ntrue\nboard_not_found\nvalidation_failed subscribe\n");
  });

  for (const [id, [command, ...args]] of Object.entries(LANGUAGES)) {
    it(`stands beside examples in ${id} that work as they are shown`, async () => {
      const page = await (await fetch(`${url}/docs`)).text();
      const subscribed = await runHere(command, [...args, readSample(page, "putSubscription", id)]);
      assertStringIncludes(subscribed, "ann@example.com");
      const board = await runHere(command, [...args, readSample(page, "getBoard", id)]);
      assertStringIncludes(board, "Feature requests");
    });
  }
});

/** Returns the code of a sample on the reference page. */
function readSample(page: string, operationId: string, language: string): string {
  const start = page.indexOf(` id="${operationId}"`);
  const code = page.indexOf("<code>", page.indexOf(`class="sample ${language}"`, start));
  return page.slice(code + "<code>".length, page.indexOf("</code>", code))
    .replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
