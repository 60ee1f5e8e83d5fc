import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { withFolder } from "./_folder.ts";
import { startCommand, startProcess, waitUntilServing } from "./_process.ts";
import { startScriptedRelay } from "./_scripted_relay.ts";
import { until } from "./_waiting.ts";

const SITE = ["--public-url", "https://updates.example"];
const FROM = ["--mail-from", "Acme <news@acme.example>"];
const RELAY = ["--mail", "smtp://127.0.0.1:25?tls=off"];

describe("serve with mail", () => {
  it("says at start what is missing or wrong", async () => {
    const rows: readonly (readonly [readonly string[], RegExp])[] = [
      [RELAY, /--mail needs --public-url/],
      [[...RELAY, ...SITE], /--mail needs --mail-from/],
      [FROM, /--mail-from needs --mail/],
      [["--mail", "smtp://ann@h", ...SITE, ...FROM], /set BOARDCAST_MAIL_PASSWORD/],
      [["--mail", "mail.example.com", ...SITE, ...FROM], /--mail: cannot read the mail URL/],
      [[...RELAY, ...SITE, "--mail-from", "Acme"], /--mail-from is not a valid e-mail address/],
      [[...RELAY, ...SITE, ...FROM, "--mail-rate", "fast"], /--mail-rate "fast" is not off/],
      [[...RELAY, ...SITE, ...FROM, "--mail-footer", "a\u0007"], /--mail-footer has control/],
    ];
    await Promise.all(rows.map(async ([args, expected]) => {
      await using process = startCommand(["--storage", "memory", "--port", "0", ...args]);
      assertEquals(await process.status, 2, `${args}`);
      assertMatch(process.stderr(), expected);
      assertEquals(process.stderr().trim().split("\n").length, 1);
    }));
  });

  it("mails what is published, and stops with nothing lost or repeated", async () => {
    await using sink = await startScriptedRelay();
    await withFolder(async (folder) => {
      const people = Array.from({ length: 60 }, (_, i) => `u${i + 10}@example.com`);
      const rate = ["--mail-rate", "100/s", "--rate-limit", "off", "--storage", `file:${folder}`];
      const args = ["serve", "--port", "0", "--mail", sink.url, ...SITE, ...FROM, ...rate];
      let key = "";
      {
        await using server = await waitUntilServing(startProcess(args));
        key = server.key;
        const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
        const send = async (method: string, path: string, json: unknown) => {
          const url = `${server.url}/api/v1/changelogs/${path}`;
          const response = await fetch(url, { method, headers, body: JSON.stringify(json) });
          assert(response.ok, await response.text());
        };
        for (const userEmail of people) {
          await send("PUT", "subscribe", { userEmail, subscribe: true });
        }
        await send("POST", "entries", { entryId: "a", title: "Dark mode", body: "D" });
        await send("POST", "entries/a/publish", { notify: true });
        await sink.reached(10);
        server.signal("SIGTERM");
        assertEquals(await server.status, 0);
        assertStringIncludes(server.stderr(), '"event":"started"');
      }
      assert(sink.ledger.length < people.length);
      await using server = await waitUntilServing(startProcess(args), key);
      const headers = { Authorization: `Bearer ${key}` };
      await until(async () => {
        const url = `${server.url}/api/v1/changelogs/entries/a/delivery`;
        return (await (await fetch(url, { headers })).json()).state === "done";
      });
      assertEquals([...sink.ledger].sort(), people);
    });
  });
});
