import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { fileURLToPath } from "node:url";
import { openMemoryStorage } from "../mod.ts";
import { neededEnvironment } from "./_environment.ts";
import { withFolder } from "./_folder.ts";
import { startProgram } from "./_process.ts";
import { forEachRow } from "./_rows.ts";
import { createService, outcomeOf } from "./_service.ts";

const HOST = fileURLToPath(new URL("_embedded.ts", import.meta.url));

describe("an embedded handler", () => {
  it("shares records with others exactly where it has their storage, and limits with none", async () => {
    const storage = openMemoryStorage();
    const rateLimit = { requests: 1, windowSeconds: 60 };
    const first = createService({ storage, rateLimit });
    await first.call("POST", "boards", { boardId: "a", name: "A" });
    await first.call("GET", "boards/a");
    await forEachRow([
      [first, "429 rate_limited"],
      [createService({ storage, rateLimit }), "200"],
      [createService(), "404 board_not_found"],
    ], async ([service, outcome]) => {
      assertEquals(await outcomeOf(await service.send("GET", "boards/a")), outcome);
    });
  });

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
