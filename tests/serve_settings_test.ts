import { assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { neededEnvironment } from "./_environment.ts";
import { withFolder } from "./_folder.ts";
import { freePort, hasIpv6 } from "./_port.ts";
import {
  SERVER,
  startCommand,
  startProcess,
  startProgram,
  startServer,
  type TestServer,
  waitUntilServing,
} from "./_process.ts";
import { connect } from "./_raw.ts";

async function get({ url, key }: TestServer, path: string): Promise<Response> {
  return await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
}

describe("serve", () => {
  it("logs JSON by default where there is no terminal", async () => {
    await using server = await startServer();
    assertEquals(JSON.parse(server.stderr().split("\n")[0]).url, `${server.url}/`);
  });

  for (
    const [args, policy] of [
      [[], '"default";q=200;w=2'],
      [["--rate-limit", "1/s"], '"default";q=2;w=2'],
      [["--rate-limit", "5/s"], '"default";q=10;w=2'],
      [["--rate-limit", "6000/m"], '"default";q=12000;w=120'],
    ] as const
  ) {
    it(`has the limit ${policy} when it is called with ${JSON.stringify(args)}`, async () => {
      await using server = await startServer(args);
      const { headers, body } = await get(server, "/api/v1/boards");
      await body?.cancel();
      assertEquals(headers.get("ratelimit-policy"), policy);
    });
  }

  it("takes a base path of / and an empty variable for none", async () => {
    const args = ["--storage", "memory", "--port", "0", "--base-path", "/"];
    const process = startCommand(args, { BOARDCAST_API_KEY: "", BOARDCAST_HOST: "" });
    await using server = await waitUntilServing(process);
    assertEquals((await (await get(server, "/api/v1/keys")).json()).data[0].keyId, "first");
  });

  it("lets every origin call that is named", async () => {
    const origins = ["https://a.example", "https://b.example"];
    await using server = await startServer(origins.flatMap((origin) => ["--cors-origin", origin]));
    for (const origin of origins) {
      const { headers, body } = await fetch(`${server.url}/livez`, { headers: { origin } });
      await body?.cancel();
      assertEquals(headers.get("access-control-allow-origin"), origin);
    }
  });

  for (const host of ["127.1", "127.0.0.01"]) {
    it(`listens on 127.0.0.1 when it is called ${host}`, async () => {
      const process = startProcess(["--storage", "memory", "--port", "0", "--host", host]);
      await using server = await waitUntilServing(process);
      await (await get(server, "/livez")).body?.cancel();
    });
  }

  for (const host of ["0", "0x0"]) {
    it(`listens on every address when it is called ${host}`, async () => {
      await using process = startProcess(["--storage", "memory", "--port", "0", "--host", host]);
      await process.waitFor("stderr", /http:\/\/0\.0\.0\.0:\d+\//);
    });
  }

  it("takes the last port that there is", async () => {
    // Whatever listens on it, the next setting is looked at.
    await using process = startCommand(["--port", "65535", "--rate-limit", "fast"]);
    assertEquals(await process.status, 2);
    assertMatch(process.stderr(), /^boardcast: --rate-limit /);
  });

  for (
    const [port, isOfKubernetes] of [["tcp://10.96.0.12:8000", true], ["http", false]] as const
  ) {
    it(`says what Kubernetes has set, and only that, when BOARDCAST_PORT is ${port}`, async () => {
      await using process = startCommand([], { BOARDCAST_PORT: port });
      assertEquals(await process.status, 2);
      assertEquals(process.stderr().includes("Kubernetes"), isOfKubernetes);
    });
  }

  it("takes an IPv6 address with its zone, which there may not be", async () => {
    await using process = startCommand(["--storage", "memory", "--host", "fe80::1%none"]);
    assertEquals(await process.status, 1);
    assertMatch(process.stderr(), /^boardcast: cannot listen on --host fe80::1%none /);
  });

  for (const listener of ["deno", "node"]) {
    for (
      const [asked, moved] of [
        ["127.0.0.1:PORT", "tcp:127.0.0.1:0"],
        ["192.0.2.1:PORT", "tcp:127.0.0.1:PORT"],
        ["localhost:PORT", "tcp:0.0.0.0:PORT"],
        // By node:http, Deno looks for a host of that name, and finds none.
        ...(listener === "deno" && hasIpv6() ? [["localhost:PORT", "tcp:[::]:PORT"]] : []),
        ["localhost:0", "unix:FOLDER/socket"],
      ]
    ) {
      it(`refuses to be moved from ${asked} to ${moved} by DENO_SERVE_ADDRESS, by ${listener}`, () =>
        withFolder(async (folder) => {
          const free = `${freePort()}`;
          const [host, port] = asked.replace("PORT", free).split(":");
          const address = moved.replace("PORT", free).replace("FOLDER", folder);
          await using process = startProgram(Deno.execPath(), {
            args: [
              ...["run", "--allow-all", "--no-check", SERVER, "--storage", "memory"],
              ...["--listener", listener, "--host", host, "--port", port],
            ],
            env: { ...neededEnvironment(), DENO_SERVE_ADDRESS: address },
          });
          assertEquals(await process.status, 2);
          assertMatch(process.stderr(), /^boardcast: DENO_SERVE_ADDRESS [^\n]+\n$/);
          assertEquals(process.stdout(), "");
        }));
    }
  }

  it("keeps no more connections than are named, by node", async () => {
    await using server = await startServer(["--listener", "node", "--max-connections", "1"]);
    using silent = await connect(server.port);
    using next = await connect(server.port);
    assertEquals(await silent.read(), undefined);
    await next.send("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n");
    assertEquals((await next.read())?.status, 200);
  });
});
