import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { fileURLToPath } from "node:url";
import { neededEnvironment } from "../_support/environment.ts";
import { withFolder } from "../_support/folder.ts";
import { writePathApp } from "../_support/path_app.ts";
import { run } from "../_support/process.ts";
import { forEachRow } from "../_support/rows.ts";

const CLONE = fileURLToPath(new URL("../../", import.meta.url));

describe("a clone that an app of another folder imports by its path", () => {
  it("serves on Deno when the app has a deno.json and when it has none", () =>
    forEachRow([undefined, {}], (config) =>
      withFolder(async (folder) => {
        await writePathApp(folder, CLONE);
        if (config) await Deno.writeTextFile(`${folder}/deno.json`, JSON.stringify(config));
        const args = ["run", "--quiet", "--no-lock", "--allow-all", "app.ts"];
        const options = { cwd: folder, env: neededEnvironment() };
        const { out } = await run(Deno.execPath(), args, options);
        assertEquals(out, "200 200 200 200\n");
      })));

  it("has storage in PostgreSQL on Deno when the app's deno.json maps the driver", () =>
    withFolder(async (folder) => {
      await writePathApp(folder, CLONE);
      const imports = { postgres: "npm:postgres@3.4.9" };
      await Deno.writeTextFile(`${folder}/deno.json`, JSON.stringify({ imports }));
      const args = ["run", "--quiet", "--no-lock", "--allow-all", "database.ts"];
      const { out } = await run(Deno.execPath(), args, { cwd: folder, env: neededEnvironment() });
      assertEquals(out, "StorageError\n");
    }));
});
