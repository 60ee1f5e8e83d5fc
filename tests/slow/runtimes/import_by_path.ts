// Imports a clone by its path on the runtimes that the fast tests lack.

import { assertEquals } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writePathApp } from "../../_support/path_app.ts";
import { run } from "../../_support/process.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
// Pinned, so that new versions come only with a deliberate update.
const BUN = ["-y", "bun@1.4.5"];
const DENO = ["-y", "deno@2.6.8"];

describe("a clone that is imported by its path", () => {
  let root: string;
  let app: string;
  let clone: string;

  before(async () => {
    root = await Deno.makeTempDir({ prefix: "boardcast-path-" });
    [app, clone] = [join(root, "app"), join(root, "clone")];
    const { out } = await run("git", ["ls-files", "-co", "--exclude-standard"], { cwd: ROOT });
    for (const path of out.split("\n").filter((path) => path !== "" && !/^tests\//.test(path))) {
      cpSync(join(ROOT, path), join(clone, path));
    }
    await Deno.mkdir(app);
    await writePathApp(app, clone);
  });
  after(() => Deno.remove(root, { recursive: true }));

  it("serves on Deno 2.6 with raw imports", async () => {
    const args = ["run", "--quiet", "--no-lock", "--allow-all", "--unstable-raw-imports"];
    const { out } = await run("npx", [...DENO, ...args, "app.ts"], { cwd: app });
    assertEquals(out, "200 200 200 200\n");
  });

  it("serves on Bun, with storage in PostgreSQL, after bun install in the clone", async () => {
    await run("npx", [...BUN, "install"], { cwd: clone });
    const { out } = await run("npx", [...BUN, "app.ts"], { cwd: app });
    assertEquals(out, "200 200 200 200\n");
    const database = await run("npx", [...BUN, "database.ts"], { cwd: app });
    assertEquals(database.out, "StorageError\n");
  });
});
