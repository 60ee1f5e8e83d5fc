import { openMemoryStorage } from "@boardcast/boardcast";
import { openFileStorage } from "@boardcast/boardcast/file";
import { createApp } from "./app.ts";

const folder = Deno.env.get("DATA");
const storage = folder ? await openFileStorage(folder) : openMemoryStorage();
const stopping = new AbortController();
const app = createApp(storage, stopping.signal);
const server = Deno.serve({
  hostname: "127.0.0.1",
  port: Number(Deno.env.get("PORT") ?? 8000),
}, app);

Deno.addSignalListener("SIGTERM", async () => {
  stopping.abort();
  // Deno waits for ever for a client that leaves a body unfinished.
  const late = new Promise((resolve) => setTimeout(resolve, 10_000));
  await Promise.race([server.shutdown(), late]);
  await storage.close();
  Deno.exit();
});
