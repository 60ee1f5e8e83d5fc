import { openMemoryStorage } from "@boardcast/boardcast";
import { openFileStorage } from "@boardcast/boardcast/file";
import { createApp } from "./app.ts";

const folder = process.env.DATA;
const storage = folder ? await openFileStorage(folder) : openMemoryStorage();
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env.PORT ?? 8000),
  // Longer than a body may take, so that the handler's own response comes first.
  idleTimeout: 30,
  fetch: createApp(storage),
});
console.log(`Listening on ${server.url}`);

process.once("SIGTERM", async () => {
  await server.stop();
  await storage.close();
});
