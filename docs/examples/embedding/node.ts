import { openMemoryStorage } from "@boardcast/boardcast";
import { openFileStorage } from "@boardcast/boardcast/file";
import { createServer } from "node:http";
import process from "node:process";
import { createApp } from "./app.ts";
import { createListener } from "./node_bridge.ts";

const folder = process.env.DATA;
const storage = folder ? await openFileStorage(folder) : openMemoryStorage();
// The handler has its own deadline for bodies, and an import may take longer than any other.
const limits = { requestTimeout: 0, headersTimeout: 60_000 };
const server = createServer(limits, createListener(createApp(storage)));
server.listen(Number(process.env.PORT ?? 8000), "127.0.0.1", () => {
  console.log("Listening on", server.address());
});

process.once("SIGTERM", () => {
  server.close(() => storage.close());
  // Node waits for ever for a client that sends nothing, or half of a head.
  setTimeout(() => server.closeAllConnections(), 10_000).unref();
});
