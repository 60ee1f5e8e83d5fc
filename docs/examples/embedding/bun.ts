import { openMemoryStorage } from "@boardcast/boardcast";
import { openFileStorage } from "@boardcast/boardcast/file";
import { createApp } from "./app.ts";

const folder = process.env.DATA;
const storage = folder ? await openFileStorage(folder) : openMemoryStorage();
const app = createApp(storage);
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env.PORT ?? 8000),
  fetch(request, server) {
    // The handler has its own deadline for bodies, and an import may take longer than any other.
    server.timeout(request, 0);
    return app(request);
  },
});
console.log(`Listening on ${server.url}`);

process.once("SIGTERM", async () => {
  await server.stop();
  await storage.close();
});
