// Fastify with its bearer-auth and form-body plugins. Arguments: the port and the key.
import bearerAuth from "@fastify/bearer-auth";
import formBody from "@fastify/formbody";
import Fastify from "fastify";
import { getBoard, putSubscription } from "./rules.mjs";

const [port, key] = process.argv.slice(2);
const app = Fastify();
await app.register(formBody);
await app.register(async (api) => {
  await api.register(bearerAuth, { keys: new Set([key]) });
  api.get("/boards/:boardId", (request, reply) => {
    const { status, content } = getBoard(request.params.boardId);
    reply.code(status).send(content);
  });
  api.put("/changelogs/subscribe", (request, reply) => {
    const { status, content } = putSubscription(request.body ?? {});
    reply.code(status).send(content);
  });
}, { prefix: "/api/v1" });
await app.listen({ host: "127.0.0.1", port: Number(port) });
