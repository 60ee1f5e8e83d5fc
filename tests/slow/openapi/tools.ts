import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { after, describe, it } from "@std/testing/bdd";
import { cleanImage } from "../../../model/images/clean_image.ts";
import { IMAGES } from "../../_support/images.ts";
import { withFolder } from "../../_support/folder.ts";
import { createDescribed, SESSION } from "../../_support/openapi.ts";
import { run } from "../../_support/process.ts";
import { getBounceSecret } from "../../../services/bounces.ts";
import { OPERATOR_KEY } from "../../_support/service.ts";

// Pinned, so that new rules come only with a deliberate update.
const SPECTRAL = "@stoplight/spectral-cli@6.16.3";

// The post that the example of a merge names.
const OTHER_POST = "q7w2c5tn";

describe("The OpenAPI description in the hands of others", () => {
  const worker = { wake() {}, sendTest: () => Promise.resolve({ state: "sent" } as const) };
  const { handler, call, storage, events } = createDescribed({ worker });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, handler);
  const url = `http://127.0.0.1:${server.addr.port}`;
  after(() => server.shutdown());

  it("has no error, warning or hint when Spectral lints it", () =>
    withFolder(async (cwd) => {
      await Deno.writeTextFile(`${cwd}/.spectral.yaml`, 'extends: ["spectral:oas"]\n');
      await run("npm", ["install", "--no-audit", "--no-fund", SPECTRAL], { cwd });
      const args = ["lint", "--fail-severity=hint", "--format=json", "--quiet"];
      const { out } = await run(`${cwd}/node_modules/.bin/spectral`, [
        ...args,
        `${url}/openapi.json`,
      ], { cwd });
      assertEquals(JSON.parse(out), []);
    }));

  it("stands beside examples for curl that all work as they are shown", async () => {
    const page = await (await fetch(`${url}/docs`)).text();
    const { keyId } = await call("POST", "keys", { name: "Web app" });
    const bounceSecret = await getBounceSecret(storage);
    const webhook = await call("POST", "webhooks", { url: "https://example.com/hooks" });
    const { messageId } = await call("POST", `webhooks/${webhook.webhookId}/test`);
    const bob = { userEmail: "bob@example.com", userName: "Bob", role: "writer" };
    const { memberId } = await call("POST", "team", bob);
    const image = await cleanImage(IMAGES["image/png"]);
    assert(typeof image !== "string");
    const createPost = readSample(page, "createPost");
    const operations = SESSION.map((operation) => {
      const sample = readSample(page, operation);
      if (operation === "changeMember") return sample.replaceAll("ann@", "bob@");
      return operation === "mergePost"
        ? `${createPost.replace("k3v9x2mp", OTHER_POST)}\n${sample}`
        : sample;
    });
    const samples = operations.map((sample) =>
      // Private boards have no pages.
      sample.replace("visibility=private", "visibility=public").replace(
        /(?<=\/keys\/)\w+/,
        `${keyId}`,
      )
        .replace(/(?<=\d\/bounces\/)\w+/, bounceSecret)
        .replace(/(?<=\/webhooks\/)\w+/, `${webhook.webhookId}`)
        .replace(/(?<=\/messages\/)\w+/, `${messageId}`)
        .replace(/(?<=\/images\/)[\w-]+\.\w+/, image.imageId)
        .replace("/team/m7k2q9xt", `/team/${memberId}`)
    );
    const eventsBefore = events.length;
    const { out: printed } = await withFolder(async (cwd) => {
      await Deno.writeFile(`${cwd}/screenshot.png`, image.bytes);
      return await run("bash", ["-e", "-c", samples.join("\n")], {
        cwd,
        env: { KEY: OPERATOR_KEY },
      });
    });
    // A key is no member of the team.
    const refused = events.slice(eventsBefore).filter(({ status, route }) =>
      status >= 400 && route !== "/api/v1/team/me"
    );
    assertEquals(refused.map(({ route, status }) => [route, status]), []);
    for (const text of ["Feature requests", "ann@example.com", "nextCursor", keyId, "ok"]) {
      assertStringIncludes(printed, `${text}`);
    }
  });
});

/** Returns the code of a sample on the reference page. */
function readSample(page: string, operationId: string): string {
  const start = page.indexOf(` id="${operationId}"`);
  assert(start !== -1, `${operationId} is not on the page`);
  const code = page.indexOf("<code>", page.indexOf('class="sample"', start));
  return page.slice(code + "<code>".length, page.indexOf("</code>", code))
    .replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
