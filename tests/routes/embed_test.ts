import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { fileURLToPath } from "node:url";
import { neededEnvironment } from "../_support/environment.ts";
import { withFolder } from "../_support/folder.ts";
import { startProgram } from "../_support/process.ts";
import { forEachRow } from "../_support/rows.ts";

const HOST = fileURLToPath(new URL("../_support/embedded.ts", import.meta.url));

describe("an embedded handler", () => {
  it("lets its process end after close, and needs no permission but for its folder", async () => {
    await withFolder(async (folder) => {
      await forEachRow([[], [folder]], async (folders) => {
        const permissions = folders.flatMap((path) => [
          `--allow-read=${path}`,
          `--allow-write=${path}`,
        ]);
        await using host = startProgram(Deno.execPath(), {
          args: ["run", "--quiet", "--no-lock", "--no-prompt", ...permissions, HOST, ...folders],
          env: { ...neededEnvironment(), NO_COLOR: "1" },
        });
        assertEquals([await host.status, host.stderr()], [0, ""]);
        const statuses = [201, 200, 200, 200, 200];
        assertEquals(JSON.parse(host.stdout()), { statuses, added: [] });
      });
    });
  });
});
