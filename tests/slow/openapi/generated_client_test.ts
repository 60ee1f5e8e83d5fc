import { assertEquals } from "@std/assert";
import { after, describe, it } from "@std/testing/bdd";
import { withFolder } from "../../_support/folder.ts";
import { createDescribed } from "../../_support/openapi.ts";
import { run } from "../../_support/process.ts";
import { OPERATOR_KEY } from "../../_support/service.ts";

// Pinned, so that another generator comes only with a deliberate update.
const GENERATOR = ["@hey-api/openapi-ts@0.99.0", "zod@4.6.7", "typescript@5.9.3"];
const PLUGINS = ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk", "zod"];

// Sends a field as the generated checks return it, with every default that the description has.
const RENAME = `
import { updateBoard } from "./client/sdk.gen.ts";
import { client } from "./client/client.gen.ts";
import { zUpdateBoardBody } from "./client/zod.gen.ts";
const [baseUrl, key] = Deno.args;
client.setConfig({ baseUrl, auth: key });
const body = zUpdateBoardBody.parse({ name: "Ideas" });
const { response } = await updateBoard({ path: { boardId: "ideas" }, body });
console.log(response.status);
`;

describe("a client generated from the OpenAPI description", () => {
  const { handler, call } = createDescribed();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, handler);
  const url = `http://127.0.0.1:${server.addr.port}`;
  after(() => server.shutdown());

  it("renames a board and changes nothing else when it fills in defaults", () =>
    withFolder(async (cwd) => {
      await Deno.writeTextFile(`${cwd}/package.json`, '{ "type": "module" }\n');
      await run("npm", ["install", "--no-audit", "--no-fund", ...GENERATOR], { cwd });
      const args = ["--input", `${url}/openapi.json`, "--output", "client", "--plugins"];
      await run(`${cwd}/node_modules/.bin/openapi-ts`, [...args, ...PLUGINS], { cwd });
      await Deno.writeTextFile(`${cwd}/rename.ts`, RENAME);
      const moderation = "none";
      const board = { boardId: "ideas", name: "Requests", visibility: "public", moderation };
      await call("POST", "boards", board);
      const flags = ["run", "--no-check", "--unstable-sloppy-imports", "--allow-all"];
      const sent = await run(Deno.execPath(), [...flags, "rename.ts", url, OPERATOR_KEY], { cwd });
      assertEquals(sent.out.trim(), "200");
      const { name, visibility, moderation: after } = await call("GET", "boards/ideas");
      assertEquals([name, visibility, after], ["Ideas", "public", moderation]);
    }));
});
