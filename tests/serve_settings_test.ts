import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { startCommand, startProcess, startServer, type TestServer } from "./_process.ts";

async function get({ url, key }: TestServer, path: string): Promise<Response> {
  return await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
}

describe("serve", () => {
  it("has the rate limit that it is given", async () => {
    const rows = [
      [[], '"default";q=200;w=2'],
      [["--rate-limit", "5/s"], '"default";q=10;w=2'],
      [["--rate-limit", "6000/m"], '"default";q=12000;w=120'],
    ] as const;
    for (const [args, policy] of rows) {
      await using server = await startServer(args);
      const { headers, body } = await get(server, "/api/v1/boards");
      await body?.cancel();
      assertEquals(headers.get("ratelimit-policy"), policy);
    }
  });

  it("logs JSON where there is no terminal, and takes a base path of / for none", async () => {
    await using server = await startServer(["--base-path", "/"]);
    assertEquals(JSON.parse(server.stderr().split("\n")[0]).url, `${server.url}/`);
    assertEquals((await (await get(server, "/api/v1/keys")).json()).data.length, 1);
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

  it("makes the changelog public under the title and the URL that it is given", async () => {
    const args = ["--public-url", "https://updates.example", "--title", "Acme updates"];
    await using server = await startServer(args);
    const page = await (await fetch(`${server.url}/changelog`)).text();
    assertStringIncludes(page, "<title>Acme updates</title>");
    assertStringIncludes(page, "https://updates.example/changelog.atom");
  });

  it("listens on every address when it is told to", async () => {
    await using process = startProcess(["--storage", "memory", "--port", "0", "--host", "0.0.0.0"]);
    await process.waitFor("stderr", /http:\/\/0\.0\.0\.0:\d+\//);
  });

  it("ends with 2, and says in one line what to mend, when a setting is wrong", async () => {
    const rows: readonly (readonly [string[], Record<string, string>, RegExp])[] = [
      [["--rate-limit", "fast"], {}, /--rate-limit "fast" is not off, nor a rate like 100\/s/],
      [["--port", "65536"], {}, /--port "65536" is not a whole number from 0 to 65535/],
      [
        ["--base-path", "feedback"],
        {},
        /--base-path can't be "feedback": write it like \/feedback/,
      ],
      [["--public-url", "example.com"], {}, /--public-url can't be "example.com": write it like/],
      [["--cors-origin", "a.example"], {}, /--cors-origin can't be "a.example": write it like/],
      [["--log", "loud"], {}, /--log "loud" is not text, json or off/],
      [["--pubic-url", "https://a.example"], {}, /did you mean --public-url\?/],
      [[], { BOARDCAST_STORAGE: "" }, /BOARDCAST_STORAGE is empty: give it a value, or unset it/],
      [[], { BOARDCAST_API_KEY: "short" }, /BOARDCAST_API_KEY has fewer than 24 characters/],
      [[], { BOARDCAST_PORT: "tcp://10.96.0.12:8000" }, /Kubernetes sets it for a Service called/],
    ];
    for (const [args, variables, expected] of rows) {
      const storage = "BOARDCAST_STORAGE" in variables ? [] : ["--storage", "memory"];
      await using process = startCommand([...storage, ...args], variables);
      assertEquals(await process.status, 2, process.stderr());
      assertMatch(process.stderr(), expected);
      assertMatch(process.stderr(), /^boardcast: [^\n]+\n$/);
    }
  });
});
