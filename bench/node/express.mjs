// Express with express-bearer-token and its own form parser. Arguments: the port and the key.
import { createHash, timingSafeEqual } from "node:crypto";
import express from "express";
import bearerToken from "express-bearer-token";
import { getBoard, putSubscription } from "./rules.mjs";

const [port, key] = process.argv.slice(2);
const hash = (text) => createHash("sha256").update(text).digest();
const expected = hash(key);

const app = express();
app.use("/api/v1", bearerToken(), (request, response, next) => {
  if (request.token && timingSafeEqual(hash(request.token), expected)) next();
  else response.status(401).json({ status: 401, code: "invalid_token" });
});
app.get("/api/v1/boards/:boardId", (request, response) => {
  const { status, content } = getBoard(request.params.boardId);
  response.status(status).json(content);
});
app.put(
  "/api/v1/changelogs/subscribe",
  express.urlencoded({ extended: false }),
  (request, response) => {
    const { status, content } = putSubscription(request.body ?? {});
    response.status(status).json(content);
  },
);
app.listen(Number(port), "127.0.0.1");
