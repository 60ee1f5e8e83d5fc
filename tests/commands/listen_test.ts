import { assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { Webhook as Verifier } from "standardwebhooks";
import { assertFailed, createCommandLine } from "../_support/cli.ts";
import { startCommand, startServer } from "../_support/process.ts";

/** What arrived at a local URL. */
interface Arrival {
  readonly text: string;
  readonly headers: Record<string, string>;
}

describe("webhooks listen", () => {
  it("forwards what happens on a server, signed, and leaves no webhook behind", async () => {
    await using server = await startServer();
    const arrivals: Arrival[] = [];
    const local = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      async (request) => {
        arrivals.push({ text: await request.text(), headers: Object.fromEntries(request.headers) });
        return new Response(null, { status: 202 });
      },
    );
    const to = `http://127.0.0.1:${local.addr.port}/hooks`;
    const environment = { BOARDCAST_KEY: server.key, BOARDCAST_SERVER: server.url };
    const { succeed, json } = createCommandLine({
      environment: { ...environment, BOARDCAST_STORAGE: "" },
    });
    const types = ["--type", "entry.published", "--type", "subscriber.subscribed"];
    await using listening = startCommand(["webhooks", "listen", "--to", to, ...types], environment);
    const [, secret] = await listening.waitFor("stderr", /signed with (whsec_\S+)\n/);
    await succeed("subscribers subscribe ann@example.com");
    await succeed("subscribers unsubscribe ann@example.com");
    await succeed("entries create a --title A --body B");
    await succeed("entries publish a --no-notify");
    await listening.waitFor("stdout", /entry\.published 202 in \d+ ms\n/);
    assertMatch(
      listening.stdout(),
      /^2\S+Z subscriber\.subscribed 202 in \d+ ms\n2\S+Z entry\.published .*\n$/,
    );
    const verified = arrivals.map(({ text, headers }) =>
      new Verifier(secret).verify(text, headers) as { readonly type: string }
    );
    assertEquals(verified.map(({ type }) => type), ["subscriber.subscribed", "entry.published"]);
    listening.signal("SIGINT");
    assertEquals(await listening.endSignal, "SIGINT");
    assertEquals(await json("webhooks list"), []);
    await local.shutdown();
  });

  it("is refused without a server, and for what is no URL", async () => {
    const { run } = createCommandLine();
    const message = "this needs a running server";
    assertFailed(await run("webhooks listen --to http://localhost:3000"), 1, message);
    assertFailed(await run("webhooks listen --to localhost:3000"), 2, "--to is not a URL");
  });
});
