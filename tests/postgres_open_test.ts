import { assert, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openPostgresStorage } from "../adapters/postgres.ts";
import { assertUnavailable, failureOf } from "./_load.ts";
import { freePort } from "./_port.ts";

describe("opening postgres storage", () => {
  it("rejects in time when the server accepts and never answers", async () => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const accepted: Deno.Conn[] = [];
    const accepting = (async () => {
      for await (const connection of listener) accepted.push(connection);
    })();
    const url = `postgres://ann:secret@127.0.0.1:${listener.addr.port}/x`;
    const failure = await failureOf(() => openPostgresStorage(url));
    assertUnavailable([failure]);
    assert(accepted.length > 0);
    for (const connection of accepted) {
      // It is let go of as well: after what was sent comes the end.
      await new Response(connection.readable).arrayBuffer();
    }
    listener.close();
    await accepting;
  });

  it("rejects without the password when nothing listens", async () => {
    const url = `postgres://ann:secret@127.0.0.1:${freePort()}/x`;
    const failure = await failureOf(() => openPostgresStorage(url));
    assertUnavailable([failure]);
    assert(!Deno.inspect(failure.error).includes("secret"));
  });

  it("rejects without the password when the URL is malformed", async () => {
    const malformed = [
      ["postgres://ann:secret@ho st:1/x", "Cannot parse the hosts to connect to: write HOST:PORT"],
      ["postgres://ann:secret@h:99999999/x", "Cannot connect to a port, of the URL"],
      ["postgres://ann:secret%@h/x", "Cannot parse the connection URL: write postgres://"],
    ];
    for (const [url, message] of malformed) {
      const error = await assertRejects(() => openPostgresStorage(url), TypeError, message);
      assert(!Deno.inspect(error).includes("secret"), Deno.inspect(error));
    }
  });
});
