import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { openMemoryStorage } from "../mod.ts";
import { createListener } from "../docs/examples/embedding/node_bridge.ts";
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

describe("the bridge to node:http", () => {
  it("answers 500 when a page of the app fails, or a body parser came before", async () => {
    const logged: unknown[] = [];
    const { error } = console;
    console.error = (value) => logged.push(value);
    async function send(listener: RequestListener, init?: RequestInit): Promise<number> {
      const server = createServer(listener).listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      const response = await fetch(`http://127.0.0.1:${port}/`, init);
      await response.body?.cancel();
      await new Promise((resolve) => server.close(resolve));
      return response.status;
    }
    const failure = new Error("page failed");
    assertEquals(await send(createListener(() => Promise.reject(failure))), 500);
    const listener = createListener(() => Promise.resolve(new Response("unread")));
    const parsing: RequestListener = (incoming, outgoing) => {
      incoming.on("end", () => listener(incoming, outgoing)).resume();
    };
    assertEquals(await send(parsing, { method: "PATCH", body: "name=Ideas" }), 500);
    assertEquals([logged[0], logged[1] instanceof TypeError], [failure, true]);
    console.error = error;
  });
});
