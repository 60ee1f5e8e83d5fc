// Proves docs/interface.md for the operation that reads a board.

import { assert, assertEquals } from "@std/assert";
import { beforeEach, describe, it } from "@std/testing/bdd";
import { assertOutcomes, createService, readJson } from "../../_support/service.ts";
import type { TestService } from "../../_support/service.ts";

describe("the interface document on reading a board", () => {
  let service: TestService;
  let key: string;

  beforeEach(async () => {
    service = createService();
    key = await service.createKey(["boards:read"]);
    await service.call("POST", "boards", { boardId: "feature-requests", name: "Ideas" });
    await service.call("POST", "boards", { boardId: "bugs", name: "Bugs" });
  });

  it("answers the details of the one board that boardId names", async () => {
    const names = { "feature-requests": "Ideas", bugs: "Bugs" };
    for (const [boardId, name] of Object.entries(names)) {
      const board = await readJson(await service.send("GET", `boards/${boardId}`, { key }));
      assertEquals([board.boardId, board.name], [boardId, name]);
    }
  });

  it("has every path under /api/v1 of the base URL, with a prefix of the operator's too", async () => {
    await assertOutcomes(service, [
      ["GET", "/api/v1/boards/bugs", { key }, "200"],
      ["GET", "/boards/bugs", { key }, "404 not_found"],
      ["GET", "/api/v2/boards/bugs", { key }, "404 not_found"],
    ]);
    const prefixed = createService({ storage: service.storage, basePath: "/feedback" });
    await assertOutcomes(prefixed, [
      ["GET", "/feedback/api/v1/boards/bugs", { key }, "200"],
      ["GET", "/api/v1/boards/bugs", { key }, "404 not_found"],
    ]);
  });

  it("reads with GET and without a body", async () => {
    await assertOutcomes(service, [
      ["GET", "boards/bugs", { key }, "200"],
      ["POST", "boards/bugs", { key, form: {} }, "405 method_not_allowed"],
      ["PUT", "boards/bugs", { key, form: {} }, "405 method_not_allowed"],
    ]);
  });

  it("takes boardId as it is spelled, percent-encoded or not", async () => {
    await assertOutcomes(service, [
      ["GET", "boards/feature%2Drequests", { key }, "200"],
      ["GET", "boards/Bugs", { key }, "404 board_not_found"],
      ["GET", "boards/unknown", { key }, "404 board_not_found"],
      ["GET", "boards/%zz", { key }, "400 malformed_path"],
    ]);
  });

  it("wants the API key as a bearer token in the Authorization header", async () => {
    const header = { key: null, headers: { authorization: `Bearer ${key}` } };
    await assertOutcomes(service, [
      ["GET", "boards/bugs", header, "200"],
      ["GET", "boards/bugs", { key: null }, "401 missing_credentials"],
      ["GET", `boards/bugs?key=${key}`, { key: null }, "401 missing_credentials"],
      ["GET", "boards/bugs", { key: `${key}x` }, "401 invalid_token"],
    ]);
  });

  it("answers with an ETag, and 304 for as long as that is the board's", async () => {
    const response = await service.send("GET", "boards/bugs", { key });
    const headers = { "if-none-match": response.headers.get("etag")! };
    const unchanged = await service.send("GET", "boards/bugs", { key, headers });
    assertEquals([unchanged.status, await unchanged.text()], [304, ""]);
    await service.call("PATCH", "boards/bugs", { name: "Faults" });
    const board = await readJson(await service.send("GET", "boards/bugs", { key, headers }));
    assertEquals(board.name, "Faults");
    assert(typeof board.updatedAt === "string");
  });
});
