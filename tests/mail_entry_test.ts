import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { simpleParser } from "mailparser";
import { createWorker, openMemoryStorage } from "../mod.ts";
import type { Mail } from "../delivery/mailer.ts";
import { composeMessage } from "../delivery/message.ts";
import { addresses, PUBLIC_URL, REFUSED, SENT, startMailing } from "./_mailing.ts";
import { assertProblem, assertRefused, createService, readJson } from "./_service.ts";

const ANN = "ann@example.com";
const ENTRY = "/api/v1/changelogs/entries/a";
const FOOTER = "Acme Inc.\n1 Long Street & Lane";

async function read(mail: Mail) {
  return await simpleParser(composeMessage(mail, new Date()));
}

describe("the mail of an entry", () => {
  it("says what the entry says, in text and in HTML, and how to unsubscribe", async () => {
    const title = "Dänk <mode>";
    const body = "Press **D**, <i>or</i> [look](https://example.com/d).\n\n## More\n\n- a\n- b";
    await using mailing = await startMailing({
      subscribers: [ANN],
      title: "Acme & friends",
      footer: FOOTER,
    });
    await mailing.publish("a", { title, body, url: "https://example.com/more" });
    const [sent] = mailing.sent;
    const { from, to, subject, text, html, headers } = await read(sent);
    const token = /\/unsubscribe\/([\w-]+)/.exec(sent.text)?.[1] ?? "";
    const link = `${PUBLIC_URL}/unsubscribe/${token}`;
    assertEquals([from?.text, subject], ['"Acme" <news@acme.example>', title]);
    assertEquals(Array.isArray(to) ? to : to?.text, ANN);
    assertEquals(
      text,
      `Dänk <mode>

Press D, <i>or</i> look <https://example.com/d>.

More

- a
- b

Read it on the web <${PUBLIC_URL}/changelog/a>
Learn more <https://example.com/more>

* * *

Acme Inc.
1 Long Street & Lane

You get this because you are subscribed to Acme & friends. Unsubscribe <${link}>
`,
    );
    assertEquals(
      html,
      `<!doctype html>
<html>
<body>
<h1>Dänk &lt;mode&gt;</h1>
<p>Press <strong>D</strong>, &lt;i&gt;or&lt;/i&gt; <a href="https://example.com/d">look</a>.</p>
<h3>More</h3>
<ul>
<li>a</li>
<li>b</li>
</ul>
<p><a href="${PUBLIC_URL}/changelog/a">Read it on the web</a><br />
<a href="https://example.com/more">Learn more</a></p>
<hr />
<p>Acme Inc.<br />
1 Long Street &amp; Lane</p>
<p>You get this because you are subscribed to Acme &amp; friends. <a href="${link}">Unsubscribe</a></p>
</body>
</html>
`,
    );
    assertEquals(sent.headers["List-Unsubscribe"], `<${link}>`);
    assertEquals(sent.headers["List-Unsubscribe-Post"], "List-Unsubscribe=One-Click");
    assertEquals(sent.headers["List-Id"], "Acme & friends <changelog.updates.example>");
    assertEquals(headers.get("auto-submitted"), "auto-generated");
    // The link works, and names nobody.
    assert(
      !`${link}${sent.messageId}${atob(token.replace(/-/g, "+").replace(/_/g, "/"))}`.includes(
        "ann",
      ),
    );
    const path = new URL(link).pathname.slice("/feedback".length);
    assertEquals((await mailing.service.send("POST", path, { key: null })).status, 200);
    const person = await mailing.service.send("GET", `/api/v1/changelogs/subscribers/${ANN}`);
    const { subscribed, source } = await readJson(person);
    assertEquals([subscribed, source], [false, "link"]);
  });

  it("has a Message-ID that is the same for the same entry and person alone", async () => {
    const subscribers = addresses(3);
    const ids: string[][] = [];
    for (let i = 0; i < 2; i++) {
      await using mailing = await startMailing({ subscribers });
      for (const entryId of ["a", "b"]) await mailing.publish(entryId);
      ids.push(mailing.sent.map(({ messageId }) => messageId).sort());
    }
    assertEquals(ids[0], ids[1]);
    assertEquals(new Set(ids[0]).size, 6);
    for (const id of ids[0]) assertMatch(id, /^<[\w+/=]{44}@acme\.example>$/);
  });
});

describe("a test mail", () => {
  it("goes to one address alone, marked, each with an identifier of its own", async () => {
    await using mailing = await startMailing({ subscribers: [ANN] });
    const draft = { entryId: "a", title: "Dark mode", body: "Press **D**." };
    await mailing.service.send("POST", "/api/v1/changelogs/entries", { json: draft });
    for (let i = 0; i < 2; i++) {
      const response = await mailing.service.send("POST", `${ENTRY}/test`, {
        form: { userEmail: "Me@example.com" },
      });
      const userEmail = "me@example.com";
      assertEquals(await readJson(response), {
        entryId: "a",
        userEmail,
        sent: true,
        problem: null,
      });
    }
    assertEquals(mailing.recipients, ["me@example.com", "me@example.com"]);
    assertEquals(mailing.sent.map(({ subject }) => subject), Array(2).fill("[Test] Dark mode"));
    assertEquals(new Set(mailing.sent.map(({ messageId }) => messageId)).size, 2);
    // Nobody was subscribed by it.
    const path = "/api/v1/changelogs/subscribers/me@example.com";
    assertEquals((await mailing.service.send("GET", path)).status, 404);
  });

  it("tells why it was not taken", async () => {
    const relay = ({ to }: { readonly to: string }) =>
      to.startsWith("down") ? "down" as const : to.startsWith("no") ? REFUSED : SENT;
    await using mailing = await startMailing({ relay });
    await mailing.publish("a");
    for (const [name, problem] of [["down", "It is down"], ["no", "550 5.1.1 unknown"]]) {
      const json = { userEmail: `${name}@example.com` };
      const response = await mailing.service.send("POST", `${ENTRY}/test`, { json });
      assertEquals(await readJson(response), { ...json, entryId: "a", sent: false, problem });
    }
    const { send } = mailing.service;
    await assertRefused(await send("POST", `${ENTRY}/test`, { json: { userEmail: "x" } }), {
      userEmail: "invalid_email",
    });
    const json = { userEmail: ANN };
    await assertProblem(await send("POST", `${ENTRY}x/test`, { json }), 404, "entry_not_found");
  });

  it("needs a worker", async () => {
    const { send } = createService();
    await send("POST", "/api/v1/changelogs/entries", {
      json: { entryId: "a", title: "T", body: "" },
    });
    const response = await send("POST", `${ENTRY}/test`, { json: { userEmail: ANN } });
    const { detail } = await assertProblem(response, 409, "mail_not_configured");
    assertStringIncludes(detail, "relay");
  });
});

describe("createWorker", () => {
  it("refuses options that can't work, and names the one that was meant", () => {
    const storage = openMemoryStorage();
    const mailer = { send: () => Promise.resolve(SENT), close: () => Promise.resolve() };
    const given = { storage, mailer, publicUrl: PUBLIC_URL, from: "news@acme.example" };
    const rows: readonly (readonly [Readonly<Record<string, unknown>>, RegExp])[] = [
      [{ storage: Promise.resolve(storage) }, /storage: give what an adapter opened/],
      [{ mailer: {} }, /mailer/],
      [{ publicUrl: "example.com" }, /publicUrl "example.com"/],
      [{ publicUrl: undefined }, /publicUrl/],
      [{ from: "Acme" }, /from: it is not a valid e-mail address/],
      [{ from: undefined }, /from/],
      [{ from: "A\nB <news@acme.example>" }, /from/],
      [{ title: "" }, /title/],
      [{ footer: "a\u0000" }, /footer/],
      [{ mailRatePerSecond: 0 }, /mailRatePerSecond/],
      [{ leaseMs: 30_000 }, /leaseMs/],
      [{ pollMs: 0 }, /pollMs/],
      [{ clock: 1 }, /clock/],
      [{ mailrate: 1 }, /did you mean mailRatePerSecond|the options are/],
    ];
    for (const [option, expected] of rows) {
      const options = { ...given, ...option };
      const { message } = assertThrows(() => createWorker(options as typeof given)) as Error;
      assertMatch(message, expected);
    }
  });
});
