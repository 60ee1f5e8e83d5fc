import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import { openLinkSealer } from "../../services/unsubscribe_links.ts";
import { createDescribed, SESSION } from "../_openapi.ts";
import { run } from "../_process.ts";
import { OPERATOR_KEY } from "../_service.ts";

// Pinned, so that a newer rule is met when one chooses to.
const PACKAGES = [
  "@stoplight/spectral-cli@6.16.3",
  "openapi-fetch@0.17.0",
  "openapi-typescript@7.13.0",
  "typescript@5.9.3",
];
// What runs the samples of a language, one behind the other.
const LANGUAGES: Readonly<Record<string, (samples: readonly string[]) => readonly string[]>> = {
  curl: (samples) => ["bash", "-e", "-c", samples.join("\n")],
  js: (samples) => ["node", "--input-type=module", "-e", `{${samples.join("}\n{")}}`],
  python: (samples) => ["python3", "-c", samples.join("\n")],
};
const TSC = "--strict --target es2022 --module nodenext --lib es2022,dom,dom.iterable client.ts";

describe("The OpenAPI description in the hands of others", () => {
  const worker = { wake() {}, sendTest: () => Promise.resolve({ state: "sent" } as const) };
  const { handler, call, send, storage, events } = createDescribed({ worker });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, handler);
  const url = `http://127.0.0.1:${server.addr.port}`;
  let folder: string;

  before(async () => {
    folder = await Deno.makeTempDir({ prefix: "boardcast-openapi-" });
    const description = await (await fetch(`${url}/openapi.json`)).text();
    await Deno.writeTextFile(`${folder}/openapi.json`, description);
    await Deno.writeTextFile(`${folder}/.spectral.yaml`, 'extends: ["spectral:oas"]\n');
    await Deno.writeTextFile(`${folder}/package.json`, '{ "type": "module", "private": true }\n');
    await runHere("npm", ["install", "--no-audit", "--no-fund", ...PACKAGES]);
  });

  after(async () => {
    await server.shutdown();
    await Deno.remove(folder, { recursive: true });
  });

  /** Runs a command in the folder and returns what it writes; throws when it fails. */
  async function runHere(command: string, args: readonly string[]): Promise<string> {
    return (await run(command, args, { cwd: folder, env: { KEY: OPERATOR_KEY } })).out;
  }

  const runTool = (name: string, args: string) =>
    runHere(`${folder}/node_modules/.bin/${name}`, args.split(" "));

  it("has no error, warning or hint when Spectral lints it", async () => {
    const args = "lint --fail-severity=hint --format=json --quiet openapi.json";
    assertEquals(JSON.parse(await runTool("spectral", args)), []);
  });

  it("makes a typed client that reads a board and subscribes a user", async () => {
    await runTool("openapi-typescript", "openapi.json --output api.d.ts");
    await Deno.copyFile(new URL("client.ts.txt", import.meta.url), `${folder}/client.ts`);
    await runTool("tsc", TSC);
    await call("POST", "boards", { boardId: "feature-requests", name: "Feature requests" });
    const output = await runHere("node", ["client.js", url, OPERATOR_KEY]);
    assertEquals(output, "Feature requests\ntrue\nvalidation_failed subscribe\n");
    await send("DELETE", "boards/feature-requests");
  });

  for (const [language, writeCommand] of Object.entries(LANGUAGES)) {
    it(`stands beside examples in ${language} that all work as they are shown`, async () => {
      const page = await (await fetch(`${url}/docs`)).text();
      const { keyId } = await call("POST", "keys", { name: "Web app" });
      const token = await (await openLinkSealer(storage)).seal("ann@example.com");
      const webhook = await call("POST", "webhooks", { url: "https://example.com/hooks" });
      const { messageId } = await call("POST", `webhooks/${webhook.webhookId}/test`);
      const samples = SESSION.map((operation) =>
        readSample(page, operation, language).replace(/(?<=\/keys\/)\w+/, `${keyId}`)
          .replace(/(?<=\/unsubscribe\/)\w+/, token)
          .replace(/(?<=\/webhooks\/)\w+/, `${webhook.webhookId}`)
          .replace(/(?<=\/messages\/)\w+/, `${messageId}`)
      );
      const eventsBefore = events.length;
      const [command, ...args] = writeCommand(samples);
      const printed = await runHere(command, args);
      assertEquals(events.slice(eventsBefore).filter(({ status }) => status >= 400), []);
      for (const text of ["Feature requests", "ann@example.com", "nextCursor", keyId, "ok"]) {
        assertStringIncludes(printed, `${text}`);
      }
    });
  }
});

/** Returns the code of a sample on the reference page. */
function readSample(page: string, operationId: string, language: string): string {
  const start = page.indexOf(` id="${operationId}"`);
  assert(start !== -1, `${operationId} is not on the page`);
  const code = page.indexOf("<code>", page.indexOf(`class="sample ${language}"`, start));
  return page.slice(code + "<code>".length, page.indexOf("</code>", code))
    .replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
