import { assert, assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Storage } from "../../../mod.ts";
import { sha256 } from "../../../model/crypto/encoding.ts";
import { BOUNCE_COUNTS } from "../../../model/kinds.ts";
import { openMailIds } from "../../../services/deliveries/mail_ids.ts";
import { PERMANENT, type Server, SERVERS, writeReport } from "../../_support/bounces/reports.ts";
import { ANN, startBouncing } from "../../_support/bounces/service.ts";
import { startMailing } from "../../_support/mailing.ts";
import { forEachRow } from "../../_support/rows.ts";
import { outcomeOf, readJson, type TestService } from "../../_support/service.ts";
import { openCipher } from "../../../services/privacy/sealed.ts";

const EVE = "eve@example.com";
const HEAD = "<abc@acme.example>";
const LINK = "https://example.com/unsubscribe/none";

/** Posts a mail; returns how many people it unsubscribed, and how many events were ignored. */
async function postMail(
  { path, send }: Pick<TestService, "send"> & { readonly path: string },
  body: string,
): Promise<string> {
  const sent = { key: null, body, headers: { "content-type": "message/rfc822" } };
  const { unsubscribed, ignored } = await readJson<{ unsubscribed: number; ignored: number }>(
    await send("POST", path, sent),
  );
  return `${unsubscribed} ${ignored}`;
}

async function ownMessageId(storage: Storage, userEmail: string): Promise<string> {
  return `<${await (await openMailIds(storage)).create("a", userEmail)}@acme.example>`;
}

async function ownLink(storage: Storage, userEmail: string): Promise<string> {
  const token = (await openCipher(storage, "unsubscribe")).encrypt(userEmail);
  return `https://example.com/unsubscribe/${token}`;
}

/** Returns reports that anybody could forge. */
function forgeries(address: string, head: string): Readonly<Record<string, string>> {
  const parts = (type: string, content: string) =>
    `Content-Type: multipart/report; boundary=b\n\n--b\nContent-Type: ${type}\n\n${content}\n` +
    `--b\nContent-Type: text/rfc822-headers\n\n${head}\nTo: ${address}\n\n--b--\n`;
  const sesEvent = JSON.stringify({
    ...{ notificationType: "Complaint", mail: {} },
    complaint: { complainedRecipients: [{ emailAddress: address }] },
  });
  const said = `${address}: 550 5.1.1 User unknown\n\n${head}\nTo: ${address}\n`;
  return {
    "a pasted report": `From: MAILER-DAEMON@x.example\nSubject: x\n\n${said}`,
    "a failed recipient": `X-Failed-Recipients: ${address}\nFrom: eve@x.example\n\n${said}`,
    "a postmaster by name": `From: Pat Postmaster <pat@x.example>\nSubject: x\n\n${said}`,
    "an out-of-office answer": "From: Mail System <pat@x.example>\nAuto-Submitted: auto-replied\n" +
      `In-Reply-To: ${HEAD}\n\n${said}`,
    "a delivery report": parts(
      "message/delivery-status",
      `Reporting-MTA: dns; x.example\n\nFinal-Recipient: rfc822; ${address}\nAction: failed\n` +
        "Status: 5.1.1\n",
    ),
    "a complaint": parts(
      "message/feedback-report",
      `Feedback-Type: abuse\nOriginal-Rcpt-To: ${address}`,
    ),
    "an event of Amazon SES": `From: no-reply@sns.amazonaws.com\n\n${sesEvent}\n`,
  };
}

describe("a report by mail", () => {
  it("of any server unsubscribes with a head of ours, and nobody without one", () =>
    forEachRow(PERMANENT, async ({ server, status, said }) => {
      const service = await startBouncing([ANN]);
      const report = writeReport(server, { status, diagnostic: said });
      assertEquals(await postMail(service, report), "0 1");
      const theirs = report.replaceAll(HEAD, await ownMessageId(service.storage, EVE));
      assertEquals(await postMail(service, theirs), "0 1");
      assertEquals(await service.state(), "true api");
      const ours = report.replaceAll(HEAD, await ownMessageId(service.storage, ANN));
      assertEquals([await postMail(service, ours), await service.state()], ["1 0", "false bounce"]);
    }));

  it("is proven by the link in the mail, and by the tag that it was sent to", () =>
    forEachRow(Object.keys(SERVERS) as Server[], async (server) => {
      const report = writeReport(server, { status: "5.1.1", diagnostic: "550 5.1.1 User unknown" });
      const linked = await startBouncing([ANN]);
      const link = await ownLink(linked.storage, ANN);
      const expected = report.includes(LINK) ? "1 0" : "0 1";
      assertEquals(await postMail(linked, report.replaceAll(LINK, link)), expected);
      const tagged = await startBouncing([ANN, EVE]);
      const ids = await openMailIds(tagged.storage);
      for (const [owner, expected] of [[EVE, "0 1"], [ANN, "1 0"]]) {
        const tag = (await ids.tagOf(owner)).toUpperCase();
        const sent = report.replaceAll(
          /^((?:Delivered-)?To: .*)bounces@/gm,
          (_, field) => `${field}bounces+${tag}@`,
        );
        assertEquals(await postMail(tagged, sent), expected);
      }
    }));

  it("that anybody could write unsubscribes nobody else, and is counted as unproven", () =>
    forEachRow(Object.keys(forgeries(ANN, "")), async (name) => {
      const service = await startBouncing([ANN, EVE]);
      const own = await ownMessageId(service.storage, EVE);
      const heads = ["", `Message-ID: ${HEAD}`, `Message-ID: ${own}`];
      let unproven = 0;
      for (const head of heads) {
        assertEquals(await postMail(service, forgeries(ANN, head)[name]), "0 1");
        unproven++;
      }
      assertEquals(await service.state(), "true api");
      const metrics = await (await service.send("GET", "/metrics")).text();
      assertMatch(metrics, new RegExp(`boardcast_bounces_total.*"unproven".* ${unproven}\n`));
    }));

  it("that answers our tag without being a report counts nothing", async () => {
    const service = await startBouncing([ANN]);
    const tag = await (await openMailIds(service.storage)).tagOf(ANN);
    const head = `From: Ann <${ANN}>\nTo: bounces+${tag}@acme.example\n`;
    const quoted = `\n\n-----Original Message-----\nFrom: Acme\nTo: ${ANN}\nSubject: News\n`;
    for (
      const answer of [
        "Auto-Submitted: auto-replied\n\nI am away.",
        `Auto-Submitted: auto-replied\n\n${ANN} no longer works here: user unknown.${quoted}`,
        `Return-Path: <>\n\n${ANN}: 550 5.1.1 user unknown${quoted}`,
      ]
    ) {
      assertEquals((await postMail(service, head + answer)).split(" ")[0] === "1", false);
      assertEquals(await service.state(), "true api");
    }
    const [count] = await service.storage.list(BOUNCE_COUNTS, { limit: 1 });
    assertEquals(count, undefined);
  });

  it("is not taken for an event of a provider, which nothing has to prove", async () => {
    const { send, path, state } = await startBouncing([ANN]);
    for (const type of ["message/rfc822", "multipart/report; boundary=b"]) {
      const body = `[${JSON.stringify({ RecordType: "SpamComplaint", Email: ANN })}]`;
      const sent = { key: null, body, headers: { "content-type": type } };
      assertEquals(await outcomeOf(await send("POST", path, sent)), "422 body:invalid_value");
    }
    assertEquals(await state(), "true api");
  });

  it("with a Message-ID computed from the public feed unsubscribes nobody", async () => {
    await using mailing = await startMailing({ subscribers: [ANN, EVE] });
    await mailing.publish("a");
    const { service, sent } = mailing;
    const { path } = await service.call<{ path: string }>("GET", "changelogs/bounces");
    const feed = await (await service.send("GET", "/changelog.atom", { key: null })).text();
    const published = feed.match(/\d{4}-\d\d-\d\dT[\d:.]+Z/g) ?? [];
    assert(published.length > 0);
    const [theirs, ann] = [EVE, ANN].map((address) => sent.find(({ to }) => to === address)!);
    const known = theirs.messageId.slice(1).split(/[.@]/);
    const hashes = await Promise.all(
      published.map((at) => sha256(["a", at, ANN, ""].join(" "))),
    );
    const guesses = [...hashes, ...hashes.map((hash) => `${known[0]}.${hash.slice(0, 22)}`)];
    guesses.push(`${known[0]}.${known[1]}`, `${known[0]}.`);
    for (const guess of guesses) {
      const mail = forgeries(ANN, `Message-ID: <${guess}@acme.example>`)["a delivery report"];
      assertEquals(await postMail({ ...service, path }, mail), "0 1");
    }
    const mail = forgeries(ANN, `Message-ID: ${ann.messageId}`)["a delivery report"];
    assertEquals(await postMail({ ...service, path }, mail), "1 0");
  });

  it("about several people counts for the one alone whose mail it returns", async () => {
    const service = await startBouncing([ANN, EVE]);
    const own = `List-Unsubscribe: <${await ownLink(service.storage, EVE)}>`;
    const report = forgeries(ANN, own)["a delivery report"].replace(
      "Status: 5.1.1\n",
      `Status: 5.1.1\n\nFinal-Recipient: rfc822; bob@example.com\nAction: failed\nStatus: 5.1.1\n`,
    );
    assertEquals(await postMail(service, report), "0 2");
    assertEquals([await service.state(), await service.state(EVE)], ["true api", "true api"]);
  });
});
