import { openMemoryStorage } from "@boardcast/boardcast";
import { openFileStorage } from "@boardcast/boardcast/file";
import { createApp } from "./app.ts";

const folder = Deno.env.get("DATA");
const storage = folder ? await openFileStorage(folder) : openMemoryStorage();
const server = Deno.serve({ port: Number(Deno.env.get("PORT") ?? 8000) }, createApp(storage));

Deno.addSignalListener("SIGTERM", async () => {
  await server.shutdown();
  await storage.close();
  Deno.exit();
});
