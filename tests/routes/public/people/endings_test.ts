import { assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createDeferral } from "../../../../model/deliveries/mail_outcome.ts";
import { DEFERRALS } from "../../../../model/kinds.ts";
import { PROOF_MAILS, type ProofMail } from "../../../../model/proof/pending.ts";
import { admitForm } from "../../../../services/proof/admission.ts";
import {
  beginMail,
  claimProofMail,
  keepMail,
  postponeMail,
} from "../../../../services/proof/outbox.ts";
import { openMemoryStorage } from "../../../../mod.ts";
import {
  BOARD,
  hiddenFields,
  linkOf,
  OWN,
  POST_ID,
  PUBLIC_URL,
  startForms,
  VOTE_PATH,
} from "../../../_support/board_forms.ts";
import { forEachRow } from "../../../_support/rows.ts";
import { until } from "../../../_support/waiting.ts";

const ANN = "ann@example.com";
const TAGGED = "ann+news@example.com";
const POSTS_PATH = `boards/${BOARD}/posts`;
const NEW_PATH = `/boards/${BOARD}/new`;
const DAY_MS = 86_400_000;
const START = "2026-11-21T10:00:00.000Z";

const after = (seconds: number) => new Date(Date.parse(START) + seconds * 1_000).toISOString();

describe("“never again”", () => {
  it("ends a mail that the relay has put off, and subscriptions with a plus tag", async () => {
    await using service = await startForms();
    const link = await service.proofLink(ANN);
    await service.call("PUT", "changelogs/subscribe", { userEmail: TAGGED, subscribe: true });
    const [mail] = await service.storage.list(PROOF_MAILS, { limit: 1 });
    const due: ProofMail = { ...mail, state: "due", dueAt: after(60), recipient: "x" };
    const refs = { mail: { kind: PROOF_MAILS, key: mail.mailboxId } };
    await service.storage.transact(refs, () => ({ answer: undefined, put: { mail: due } }));
    service.advance(1_000);
    await service.submit(`${link}/never`);
    const [{ dueAt, recipient, waiting }] = await service.storage.list(PROOF_MAILS, { limit: 1 });
    assertEquals([dueAt, recipient, waiting], [null, null, []]);
    assertEquals(await service.state(TAGGED), "false link");
  });

  it("is kept by an import of a list, until that asks to subscribe people again", async () => {
    await using service = await startForms();
    await service.submit(`${await service.proofLink(ANN)}/never`);
    const imported = async (query: string) => {
      const path = `changelogs/subscribers/import${query}`;
      const body = `userEmail,subscribed\n${ANN},true\n${TAGGED},true\n`;
      const headers = { "content-type": "text/csv" };
      return await (await service.send("POST", path, { headers, body })).json();
    };
    assertEquals((await imported("")).keptUnsubscribed, 2);
    assertEquals(await service.state(ANN), "404");
    assertEquals((await imported("?resubscribe")).added, 2);
  });
});

describe("a link that was ended by a rotation", () => {
  it("does not count as the mail of the day", async () => {
    await using service = await startForms();
    const link = await service.proofLink(ANN);
    service.advance(1_000);
    assertEquals((await service.send("POST", "people/rotate")).status, 204);
    assertEquals((await service.follow(link, "GET")).status, 404);
    service.advance(1_000);
    const next = linkOf(await service.mailed(VOTE_PATH, { userEmail: ANN }));
    assertEquals((await service.submit(next)).status, 200);
    assertEquals(await service.votes(), 1);
  });
});

describe("the link and the cookie of an app", () => {
  it("end with the key that made them", () =>
    forEachRow([["link"], ["cookie"]], async ([what]) => {
      await using service = await startForms();
      const created = await service.call<{ key: string; keyId: string }>("POST", "keys", {
        ...{ name: "app", scopes: "posts:write" },
      });
      const json = { userEmail: ANN, path: VOTE_PATH };
      const response = await service.send("POST", "people/link", { key: created.key, json });
      const path = (await response.json()).url.slice(PUBLIC_URL.length);
      const opened = what === "cookie" ? await service.read(path) : undefined;
      await (await service.send("DELETE", `keys/${created.keyId}`)).body?.cancel();
      const { status, headers } = opened ?? await service.read(path);
      const [cookie = ""] = headers.get("set-cookie")?.split(";") ?? [];
      assertEquals([status, cookie !== ""], [303, what === "cookie"]);
      const answer = await service.submit(VOTE_PATH, { headers: { cookie, ...OWN } });
      assertEquals(answer.status, 422);
      assertEquals(await service.votes(), 0);
    }));
});

describe("a mail that proves an address", () => {
  it("is tried again when the relay puts it off after more than a minute", async () => {
    const storage = openMemoryStorage();
    const request = { userEmail: ANN, boardId: null, item: { type: "sign-up", userName: null } };
    const rate = { requests: 9, windowSeconds: 60 };
    await admitForm(storage, request as Parameters<typeof admitForm>[1], { rate, at: START });
    const [claimed] = await storage.list(PROOF_MAILS, { limit: 1 });
    assertEquals(await beginMail(storage, claimed, after(0)), true);
    for (const seconds of [20, 40, 60, 80]) await keepMail(storage, claimed, after(seconds));
    assertEquals(await claimProofMail(storage, claimed, after(89)), undefined);
    const refused = { isRefused: false, now: after(90) };
    assertEquals(await postponeMail(storage, claimed, refused), true);
    const [{ state }] = await storage.list(PROOF_MAILS, { limit: 1 });
    assertEquals(state, "due");
  });

  it("is counted as confirmed for votes and ideas, too", async () => {
    await using service = await startForms();
    await service.submit(await service.proofLink(ANN));
    const text = await (await service.send("GET", "/metrics")).text();
    assertMatch(text, /boardcast_sign_ups_total\{outcome="confirmed"\} 1/);
  });

  it("is not sent for a form whose page another process made a moment ahead", async () => {
    await using service = await startForms();
    service.advance(500);
    const { opened } = hiddenFields((await service.read(`${NEW_PATH}?title=Larger`)).text);
    service.advance(-500);
    const form = { userEmail: ANN, title: "Larger", opened };
    await service.submit(NEW_PATH, { form });
    await service.worker.close();
    assertEquals(service.mails, []);
  });
});

describe("a person's own page", () => {
  it("ends one wish for mail and begins it again, without touching the vote", async () => {
    await using service = await startForms();
    const link = linkOf(await service.mailed(VOTE_PATH, { userEmail: ANN, notify: "true" }));
    await service.submit(link);
    const { text } = await service.follow(link, "GET");
    const proof = { link: hiddenFields(text).link, postId: POST_ID };
    const ended = await service.submit("/me/withdraw", { form: { ...proof, notify: "false" } });
    assertMatch(ended.text, /Mail me when there is news/);
    const votes = async () => {
      const path = `${POSTS_PATH}/${POST_ID}/votes`;
      const { data } = await service.call<{ data: { notify: boolean }[] }>("GET", path);
      return data.map(({ notify }) => notify);
    };
    assertEquals(await votes(), [false]);
    const again = await service.submit("/me/withdraw", { form: { ...proof, notify: "true" } });
    assertMatch(again.text, /No e-mail about it/);
    assertEquals(await votes(), [true]);
  });

  it("lets a subscriber without votes be forgotten", async () => {
    await using service = await startForms();
    await service.call("PUT", "changelogs/subscribe", { userEmail: ANN, subscribe: true });
    const { text } = await service.follow(
      linkOf(await service.mailed("/me", { userEmail: ANN })),
      "GET",
    );
    assertMatch(text, /Choose what you get/);
    const asked = await service.submit("/me/forget", { form: hiddenFields(text) });
    await service.submit("/me/forget", { form: hiddenFields(asked.text) });
    assertEquals(await service.state(ANN), "404");
  });

  it("shows a vote once that a merge has copied", async () => {
    await using service = await startForms();
    const headers = { cookie: await service.remember(ANN), ...OWN };
    await service.call("POST", POSTS_PATH, { postId: "night", title: "Night mode" });
    for (const postId of [POST_ID, "night"]) {
      await service.submit(`/boards/${BOARD}/${postId}`, { headers });
    }
    await service.call("POST", `${POSTS_PATH}/night/merge`, { into: POST_ID });
    const { text } = await service.read("/me", headers);
    assertEquals(text.match(/>Dark mode</g)?.length, 1);
  });

  it("asks for mail on the page of an idea that has the vote already", async () => {
    await using service = await startForms();
    const headers = { cookie: await service.remember(ANN), ...OWN };
    await service.submit(VOTE_PATH, { headers });
    assertMatch((await service.read(VOTE_PATH, headers)).text, /Mail me when there is news/);
    await service.submit(VOTE_PATH, { headers, form: { notify: "true" } });
    const { text } = await service.read(VOTE_PATH, headers);
    assertMatch(text, /No e-mail about it/);
    assertEquals(await service.votes(), 1);
  });
});

describe("a remembered person", () => {
  it("withdraws the vote for an idea that is hidden, and is not shown its title", async () => {
    await using service = await startForms();
    const headers = { cookie: await service.remember(ANN), ...OWN };
    await service.submit(VOTE_PATH, { headers, form: { notify: "true" } });
    await service.call("PATCH", `${POSTS_PATH}/${POST_ID}`, { state: "hidden" });
    const forms: Record<string, string>[] = [{ notify: "false" }, { vote: "false" }];
    for (const form of forms) {
      const { status, text } = await service.submit(VOTE_PATH, { headers, form });
      assertEquals([status, text.includes("Dark mode")], [200, false]);
    }
    assertEquals((await service.submit(VOTE_PATH, { headers })).status, 404);
    assertEquals(await service.votes(), 0);
  });
});

describe("the erasure of an address", () => {
  it("ends the mails that were put off for the mailbox's other addresses", async () => {
    await using service = await startForms();
    const vote = { userEmail: TAGGED, vote: true, notify: true };
    await service.call("PUT", `${POSTS_PATH}/${POST_ID}/votes`, vote);
    const deferral = createDeferral({ entryId: "a", userEmail: TAGGED }, 1, after(DAY_MS));
    const refs = { deferral: { kind: DEFERRALS, key: deferral.deferralId } };
    await service.storage.transact(refs, () => ({ answer: undefined, put: { deferral } }));
    await (await service.send("DELETE", `changelogs/subscribers/${ANN}`)).body?.cancel();
    await until(async () => (await service.storage.list(DEFERRALS, { limit: 1 })).length === 0);
  });
});
