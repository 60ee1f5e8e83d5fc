import { cp } from "node:fs/promises";
import { join } from "node:path";
import { withFolder } from "./_folder.ts";
import { run } from "./_process.ts";

const ROOT = new URL("../", import.meta.url);
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
    const args = ["run", "--cached-only", "--allow-all", "server.ts", "--help"];
    await run(Deno.execPath(), args, { cwd: ROOT, env: { DENO_DIR: folder } });
  });
});
