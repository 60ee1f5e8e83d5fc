// A server of its own process, whose files the tests can limit. It tells its port, each connection
// and its end, when it listens, and what it warns of.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { keepAccepting } from "../commands/_accepting.ts";

const HOST = "127.0.0.1";
const LOOK_MS = 100;

// As the command does: Deno needs files for signals at the first of them, and panics without.
process.once("SIGTERM", () => process.exit());
const server = createServer((_, response) => void response.end());
server.on("connection", (socket) => {
  console.log("connected");
  socket.once("close", () => console.log("closed"));
});
server.on("listening", () => console.log("listening"));
server.once("listening", () => {
  const { port } = server.address() as AddressInfo;
  keepAccepting(server, { host: HOST, port, onWarning: console.log }, LOOK_MS);
  console.log(`port ${port}`);
});
server.listen(0, HOST);
