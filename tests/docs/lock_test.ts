import { cp } from "node:fs/promises";
import { join } from "node:path";
import { withFolder } from "../_support/folder.ts";
import { run } from "../_support/process.ts";

const ROOT = new URL("../../", import.meta.url);
const PACKAGES = ["deno-std", "postgres"];

Deno.test("server.ts starts when no package is there but those that it imports", async () => {
  const { out } = await run(Deno.execPath(), ["info", "--json"], { cwd: ROOT });
  const { npmCache } = JSON.parse(out);
  await withFolder(async (folder) => {
    for await (const { name: registry } of Deno.readDir(npmCache)) {
      for (const name of PACKAGES) {
        const path = join(registry, name);
        await cp(join(npmCache, path), join(folder, "npm", path), { recursive: true });
      }
    }
    // Any other download would fail, because its proxy does not exist.
    const proxy = "http://127.0.0.1:1";
    const env = { DENO_DIR: folder, HTTPS_PROXY: proxy, HTTP_PROXY: proxy };
    for (const args of [["task", "start"], ["run", "--allow-all", "server.ts"]]) {
      await run(Deno.execPath(), [...args, "--help"], { cwd: ROOT, env });
    }
  });
});
