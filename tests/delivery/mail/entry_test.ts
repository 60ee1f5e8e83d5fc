import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { simpleParser } from "mailparser";
import { composeMessage } from "../../../delivery/mail/message.ts";
import type { Mailer } from "../../../delivery/mail/mailer.ts";
import { openSmtpMailer } from "../../../delivery/mail/smtp.ts";
import { hash64 } from "../../../model/crypto/hash64.ts";
import { addresses, DEFERRED, PUBLIC_URL, REFUSED } from "../../_support/mailing.ts";
import { SENT, startMailing } from "../../_support/mailing.ts";
import { forEachRow } from "../../_support/rows.ts";
import { startScriptedRelay, type Step } from "../../_support/scripted_relay.ts";
import { assertOutcomes, createService, readJson, type Sent } from "../../_support/service.ts";

const ANN = "ann@example.com";
const ENTRY = "/api/v1/changelogs/entries/a";
const FOOTER = "Acme Inc.\n1 Long Street & Lane";

/** Returns the unsubscribe link in a mail. */
function linkIn({ text }: { readonly text: string }): string {
  return /https:\S+\/unsubscribe\/[\w-]+/.exec(text)?.[0] ?? "";
}

describe("the mail of an entry", () => {
  it("ends with a link to the page where its HTML would be cut, and its text is whole", async () => {
    await using mailing = await startMailing({ subscribers: [ANN], footer: FOOTER });
    const bodies = [
      "`a` ".repeat(8_191),
      "- some `code` and **more**\n".repeat(1_200),
      "Words and words. ".repeat(80).concat("\n\n").repeat(23).concat("> `q` ".repeat(100)),
      `| a | b |\n| - | - |\n${"| `c` | d |\n".repeat(2_500)}`,
      "```\n".concat("<<<<<<<<<<<<<<<<<<<<\n".repeat(1_500), "```"),
    ];
    for (const [index, body] of bodies.entries()) {
      await mailing.publish(`long-${index}`, { body: body.slice(0, 32_768) });
      const { html, text } = mailing.sent.at(-1)!;
      const bytes = new TextEncoder().encode(html).length;
      assert(bytes < 91 * 1_024, `${bytes} of ${index}`);
      const end = html.indexOf("… <a ");
      if (index === 2) assertEquals(end, -1);
      else {
        assert(bytes > 80 * 1_024, `${bytes} of ${index}`);
        assert(end > 0 && html.indexOf("Acme Inc.") > end);
        assertStringIncludes(html.slice(end), `${PUBLIC_URL}/changelog/long-${index}`);
      }
      assert(text.length > body.replace(/[`*|> -]/g, "").length / 2);
    }
  });

  it("has tables that scroll on a phone, with their columns where they belong", async () => {
    await using mailing = await startMailing({ subscribers: [ANN] });
    await mailing.publish("a", { body: "| a | b |\n| - | -: |\n| words | 1 |" });
    const [{ html }] = mailing.sent;
    const [table] =
      /<div style="[^"]*overflow-x:auto[^"]*"><table[^]*?<\/table><\/div>/.exec(html) ?? [];
    assertEquals(
      table?.match(/text-align:\w+/g),
      ["start", "right", "start", "right"].map((side) => `text-align:${side}`),
    );
    assertMatch(table ?? "", /^<div[^>]*><table style="[^"]*overflow-wrap:normal/);
  });

  it("names its list by the sender's domain where the public URL has an address", async () => {
    for (const publicUrl of ["http://192.0.2.7:8000", "http://[2001:db8::1]/x"]) {
      await using mailing = await startMailing({ subscribers: [ANN], publicUrl });
      await mailing.publish("a");
      assertMatch(mailing.sent[0].headers["List-Id"], /<changelog\.acme\.example>$/);
    }
  });

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
    const message = composeMessage(sent, new Date());
    const { from, to, subject, text, html, headers } = await simpleParser(message);
    const link = linkIn(sent);
    assertEquals([from?.text, subject], ['"Acme" <news@acme.example>', title]);
    assertEquals(Array.isArray(to) ? to : to?.text, ANN);
    assertEquals(
      text,
      `Dänk <mode>
21 November 2026

Press D, <i>or</i> look <https://example.com/d>.

More

- a
- b

Read it on the web:
${PUBLIC_URL}/changelog/a

Learn more:
https://example.com/more

-- 
Acme Inc.
1 Long Street & Lane

This e-mail is not tracked: nobody learns whether you open it or follow its links.

You get this because you are subscribed to Acme & friends.

Unsubscribe:
${link}

Choose what you get:
${link}
`,
    );
    // This test ignores the styles of elements.
    const plain = `${html}`.replaceAll(/ (?:style|class|dir)="[^"]*"/g, "");
    for (
      const part of [
        `<h1><a href="${PUBLIC_URL}/changelog/a">Dänk &lt;mode&gt;</a></h1>\n<p>21 November 2026</p>`,
        "<p>Press <strong>D</strong>, &lt;i&gt;or&lt;/i&gt; ",
        "<h3>More</h3>\n<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n",
        `<a href="${PUBLIC_URL}/changelog/a">Read it on the web</a>`,
        "<p>Acme Inc.<br>1 Long Street &amp; Lane</p>\n",
        `subscribed to Acme &amp; friends. <a href="${link}">Unsubscribe</a> · <a href="${link}">Choose what you get</a></p>`,
        "<div>Press D, &lt;i&gt;or&lt;/i&gt; look. More · a · b</div>",
      ]
    ) assertStringIncludes(plain, part);
    assertEquals(headers.get("list"), {
      id: { name: "Acme & friends", id: "changelog.updates.example" },
      unsubscribe: { url: link },
      "unsubscribe-post": { name: "List-Unsubscribe=One-Click" },
    });
    assertEquals(headers.get("auto-submitted"), "auto-generated");
  });

  it("is in the language and direction of the changelog, with styles in every element", async () => {
    const body = "**a** `b`\n\n```\nc\n```\n\n![d](https://example.com/d.png)";
    await using mailing = await startMailing({ subscribers: [ANN], language: "ar", title: "Acme" });
    await mailing.publish("a", { title: "Dark", body, url: null });
    const [{ html, text }] = mailing.sent;
    assertStringIncludes(html, '<html lang="ar" dir="rtl">');
    assertStringIncludes(text, "القراءة على الويب:");
    for (const element of ["p", "code", "pre", "img", "a"]) {
      const tags = html.match(new RegExp(`<${element}\\b[^>]*>`, "g")) ?? [];
      // Code in a block has the style of the block.
      const bare = tags.filter((tag) => !tag.includes(" style=") && tag !== "<code>");
      assertEquals([tags.length > 0, bare], [true, []], element);
    }
    assert(
      !/<(?:script|link|iframe|form)\b|https?:\/\/(?!updates\.example|example\.com)/.test(html),
    );
  });

  it("has the logo and the day of readers, and a light ground below pictures in the dark", async () => {
    const png = Uint8Array.from("\x89PNG\r\n\x1a\n", (sign) => sign.charCodeAt(0));
    const brand = { logo: png, logoDark: png, timeZone: "Pacific/Kiritimati" };
    await using mailing = await startMailing({ subscribers: [ANN], ...brand });
    await mailing.publish("a", { title: "A", body: "![b](https://example.com/b.png)", url: null });
    const [{ html }] = mailing.sent;
    for (
      const part of [
        "22 November 2026",
        `<img src="${PUBLIC_URL}/changelog/_logo/${hash64(png)}.png" alt="" class="light"`,
        `<img src="${PUBLIC_URL}/changelog/_logo/${
          hash64(png)
        }.png" alt="" class="dark" height="28" style="display:none;`,
        "img.light{display:none!important}",
        ".ink img{background:#",
      ]
    ) assertStringIncludes(html, part);
  });

  it("has failures reported to another address than the sender's, if there is one", async () => {
    await using mailing = await startMailing({
      subscribers: [ANN],
      bouncesTo: "bounces@acme.example",
    });
    await mailing.publish("a");
    assertEquals(mailing.sent[0].envelope, { from: "bounces@acme.example", to: ANN });
    assertEquals(mailing.sent[0].from.address, "news@acme.example");
  });

  it("has failures reported to an address with a tag of the recipient, if that is wanted", async () => {
    const subscribers = addresses(2);
    await using mailing = await startMailing({ subscribers, bouncesTo: "b+*@acme.example" });
    for (const entryId of ["a", "b"]) await mailing.publish(entryId);
    const senders = mailing.sent.map(({ envelope }) => `${envelope?.from}`);
    for (const sender of senders) assertMatch(sender, /^b\+[0-9a-f]{32}@acme\.example$/);
    assertEquals(new Set(senders).size, 2);
  });

  it("has a Message-ID that is the same for the same entry and person alone", async () => {
    const ids: string[] = [];
    const mailer: Mailer = {
      send: ({ messageId }) => Promise.resolve(ids.push(messageId) > 2 ? SENT : DEFERRED),
      close: () => Promise.resolve(),
    };
    await using mailing = await startMailing({ subscribers: addresses(2), mailer });
    await mailing.publish("a");
    await mailing.clock.advance(120_000);
    await mailing.publish("b");
    assertEquals(ids.slice(0, 2).sort(), ids.slice(2, 4).sort());
    assertEquals([ids.length, new Set(ids).size], [6, 4]);
    for (const id of ids) assertMatch(id, /^<[\w-]{22}\.[\w-]{22}@acme\.example>$/);
  });
});

describe("the link to unsubscribe", () => {
  /** Mails Ann, and returns a function that sends a request to the link in the mail. */
  async function mailAnn() {
    await using mailing = await startMailing({ subscribers: [ANN] });
    await mailing.publish("a");
    const [{ messageId, text }] = mailing.sent;
    const link = linkIn({ text });
    const path = new URL(link).pathname.slice("/feedback".length);
    const send = (method: string, sent: Sent = {}) =>
      mailing.service.send(method, path, { key: null, ...sent });
    return { ...mailing, link, messageId, path, send };
  }

  it("names nobody, and changes nothing when it is fetched", async () => {
    const { link, messageId, send, subscriber } = await mailAnn();
    const sealed = link.split("/").at(-1)!.replace(/-/g, "+").replace(/_/g, "/");
    assert(!`${link}${messageId}${atob(sealed)}`.includes("ann@"));
    for (const method of ["GET", "HEAD", "GET"]) {
      const response = await send(method);
      assertEquals(response.status, 200);
      const forms = (await response.text()).match(/<form|<button/g) ?? [];
      assertEquals(forms.length, method === "GET" ? 4 : 0);
    }
    assertEquals((await subscriber("GET", ANN)).subscribed, true);
  });

  it("unsubscribes by any POST, however often, and never redirects", async () => {
    const body = "List-Unsubscribe=One-Click";
    await forEachRow<Sent>([
      { form: { "List-Unsubscribe": "One-Click" } },
      { body, headers: { "content-type": "multipart/form-data; boundary=x" } },
      {},
    ], async (sent) => {
      const { send, subscriber } = await mailAnn();
      for (let i = 0; i < 2; i++) assertEquals((await send("POST", sent)).status, 200);
      const { subscribed, source } = await subscriber("GET", ANN);
      assertEquals([subscribed, source], [false, "link"]);
    });
  });

  it("brings nobody back who was erased, and is 404 when it was not made here", async () => {
    const { path, send, service, subscriber } = await mailAnn();
    await subscriber("DELETE", ANN);
    assertEquals((await send("POST")).status, 200);
    const { path: foreign } = await mailAnn();
    assertEquals((await service.send("GET", `changelogs/subscribers/${ANN}`)).status, 404);
    for (const other of [foreign, `${path}A`, path.slice(0, -1), "/unsubscribe/x"]) {
      assertEquals((await service.send("POST", other, { key: null })).status, 404);
    }
  });
});

describe("a test mail", () => {
  it("goes to one address alone, marked, each with an identifier of its own", async () => {
    await using mailing = await startMailing({ subscribers: [ANN] });
    const { call, send } = mailing.service;
    await call("POST", "changelogs/entries", { entryId: "a", title: "Dark mode", body: "" });
    const userEmail = "me@example.com";
    for (let i = 0; i < 2; i++) {
      const response = await send("POST", `${ENTRY}/test`, {
        form: { userEmail: "Me@example.com" },
      });
      const sent = { entryId: "a", userEmail, sent: true, problem: null };
      assertEquals(await readJson(response), sent);
    }
    assertEquals(mailing.recipients, [userEmail, userEmail]);
    assertEquals(mailing.sent.map(({ subject }) => subject), Array(2).fill("[Test] Dark mode"));
    assertEquals(new Set(mailing.sent.map(({ messageId }) => messageId)).size, 2);
    // The request subscribed nobody.
    assertEquals((await send("GET", `changelogs/subscribers/${userEmail}`)).status, 404);
  });

  it("tells within 12 seconds where the relay is silent, at whatever step", () =>
    forEachRow<readonly [silent: Step, problem: RegExp]>([
      ["greeting", /silent before its greeting; where .* smtps:\/\/$/],
      ["EHLO", /silent after EHLO$/],
      ["MAIL", /silent after MAIL$/],
      ["RCPT", /silent after RCPT$/],
      ["DATA", /silent after DATA$/],
      [".", /^The relay did not confirm that it took the mail$/],
    ], async ([silent, problem]) => {
      const reached = Promise.withResolvers<void>();
      await using relay = await startScriptedRelay((step) => {
        if (step !== silent) return undefined;
        reached.resolve();
        return "hang";
      });
      const mailer = openSmtpMailer(relay.url);
      await using mailing = await startMailing({ mailer });
      const { call, send } = mailing.service;
      await call("POST", "changelogs/entries", { entryId: "a", title: "T", body: "" });
      const response = send("POST", `${ENTRY}/test`, { json: { userEmail: ANN } });
      await reached.promise;
      for (let i = 0; i < 100; i++) await mailing.clock.tick(100);
      const answer = await readJson<{ sent: boolean; problem: string }>(await response);
      assertEquals(answer.sent, false);
      assertMatch(answer.problem, problem);
      await mailer.close();
    }));

  it("tells within 12 seconds that a mailer is silent which knows no signal", async () => {
    await using mailing = await startMailing({ relay: () => new Promise<never>(() => {}) });
    const { call, send } = mailing.service;
    await call("POST", "changelogs/entries", { entryId: "a", title: "T", body: "" });
    const response = send("POST", `${ENTRY}/test`, { json: { userEmail: ANN } });
    for (let seconds = 0; seconds < 12; seconds++) await mailing.clock.tick(1_000);
    const { problem } = await readJson<{ problem: string }>(await response);
    assertEquals(problem, "The mailer did not answer in time");
  });

  it("tells why it was not taken", async () => {
    const relay = ({ to }: { readonly to: string }) => to.startsWith("no") ? REFUSED : "down";
    await using mailing = await startMailing({ relay });
    const { call, send } = mailing.service;
    await call("POST", "changelogs/entries", { entryId: "a", title: "T", body: "" });
    for (const [name, problem] of [["down", "It is down"], ["no", "550 5.1.1 unknown"]]) {
      const json = { userEmail: `${name}@example.com` };
      const response = await send("POST", `${ENTRY}/test`, { json });
      assertEquals(await readJson(response), { ...json, entryId: "a", sent: false, problem });
    }
    const without = createService({ storage: mailing.storage });
    const json = { userEmail: ANN };
    await assertOutcomes(mailing.service, [
      ["POST", `${ENTRY}/test`, { json: { userEmail: "x" } }, "422 userEmail:invalid_email"],
      ["POST", `${ENTRY}x/test`, { json }, "404 entry_not_found"],
    ]);
    await assertOutcomes(without, [["POST", `${ENTRY}/test`, { json }, "409 mail_not_configured"]]);
  });
});
