/** Hono on Deno, with its bearer-auth middleware. Arguments: the port and the key. */
import { Hono } from "hono";
import { bearerAuth } from "hono/bearer-auth";
import { getBoard, putSubscription } from "./_rules.ts";

const [port, token] = Deno.args;
const app = new Hono();
app.use("/api/v1/*", bearerAuth({ token }));
app.get("/api/v1/boards/:boardId", (context) => {
  const { status, content } = getBoard(context.req.param("boardId"));
  return context.json(content, status);
});
app.put("/api/v1/changelogs/subscribe", async (context) => {
  const { status, content } = putSubscription(await context.req.parseBody());
  return context.json(content, status);
});

Deno.serve({ hostname: "127.0.0.1", port: Number(port), onListen() {} }, app.fetch);
