import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { PENDING } from "../../../../model/proof/pending.ts";
import { forEachRow } from "../../../_support/rows.ts";
import { readAll, STORAGES } from "../../../_support/storages.ts";
import {
  BOARD,
  hiddenFields,
  linkOf,
  OWN,
  POST_ID,
  PUBLIC_URL,
  startForms,
  tickedFields,
  VOTE_PATH,
} from "../../../_support/board_forms.ts";
import { until } from "../../../_support/waiting.ts";
import { openCipher } from "../../../../services/privacy/sealed.ts";

const ANN = "ann@example.com";
const NEW_PATH = `/boards/${BOARD}/new`;
const IDEA = { title: "Larger letters", body: "I can't read them.", userEmail: ANN };

for (const [name, withStorage] of STORAGES) {
  describe(`a form of a board on ${name}`, () => {
    it("counts a vote once it is proven, and stores no address before that", () =>
      withStorage(async (storage) => {
        await using service = await startForms({ storage });
        const before = await readAll(storage);
        assert(!before.includes("ann@"));
        const mail = await service.mailed(VOTE_PATH, { userEmail: ANN, notify: "true" });
        await service.submit(NEW_PATH, {
          form: { ...IDEA, body: `Write to ${ANN}, please` },
        });
        await until(async () => (await storage.list(PENDING, { limit: 9 })).length === 2);
        // Storage contains neither the address nor the idea's words, which include the address.
        assert(!/ann@|ann%40|Larger letters/.test(await readAll(storage)));
        assertEquals(await service.votes(), 0);
        const link = linkOf(mail);
        for (let fetched = 0; fetched < 100; fetched++) {
          assertEquals((await service.follow(link, fetched % 2 ? "GET" : "HEAD")).status, 200);
        }
        assertEquals(await service.votes(), 0);
        const page = await service.follow(link, "GET");
        assertMatch(page.text, /Dark mode[^]*Larger letters/);
        const done = await service.submit(link, { form: tickedFields(page.text, { all: true }) });
        assertEquals([done.status, await service.votes()], [200, 1]);
        const { data } = await service.call<{ data: { title: string; votes: number }[] }>(
          "GET",
          `boards/${BOARD}/posts`,
        );
        assertEquals(data.map(({ title, votes }) => `${title} ${votes}`).sort(), [
          "Dark mode 1",
          "Larger letters 1",
        ]);
        for (let again = 0; again < 3; again++) {
          assertEquals((await service.follow(link)).status, 200);
        }
        assertEquals([await service.votes(), (await storage.list(PENDING, { limit: 1 })).length], [
          ...[1, 0],
        ]);
      }));
  });
}

describe("a thousand forms for one address in a day", () => {
  it("come to one mail, one answer and 20 requests, whatever plus tags it has", async () => {
    await using service = await startForms();
    const answers = new Set<string>();
    for (let number = 0; number < 1_000; number++) {
      const userEmail = number % 3 === 0 ? ANN : `ann+${number}@example.com`;
      const form = { ...IDEA, title: `Idea number ${number}`, userEmail };
      const { status, text } = await service.submit(NEW_PATH, { form });
      answers.add(`${status} ${text}`);
      await new Promise((resolve) => setTimeout(resolve));
    }
    await service.worker.close();
    const waiting = await service.storage.list(PENDING, { limit: 100 });
    assertEquals([service.mails.length, answers.size, waiting.length], [1, 1, 20]);
    const metrics = await (await service.send("GET", "/metrics")).text();
    assertMatch(metrics, /boardcast_sign_ups_total\{outcome="dropped"\} 980\n/);
  });
});

describe("the answer to a form", () => {
  it("is the same, and comes before storage is read, whatever is known of the address", async () => {
    await using service = await startForms();
    await service.call("PUT", `boards/${BOARD}/posts/${POST_ID}/votes`, {
      ...{ userEmail: "voter@example.com", vote: true },
    });
    await service.call("PUT", "changelogs/subscribe", {
      userEmail: "s@example.com",
      subscribe: true,
    });
    const closed = await service.proofLink("closed@example.com");
    await service.submit(`${closed}/never`);
    const people = ["voter", "s", "closed", "nobody"].map((name) => `${name}@example.com`);
    for (const path of [VOTE_PATH, NEW_PATH, "/me"]) {
      const answers = new Set<string>();
      for (const userEmail of people) {
        for (const trap of [{}, { subject: "x" }] as Record<string, string>[]) {
          const { status, text } = await service.submit(path, {
            form: { ...IDEA, userEmail, ...trap },
          });
          answers.add(`${status} ${text}`);
        }
      }
      assertEquals([path, answers.size], [path, 1]);
    }
  });

  it("drops what a script fills in, or sends within two seconds, and says the same", async () => {
    await using service = await startForms();
    const { text } = await service.read(`${VOTE_PATH}/report`);
    const { opened } = hiddenFields(text);
    const fast = await service.submit(NEW_PATH, { form: { ...IDEA, opened } });
    const trapped = await service.submit(NEW_PATH, { form: { ...IDEA, subject: "Hi" } });
    const forged = await service.submit(NEW_PATH, { form: { ...IDEA, opened: "0".repeat(60) } });
    assertEquals(new Set([fast, trapped, forged].map((answer) => answer.text)).size, 1);
    const report = (
      form: Readonly<Record<string, string>>,
      headers: Record<string, string> = OWN,
    ) => service.submit(`${VOTE_PATH}/report`, { form: { reason: "Spam", ...form }, headers });
    await report({ opened });
    const reports = () =>
      service.call<{ data: unknown[] }>("GET", `boards/${BOARD}/posts/${POST_ID}/reports`);
    assertEquals((await reports()).data, []);
    service.advance(2_000);
    assertEquals((await service.submit(NEW_PATH, { form: { ...IDEA, opened } })).text, fast.text);
    await until(() => service.mails.length === 1);
    await report({});
    assertEquals((await report({ opened }, { "sec-fetch-site": "cross-site" })).status, 403);
    assertEquals((await report({ opened }, {})).status, 403);
    assertEquals((await reports()).data, []);
    await report({ opened });
    await report({ opened }, { origin: new URL(PUBLIC_URL).origin });
    assertEquals((await reports()).data.length, 2);
  });

  it("shows what was typed where it can't be accepted", async () => {
    await using service = await startForms();
    await forEachRow<[string, Record<string, string>, string]>([
      [VOTE_PATH, { userEmail: "a <b>" }, "userEmail"],
      [VOTE_PATH, {}, "userEmail"],
      [NEW_PATH, { ...IDEA, title: "x" }, "title"],
      [NEW_PATH, { ...IDEA, title: "See www.spam.example" }, "title"],
      [NEW_PATH, { ...IDEA, title: "See https://spam.example" }, "title"],
      [NEW_PATH, { ...IDEA, body: "![x](https://spam.example/x.png)" }, "body"],
      [NEW_PATH, { ...IDEA, userEmail: "" }, "userEmail"],
      [`${VOTE_PATH}/report`, { reason: "x" }, "reason"],
    ], async ([path, form, field]) => {
      const { status, text, headers } = await service.submit(path, { form, headers: OWN });
      assertEquals([status, headers.get("cache-control")], [422, "private, no-store"]);
      assertMatch(text, new RegExp(`-${field}-error"`));
      if (form.body) assertStringIncludes(text, form.body.slice(0, 2));
      assert(!text.includes("<b>"));
    });
    await service.worker.close();
    assertEquals(service.mails, []);
  });

  it("is 404 where nobody may know of the post, and 409 where the voting has ended", async () => {
    await using service = await startForms();
    await service.call("POST", "boards", { boardId: "team", name: "Team" });
    await service.call("POST", "boards/team/posts", { postId: "secret", title: "Secret" });
    await service.call("PATCH", `boards/${BOARD}/posts/${POST_ID}`, { state: "hidden" });
    const paths = ["/boards/team/secret", VOTE_PATH, `/boards/${BOARD}/none`, "/boards/team/new"];
    for (const path of [...paths, `${VOTE_PATH}/report`]) {
      const form = { ...IDEA, reason: "A reason" };
      assertEquals([path, (await service.submit(path, { form })).status], [path, 404]);
    }
    await service.call("PATCH", `boards/${BOARD}/posts/${POST_ID}`, {
      ...{ state: "public", status: "declined", answer: "No" },
    });
    assertEquals((await service.submit(VOTE_PATH, { form: { userEmail: ANN } })).status, 409);
  });
});

describe("the mail of a form", () => {
  it("has one link, the name of the board, and nothing that anybody typed", async () => {
    await using service = await startForms();
    const mail = await service.mailed(NEW_PATH, {
      ...{ title: "Buy pills now", body: "https://evil.example", userEmail: ANN, notify: "true" },
    });
    const parts = [mail.subject, mail.text, mail.html];
    assert(parts.every((part) => part.includes("Wishes")));
    assert(!/pills|evil|ann@/i.test(parts.join()));
    for (const part of [mail.text, mail.html]) {
      const urls = new Set(part.match(/https?:\/\/[^\s"<]+/g));
      assertEquals([...urls], [`${PUBLIC_URL}${linkOf(mail)}`]);
    }
  });

  it("ends with “It wasn’t me”, until an app asks in the person's name", async () => {
    await using service = await startForms();
    const link = await service.proofLink(ANN);
    assertEquals((await service.submit(`${link}/never`)).status, 200);
    assertEquals(await service.storage.list(PENDING, { limit: 1 }), []);
    await service.follow(link);
    assertEquals(await service.votes(), 0);
    service.advance(25 * 3_600_000);
    for (const userEmail of [ANN, "ann+x@example.com"]) await service.post({ userEmail });
    await service.submit(VOTE_PATH, { form: { userEmail: ANN } });
    await service.worker.close();
    assertEquals(service.mails.length, 1);

    await using later = await startForms();
    for (
      const [path, body] of [
        ["changelogs/subscribe", { subscribe: true }],
        [`boards/${BOARD}/posts/${POST_ID}/votes`, { vote: true, notify: true }],
      ] as const
    ) {
      const userEmail = `${Object.keys(body)[0]}@example.com`;
      const closed = await later.proofLink(userEmail);
      later.advance(60_000);
      await later.submit(`${closed}/never`);
      later.advance(25 * 3_600_000);
      await later.call("PUT", path, { userEmail, ...body });
      await later.mailed(NEW_PATH, { ...IDEA, userEmail });
    }
  });
});

describe("the page behind the link", () => {
  it("confirms no request that came after it was shown", async () => {
    await using service = await startForms();
    const link = await service.proofLink(ANN);
    const seen = hiddenFields((await service.follow(link, "GET")).text);
    service.advance(1_000);
    await service.submit(NEW_PATH, { form: { ...IDEA, title: "Not by Ann" } });
    await until(async () => (await service.storage.list(PENDING, { limit: 9 })).length === 2);
    await service.submit(link, { form: seen });
    assertEquals([
      await service.votes(),
      (await service.storage.list(PENDING, { limit: 9 })).length,
    ], [
      ...[1, 1],
    ]);
    assertMatch((await service.follow(link, "GET")).text, /Not by Ann/);
  });

  it("holds the first idea of a mailbox, and says so", async () => {
    await using service = await startForms({ moderation: "first" });
    const link = linkOf(await service.mailed(NEW_PATH, IDEA));
    const { text } = await service.submit(link);
    assertStringIncludes(text, "once the team has approved it");
    const { data } = await service.call<{ data: unknown[] }>(
      "GET",
      `boards/${BOARD}/posts?state=held`,
    );
    assertEquals(data.length, 1);
  });

  it("is in no frame, tells no other site, and is kept by nobody", async () => {
    await using service = await startForms();
    const link = await service.proofLink(ANN);
    const sendsOrigin = `${VOTE_PATH}/report`;
    for (const path of [link, "/me", sendsOrigin]) {
      const { headers } = await service.read(path);
      assertStringIncludes(headers.get("content-security-policy")!, "frame-ancestors 'none'");
      const policy = path === sendsOrigin ? "same-origin" : "no-referrer";
      assertEquals(headers.get("referrer-policy"), policy);
      assertMatch(headers.get("cache-control")!, /no-store/);
      assertEquals(headers.get("etag"), null);
    }
  });
});

describe("a browser that remembers somebody", () => {
  it("votes with one press, and forgets them by another", async () => {
    await using service = await startForms();
    const cookie = await service.remember(ANN);
    assertMatch(cookie, /^__Host-boardcast=[\w-]+$/);
    const vote = (headers: Record<string, string>, form = {}) =>
      service.submit(VOTE_PATH, { form, headers: { cookie, ...headers } });
    assertEquals([(await vote(OWN)).status, await service.votes()], [303, 1]);
    assertEquals([(await vote(OWN)).status, await service.votes()], [303, 1]);
    assertEquals([(await vote(OWN, { vote: "false" })).status, await service.votes()], [200, 0]);
    const forgotten = await service.submit("/forget-browser", { headers: { cookie, ...OWN } });
    assertMatch(
      forgotten.headers.get("set-cookie")!,
      /^__Host-boardcast=; Max-Age=0; Path=\/; Secure/,
    );
    assertEquals(service.mails.length, 1);
  });

  it("does nothing that another site asks for", async () => {
    await using service = await startForms();
    const cookie = await service.remember(ANN);
    await service.call("PUT", `boards/${BOARD}/posts/${POST_ID}/votes`, {
      userEmail: ANN,
      vote: true,
    });
    const foreign: Record<string, string>[] = [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none" },
      { "sec-fetch-site": "cross-site", "origin": "https://updates.example" },
      { origin: "https://evil.example" },
      { origin: "null" },
      {},
    ];
    const forms: readonly [string, Record<string, string>][] = [
      [VOTE_PATH, { vote: "false" }],
      [NEW_PATH, { title: "By another site" }],
      ["/me/withdraw", { postId: POST_ID }],
      ["/me/stop", {}],
      ["/me/forget", { sure: "true" }],
      ["/forget-browser", {}],
    ];
    for (const headers of foreign) {
      for (const [path, form] of forms) {
        const answer = await service.submit(path, { form, headers: { cookie, ...headers } });
        assertEquals([path, answer.status, answer.headers.get("set-cookie")], [path, 403, null]);
      }
    }
    assertEquals(await service.votes(), 1);
    // An older browser sends the origin of the form.
    const own = { cookie, origin: "https://updates.example" };
    await service.submit(VOTE_PATH, { form: { vote: "false" }, headers: own });
    assertEquals(await service.votes(), 0);
  });

  it("remembers a person only if one of our pages asks for it", async () => {
    await using service = await startForms();
    const link = await service.proofLink("mallory@example.com");
    const foreign: Record<string, string>[] = [
      { "sec-fetch-site": "cross-site" },
      {},
      { origin: "null" },
    ];
    for (const headers of foreign) {
      const { status, headers: answered } = await service.submit(`${link}/remember`, { headers });
      assertEquals([status, answered.get("set-cookie")], [403, null]);
    }
    const { status, headers } = await service.submit(`${link}/remember`, { headers: OWN });
    assertEquals(status, 200);
    const attributes = headers.get("set-cookie")!.split("; ").slice(1).sort();
    assertEquals(attributes, ["HttpOnly", "Max-Age=7776000", "Path=/", "SameSite=Lax", "Secure"]);
  });

  it("ends with 90 days, an erasure, “forget me”, and a rotation of the key", async () => {
    await using service = await startForms();
    const isKnown = async (cookie: string) =>
      !(await service.read("/me", { cookie })).text.includes('name="userEmail"');
    await forEachRow<[string, (cookie: string, userEmail: string) => Promise<unknown>]>([
      ["erasure", async (cookie, userEmail) => {
        await service.submit(VOTE_PATH, { headers: { cookie, ...OWN } });
        await service.call("PUT", "changelogs/subscribe", { userEmail, subscribe: true });
        await (await service.send("DELETE", `changelogs/subscribers/${userEmail}`)).body?.cancel();
      }],
      [
        "forget",
        (cookie) =>
          service.submit("/me/forget", { form: { sure: "true" }, headers: { cookie, ...OWN } }),
      ],
      [
        "rotation",
        async () => assertEquals((await service.send("POST", "people/rotate")).status, 204),
      ],
      ["days", () => Promise.resolve(service.advance(90 * 86_400_000))],
    ], async ([how, end]) => {
      const userEmail = `${how}+tag@example.com`;
      const cookie = await service.remember(userEmail);
      assertEquals([how, await isKnown(cookie)], [how, true]);
      await end(cookie, userEmail);
      assertEquals([how, await isKnown(cookie)], [how, false]);
    });
  });

  it("sets no cookie anywhere else", async () => {
    await using service = await startForms();
    const link = await service.proofLink(ANN);
    const pages = [
      ...await Promise.all([link, "/me", `${VOTE_PATH}/report`].map((path) => service.read(path))),
      await service.submit(link),
      await service.submit(VOTE_PATH, { form: { userEmail: ANN } }),
    ];
    assertEquals(pages.map(({ headers }) => headers.get("set-cookie")), pages.map(() => null));
  });
});

describe("what a person asked to be told of", () => {
  it("ends with the unsubscribe link, a bounce, a complaint and “stop”, and a later wish holds", async () => {
    await using service = await startForms();
    const { path: bounces } = await service.call<{ path: string }>("GET", "changelogs/bounces");
    const bounce = (event: Record<string, unknown>) =>
      service.send("POST", bounces, { key: null, json: event });
    await forEachRow<[string, (userEmail: string) => Promise<unknown>]>([
      ["link", async (userEmail) => {
        const token = (await openCipher(service.storage, "unsubscribe")).encrypt(userEmail);
        return await service.submit(`/unsubscribe/${token}`);
      }],
      ["bounce", (Email) => bounce({ RecordType: "Bounce", Type: "HardBounce", Email })],
      [
        "complaint",
        (Email) => bounce({ RecordType: "SpamComplaint", Type: "SpamComplaint", Email }),
      ],
      ["stop", async (userEmail) => {
        const cookie = await service.remember(userEmail);
        return await service.submit("/me/stop", { headers: { cookie, ...OWN } });
      }],
    ], async ([how, end]) => {
      const userEmail = `${how}@example.com`;
      const votes = `boards/${BOARD}/posts/${POST_ID}/votes`;
      const ask = () => service.call("PUT", votes, { userEmail, vote: true, notify: true });
      const isAsked = async () => {
        const { data } = await service.call<{ data: { userEmail: string; notify: boolean }[] }>(
          "GET",
          votes,
        );
        return data.find((vote) => vote.userEmail === userEmail)?.notify;
      };
      await service.call("PUT", "changelogs/subscribe", { userEmail, subscribe: true });
      await ask();
      assertEquals([how, await isAsked()], [how, true]);
      await end(userEmail);
      assertEquals([how, await isAsked(), await service.votes() > 0], [how, false, true]);
      await ask();
      assertEquals([how, await isAsked()], [how, true]);
    });
  });
});

describe("the pages of a board", () => {
  it("have forms that a visitor sends without JavaScript, and similar ideas first", async () => {
    await using service = await startForms();
    const idea = await service.read(VOTE_PATH);
    assertMatch(
      idea.text,
      /<form method="post" action="[^"]*\/boards\/wishes\/dark-mode"[^]*userEmail/,
    );
    assertMatch(idea.text, /<a href="[^"]*\/dark-mode\/report">/);
    const first = await service.read(NEW_PATH);
    assertMatch(first.text, /<form class="stack"[^]*name="title"/);
    const second = await service.read(`${NEW_PATH}?title=Dark+modes`);
    assertMatch(second.text, /\/boards\/wishes\/dark-mode[^]*name="title" value="Dark modes"/);
    assertEquals(second.headers.get("cache-control"), "private, no-store");
    assertEquals(second.headers.get("etag"), null);
  });

  it("are cached for everybody, but made anew for a person whom the browser remembers", async () => {
    await using service = await startForms({ moderation: "all" });
    const cookie = await service.remember(ANN);
    await service.submit(VOTE_PATH, { headers: { cookie, ...OWN } });
    const own = await service.read(VOTE_PATH, { cookie });
    const other = await service.read(VOTE_PATH);
    assertMatch(own.text, /name="vote" value="false"/);
    assert(!own.text.includes('name="userEmail"') && other.text.includes('name="userEmail"'));
    assertEquals(
      [own, other].map(({ headers }) => headers.get("cache-control")),
      ["private, no-store", "public, max-age=60"],
    );
    assert([own, other].every(({ headers }) => headers.get("vary")?.includes("Cookie")));
    for (const path of ["/boards", "/roadmap"]) {
      const { headers } = await service.read(path, { cookie });
      assertEquals(headers.get("cache-control"), "private, no-store");
      assertEquals(headers.get("etag"), null);
    }
    const board = await service.read(`/boards/${BOARD}`, { cookie });
    assertMatch(board.text, /tally given/);
  });

  it("show a held idea to its author alone", async () => {
    await using service = await startForms({ moderation: "all" });
    const cookie = await service.remember(ANN);
    const form = { title: "Held words" };
    await service.submit(NEW_PATH, { form, headers: { cookie, ...OWN } });
    const { data: [{ postId }] } = await service.call<{ data: { postId: string }[] }>(
      "GET",
      `boards/${BOARD}/posts?state=held`,
    );
    const path = `/boards/${BOARD}/${postId}`;
    assertEquals((await service.read(path)).status, 404);
    assertEquals((await service.read(path, { cookie })).status, 200);
    const other = await service.remember("bob@example.com");
    assertEquals((await service.read(path, { cookie: other })).status, 404);
  });
});

describe("a person's own page", () => {
  it("shows their votes and ideas by the day's link, withdraws, and stops all mail", async () => {
    await using service = await startForms();
    const link = linkOf(await service.mailed(VOTE_PATH, { userEmail: ANN, notify: "true" }));
    await service.submit(link);
    await service.call("PUT", "changelogs/subscribe", { userEmail: ANN, subscribe: true });
    const page = await service.follow(link, "GET");
    assertMatch(page.text, /You voted for[^]*Dark mode/);
    const fields = hiddenFields(page.text);
    const proof = { link: fields.link };
    assertEquals((await service.submit("/me/stop", { form: proof })).status, 200);
    assertEquals(await service.state(ANN), "false link");
    const form = { ...proof, postId: POST_ID };
    const { text } = await service.submit("/me/withdraw", { form });
    assertEquals([await service.votes(), text.includes("Dark mode")], [0, false]);
  });

  it("asks twice before it deletes everything", async () => {
    await using service = await startForms();
    const cookie = await service.remember(ANN);
    const headers = { cookie, ...OWN };
    await service.submit(VOTE_PATH, { headers });
    const asked = await service.submit("/me/forget", { headers });
    assertEquals([hiddenFields(asked.text).sure, await service.votes()], ["true", 1]);
    await service.submit("/me/forget", { form: hiddenFields(asked.text), headers });
    assertEquals(await service.votes(), 0);
    assert(!(await readAll(service.storage)).includes("ann@"));
    await service.worker.close();
    assertEquals(service.mails.length, 1);
  });
});

describe("the link of an app", () => {
  const LINK = { userEmail: ANN, userName: "Ann", path: VOTE_PATH };

  it("leads to its page with a cookie once, and without it when it is opened again", async () => {
    await using service = await startForms();
    const { url } = await service.call<{ url: string }>("POST", "people/link", LINK);
    const path = url.slice(PUBLIC_URL.length);
    for (
      const headers of [{ "sec-purpose": "prefetch" }, { "sec-purpose": "prefetch;prerender" }]
    ) {
      assertEquals((await service.read(path, headers)).headers.get("set-cookie"), null);
    }
    assertEquals((await service.follow(path, "HEAD")).status, 200);
    const { status, headers } = await service.read(path);
    assertEquals([status, headers.get("location")], [303, `${PUBLIC_URL}${VOTE_PATH}`]);
    assertMatch(headers.get("cache-control")!, /no-store/);
    assertEquals(headers.get("referrer-policy"), "no-referrer");
    assertMatch(
      headers.get("set-cookie")!,
      /^__Host-boardcast-app=[^;]+; Max-Age=3600; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
    );
    const again = await service.read(path);
    assertEquals([again.status, again.headers.get("set-cookie")], [303, null]);
    assertEquals(again.headers.get("location"), `${PUBLIC_URL}${VOTE_PATH}`);
  });

  it("leads to the page without the cookie after 10 minutes", async () => {
    await using service = await startForms();
    const { url } = await service.call<{ url: string }>("POST", "people/link", LINK);
    service.advance(600_000);
    const { status, headers } = await service.read(url.slice(PUBLIC_URL.length));
    assertEquals([status, headers.get("set-cookie")], [303, null]);
  });

  it("is refused for a page that nobody may see", async () => {
    await using service = await startForms();
    await service.call("POST", "boards", { boardId: "team", name: "Team" });
    const bad = ["/boards/team", "/boards/none", "/me", "https://evil.example", `${VOTE_PATH}/x`];
    for (const path of bad) {
      const response = await service.send("POST", "people/link", { json: { ...LINK, path } });
      assertEquals([path, response.status], [path, 422]);
      await response.body?.cancel();
    }
    const json = { userEmail: "ann", path: "/me" };
    const both = await service.send("POST", "people/link", { json });
    const { errors } = await both.json();
    assertEquals(errors.map(({ field }: { field: string }) => field), ["userEmail", "path"]);
  });

  it("opens the list of boards and the roadmap, which say as whom one votes", async () => {
    await using service = await startForms();
    for (const path of ["/boards", "/roadmap", `/boards/${BOARD}`, VOTE_PATH]) {
      const { cookie, location } = await service.handOver(ANN, path);
      assertEquals(location, `${PUBLIC_URL}${path}`);
      const { text, headers } = await service.read(path, { cookie });
      assertStringIncludes(text, `You vote as: ${ANN}`);
      assertMatch(headers.get("cache-control")!, /no-store/);
    }
  });
});

describe("the cookie of an app's link", () => {
  it("votes and posts on all public boards with one press, without a mail", async () => {
    await using service = await startForms();
    await service.call("POST", "boards", { boardId: "other", name: "O", visibility: "public" });
    await service.call("POST", "boards/other/posts", { postId: "o", title: "Other" });
    const { cookie } = await service.handOver(ANN, VOTE_PATH);
    const headers = { cookie, ...OWN };
    for (const path of [VOTE_PATH, "/boards/other/o"]) {
      const { status, headers: answered } = await service.submit(path, { headers });
      assertEquals([status, answered.get("location")], [303, `${PUBLIC_URL}${path}`]);
    }
    const idea = { title: "From the app" };
    assertEquals((await service.submit(NEW_PATH, { form: idea, headers })).status, 200);
    assertEquals(await service.votes(), 1);
    await service.worker.close();
    assertEquals(service.mails, []);
  });

  it("leads back to the row in which the vote was pressed, and to no other site", () =>
    forEachRow([
      [`/boards/${BOARD}?sort=new`, `/boards/${BOARD}?sort=new#i-${POST_ID}`],
      ["//evil.example/boards/", VOTE_PATH],
      ["/boardsx", VOTE_PATH],
      ["", VOTE_PATH],
    ], async ([back, location]) => {
      await using service = await startForms();
      const { cookie } = await service.handOver(ANN, VOTE_PATH);
      const request = { form: { back }, headers: { cookie, ...OWN } };
      const { headers } = await service.submit(VOTE_PATH, request);
      assertEquals(headers.get("location"), `${PUBLIC_URL}${location}`);
    }));

  it("shows neither one's own page nor deletes anything, and ends after an hour", async () => {
    await using service = await startForms();
    const { cookie } = await service.handOver(ANN, VOTE_PATH);
    const headers = { cookie, ...OWN };
    assertStringIncludes((await service.read("/me", headers)).text, 'name="userEmail"');
    for (const own of ["/me/stop", "/me/forget"]) {
      const answer = await service.submit(own, { form: { sure: "true" }, headers });
      assertStringIncludes(answer.text, 'name="userEmail"');
    }
    service.advance(3_600_000);
    assertEquals((await service.submit(VOTE_PATH, { headers })).status, 422);
    assertEquals(await service.votes(), 0);
  });

  it("comes before the one that remembers somebody, and both go with one button", async () => {
    await using service = await startForms();
    const own = await service.remember("ben@example.com");
    const { cookie } = await service.handOver(ANN, VOTE_PATH);
    const headers = { cookie: `${own}; ${cookie}`, ...OWN };
    assertStringIncludes((await service.read(VOTE_PATH, headers)).text, `You vote as: ${ANN}`);
    const out = await service.submit("/forget-browser", { headers });
    assertEquals(out.headers.getSetCookie().map((text) => text.split(";")[0]), [
      "__Host-boardcast=",
      "__Host-boardcast-app=",
    ]);
  });

  it("votes for nobody when another site sends the form", async () => {
    await using service = await startForms();
    const { cookie } = await service.handOver(ANN, VOTE_PATH);
    const headers = { cookie, "sec-fetch-site": "cross-site" };
    assertEquals((await service.submit(VOTE_PATH, { headers })).status, 403);
    assertEquals(await service.votes(), 0);
  });
});

describe("an idea that a remembered person sends twice at once", () => {
  it("is one idea with one vote", async () => {
    await using service = await startForms();
    const headers = { cookie: await service.remember(ANN), ...OWN };
    const form = { title: IDEA.title, body: IDEA.body };
    const answers = await Promise.all(
      [1, 2, 3].map(() => service.submit(NEW_PATH, { form, headers })),
    );
    assertEquals(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1);
    await service.submit(NEW_PATH, { form: { ...form, body: "Other words" }, headers });
    const { data } = await service.call<{ data: { title: string; votes: number }[] }>(
      "GET",
      `boards/${BOARD}/posts?q=larger`,
    );
    assertEquals(data.map(({ title, votes }) => [title, votes]), [[IDEA.title, 1], [
      IDEA.title,
      1,
    ]]);
  });
});
