import { assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createHandler, openMemoryStorage, type Storage, StorageError } from "../../mod.ts";
import { SUBSCRIPTIONS } from "../../model/kinds.ts";
import { PENDING, PROOF_MAILS } from "../../model/proof/pending.ts";
import { forEachRow } from "../_support/rows.ts";
import { START } from "../_support/service.ts";
import { linkOf, startSignUps } from "../_support/sign_ups.ts";
import { ANN, PUBLIC_URL } from "../_support/sign_ups.ts";
import { readAll, STORAGES } from "../_support/storages.ts";
import { unhandledDuring, until } from "../_support/waiting.ts";

const DAY_MS = 24 * 3_600_000;

/** Opens storage that can be told to fail when it reads subscriptions. */
function createFailingStorage() {
  const memory = openMemoryStorage();
  let isFailing = false;
  const get: Storage["get"] = (kind, key) =>
    isFailing && kind.name === SUBSCRIPTIONS.name
      ? Promise.reject(new StorageError("unavailable", "Cannot read"))
      : memory.get(kind, key);
  return { storage: { ...memory, get }, fail: (is: boolean) => isFailing = is };
}

for (const [name, withStorage] of STORAGES) {
  describe(`a sign-up on ${name}`, () => {
    it("subscribes once the person presses the button, and before that stores but a hash", () =>
      withStorage(async (storage) => {
        await using service = startSignUps({ storage });
        const link = await service.signUp(ANN, { userName: "Ann" });
        assertEquals((await readAll(storage)).includes("ann@"), false);
        for (const method of ["GET", "HEAD", "GET"]) {
          assertEquals((await service.follow(link, method)).status, 200);
        }
        assertEquals(await service.read(), "404");
        const { status, text } = await service.follow(link);
        assertEquals([status, await service.read()], [200, "true form Ann"]);
        assertEquals((await service.follow(link)).status, 200);
        // The page has no button that would end the new subscription at once.
        assertEquals(text.match(/<button>[^<]*/g), ["<button>Save"]);
        const [, path] = /updates\.example\/feedback(\/unsubscribe\/[^"/]+)"/.exec(text) ?? [];
        const ended = await service.follow(path);
        assertEquals(ended.status, 200);
        assertStringIncludes(ended.text, 'action="https://updates.example/feedback/subscribe"');
        assertEquals(await service.read(), "false link Ann");
        assertEquals((await service.follow(link)).status, 410);
      }));

    it("gets one mail a day, and all of them so many, over processes and restarts", () =>
      withStorage(async (storage) => {
        const signUpRate = { requests: 5, windowSeconds: 3_600 };
        const first = startSignUps({ storage, signUpRate });
        const second = startSignUps({ storage, signUpRate });
        const people = Array.from({ length: 20 }, (_, i) => `p${i}@example.com`);
        await Promise.all(
          people.flatMap((userEmail) =>
            [first, second, first].map(async ({ post }) => {
              assertEquals((await post({ userEmail })).status, 200);
            })
          ),
        );
        await Promise.all([first.worker.close(), second.worker.close()]);
        const sent = [...first.mails, ...second.mails].map(({ to }) => to);
        assertEquals([sent.length, new Set(sent).size], [5, 5]);
        await using third = startSignUps({ storage, signUpRate });
        third.advance(2 * 3_600_000);
        for (const userEmail of people) await third.post({ userEmail });
        await third.worker.close();
        assertEquals(third.mails.length, 5);
        assertEquals(third.mails.filter(({ to }) => sent.includes(to)), []);
      }));
  });
}

describe("a link to confirm", () => {
  it("is valid for 7 days", async () => {
    await using service = startSignUps();
    const link = await service.signUp();
    service.advance(7 * DAY_MS - 1);
    assertEquals((await service.follow(link, "GET")).status, 200);
    service.advance(1);
    for (const method of ["GET", "POST"]) {
      assertEquals((await service.follow(link, method)).status, 410);
    }
    assertEquals(await service.read(), "404");
  });

  it("is of no use after a later opt-out or erasure, and shows the form", async () => {
    await forEachRow<[name: string, ...steps: string[]]>([
      ["opted out", "PUT false"],
      ["subscribed and opted out", "PUT true", "PUT false"],
      ["erased, though nobody was on record", "DELETE"],
      ["subscribed and erased", "PUT true", "DELETE"],
      [
        "opted out before, subscribed and opted out again",
        "PUT false",
        "ask",
        "PUT true",
        "PUT false",
      ],
      ["opted out before, and erased", "PUT false", "ask", "DELETE"],
      ["erased before, and again", "PUT true", "DELETE", "ask", "PUT true", "DELETE"],
    ], async ([, ...steps]) => {
      await using service = startSignUps();
      let link = steps.includes("ask") ? "" : await service.signUp();
      for (const step of steps) {
        const [method, subscribe] = step.split(" ");
        if (method === "ask") link = await service.signUp();
        else if (method === "DELETE") await service.send("DELETE", `changelogs/subscribers/${ANN}`);
        else {await service.call("PUT", "changelogs/subscribe", {
            userEmail: ANN,
            subscribe: subscribe === "true",
          });}
      }
      const { status, text } = await service.follow(link);
      assertEquals([status, text.includes('action="https://updates.example/feedback/subscribe"')], [
        ...[410, true],
      ]);
      assertEquals((await service.read()).startsWith("true"), false);
    });
  });

  it("brings back people who opted out or were erased before", async () => {
    await forEachRow([["opted out"], ["erased"]], async ([how]) => {
      await using service = startSignUps();
      const erase = () => service.send("DELETE", `changelogs/subscribers/${ANN}`);
      await service.call("PUT", "changelogs/subscribe", { userEmail: ANN, subscribe: false });
      if (how === "erased") await erase();
      assertEquals((await service.follow(await service.signUp())).status, 200);
      assertEquals(await service.read(), "true form null");
    });
  });

  it("is 404 where it is not one of ours", async () => {
    await using service = startSignUps();
    const link = await service.signUp();
    for (const path of ["/confirm/abc", link.slice(0, -1), `${link}A`]) {
      assertEquals((await service.follow(path)).status, 404);
    }
  });

  it("reveals nothing of the person in its URL, the title or the log", async () => {
    await using service = startSignUps();
    const link = await service.signUp(ANN, { userName: "Annabel" });
    const { text } = await service.follow(link, "GET");
    const [, title] = /<title>(.*?)<\/title>/.exec(text) ?? [];
    await service.follow(link);
    const all = JSON.stringify([link, title, service.events]);
    // A random token may contain the three letters by chance.
    assertEquals(/ann(?:abel|@|%40)/i.test(all), false);
    const response = await service.send("GET", link, { key: null });
    assertEquals(response.headers.get("referrer-policy"), "no-referrer");
    assertMatch(await response.text(), /<meta name="robots" content="noindex">/);
  });

  it("is 503 while storage can't be read, and the server goes on", async () => {
    const { storage, fail } = createFailingStorage();
    await using service = startSignUps({ storage });
    const link = await service.signUp();
    fail(true);
    const unhandled = await unhandledDuring(async () => {
      assertEquals((await service.follow(link, "GET")).status, 503);
    });
    assertEquals(unhandled, []);
  });

  it("causes a webhook message with its source", async () => {
    await using service = startSignUps();
    const url = "http://localhost:9/hook";
    await service.call("POST", "webhooks", { url, types: "subscriber.subscribed" });
    await service.follow(await service.signUp());
    assertMatch(await readAll(service.storage), /subscriber\.subscribed.*\\"source\\":\\"form\\"/);
  });
});

describe("the form", () => {
  it("is answered alike whatever is known of the address, and where a machine filled it in", async () => {
    await using service = startSignUps();
    const known = "bob@example.com";
    await service.call("PUT", "changelogs/subscribe", { userEmail: known, subscribe: true });
    const pages: string[] = [];
    const bodies = [{ userEmail: ANN }, { userEmail: ANN }, { userEmail: known }, {
      ...{ userEmail: "c@example.com", subject: "Hello" },
    }];
    for (const form of bodies) {
      const response = await service.post(form);
      pages.push(`${response.status} ${await response.text()}`);
    }
    assertEquals(new Set(pages).size, 1);
    await until(() => service.mails.length === 2);
    await service.worker.close();
    assertEquals(service.mails.map(({ to }) => to).sort(), [ANN, known]);
    assertMatch(service.mails.find(({ to }) => to === known)!.subject, /already/);
  });

  it("comes before anything is read of the person, so that it takes as long for all", async () => {
    const memory = openMemoryStorage();
    const asked: string[] = [];
    const get: Storage["get"] = (kind, key) => {
      asked.push(kind.name);
      return memory.get(kind, key);
    };
    await using service = startSignUps({ storage: { ...memory, get } });
    await (await service.post({ userEmail: "first@example.com" })).text();
    await until(() => service.mails.length === 1);
    asked.length = 0;
    const { status } = await service.post({ userEmail: ANN });
    assertEquals([status, asked.filter((name) => name !== "settings")], [200, []]);
    await until(() => asked.includes(PROOF_MAILS.name));
  });

  it("may be sent again at once where the relay refuses the mail", async () => {
    const outcomes = ["refused", "sent"] as const;
    let count = 0;
    const send = () => Promise.resolve({ state: outcomes[count++], code: "5.1.1", text: "" });
    await using service = startSignUps({ mailer: { send, close: () => Promise.resolve() } });
    for (const sent of [1, 2, 2]) {
      await (await service.post({ userEmail: ANN })).text();
      await until(() => count === sent);
      const stateOf = async () => (await service.storage.list(PROOF_MAILS, { limit: 1 }))[0]?.state;
      await until(async () => await stateOf() === (sent === 2 ? "sent" : "none"));
    }
  });

  it("mails once a day where the relay's answer is lost, as the mail may have come", async () => {
    let count = 0;
    const outcome = { state: "unknown", code: "4.4.2", text: "No answer" } as const;
    const send = () => Promise.resolve(outcome).finally(() => count++);
    await using service = startSignUps({ mailer: { send, close: () => Promise.resolve() } });
    for (let press = 0; press < 3; press++) {
      await (await service.post({ userEmail: ANN })).text();
      await until(() => count === 1);
    }
    await service.worker.close();
    assertEquals(count, 1);
  });

  it("is shown again where the address or the name is impossible", async () => {
    await using service = startSignUps();
    await forEachRow<[Record<string, string>, string]>([
      [{}, "userEmail-error"],
      [{ userEmail: "" }, "userEmail-error"],
      [{ userEmail: "<b>@x" }, "userEmail-error"],
      [{ userEmail: ANN, userName: "a\u0007b" }, "userName-error"],
    ], async ([form, id]) => {
      const response = await service.post(form);
      const text = await response.text();
      assertEquals([response.status, text.includes(`id="${id}"`)], [422, true]);
      assertEquals(text.includes("<b>@x"), false);
    });
    await service.worker.close();
    assertEquals(service.mails, []);
  });

  it("is taken from a form with parts, as other sites' HTML may send it", async () => {
    await using service = startSignUps();
    const form = new FormData();
    form.set("userEmail", ANN);
    form.set("userName", "Ann");
    form.set("picture", new Blob(["x"]), "a.png");
    const request = new Request("https://updates.example/subscribe", {
      method: "POST",
      body: form,
    });
    assertEquals((await service.handler(request)).status, 200);
    await until(() => service.mails.length === 1);
  });

  it("ignores what it does not know, and is there to be filled in", async () => {
    await using service = startSignUps();
    assertEquals((await service.post({ userEmail: ANN, utm_source: "x" })).status, 200);
    for (const path of ["/subscribe", "/changelog"]) {
      const { text } = await service.follow(path, "GET");
      assertMatch(text, /<form[^>]+action="https:\/\/updates\.example\/feedback\/subscribe"/);
    }
  });

  it("has a mail with one link, without the name, to which nobody replies by machine", async () => {
    await using service = startSignUps();
    await service.signUp(ANN, { userName: "Mallory https://evil.example" });
    const [mail] = service.mails;
    assertEquals(mail.headers["Auto-Submitted"], "auto-generated");
    for (const part of [mail.text, mail.html]) {
      const urls = new Set(part.match(/https?:\/\/[^\s"<]+/g));
      assertEquals([...urls], [`${PUBLIC_URL}${linkOf(mail)}`]);
      assertEquals(/mallory|evil/i.test(part + mail.subject), false);
    }
  });

  it("may be sent again where the relay takes no mail for hours, which the log tells", async () => {
    const storage = openMemoryStorage();
    let failures = 0;
    await using service = startSignUps({
      storage,
      mailer: {
        send: () =>
          Promise.reject(Object.assign(new Error(`${++failures}`), { name: "MailerError" })),
        close: () => Promise.resolve(),
      },
    });
    await service.post({ userEmail: ANN });
    for (let attempt = 1; attempt <= 6; attempt++) {
      await until(() => failures === attempt);
      const waits = async () => (await storage.list(PROOF_MAILS, { limit: 1 }))[0];
      await until(async () => (await waits()).state === (attempt < 6 ? "due" : "none"));
      service.advance(9 * 3_600_000);
      service.worker.wake();
    }
    await until(() => service.events.some(({ error }) => /given up/.test(`${error}`)));
    assertEquals(await storage.list(PENDING, { limit: 1 }), []);
    await using other = startSignUps({ storage });
    await other.signUp();
    // Expired mails are removed at a start, and then each hour.
    await using _restarted = startSignUps({
      storage,
      nowMs: () => Date.parse(START) + 20 * DAY_MS,
    });
    await until(async () => (await storage.list(PROOF_MAILS, { limit: 9 })).length === 0);
    assertEquals(await storage.list(PENDING, { limit: 1 }), []);
  });

  it("is mailed after all where a server was killed before its mail, and once where during it", async () => {
    await forEachRow([["before", 1], ["during", 0]] as const, async ([when, expected]) => {
      const storage = openMemoryStorage();
      const reached = Promise.withResolvers<void>();
      const killed = startSignUps({
        storage,
        mailer: {
          // The promise never resolves, because a killed server gets no reply.
          async send(_mail, isWanted) {
            if (when === "during") await isWanted?.();
            reached.resolve();
            return await new Promise<never>(() => {});
          },
          close: () => Promise.resolve(),
        },
      });
      await killed.post({ userEmail: ANN });
      await reached.promise;
      await using next = startSignUps({ storage });
      next.advance(60_000);
      next.worker.wake();
      const isOver = async () => (await storage.list(PROOF_MAILS, { limit: 1 }))[0].dueAt === null;
      await until(isOver);
      assertEquals(next.mails.length, expected);
      // A mailbox gets at most one mail a day.
      await next.post({ userEmail: ANN });
      await next.worker.close();
      assertEquals(next.mails.length, expected);
      if (expected === 1) assertEquals((await next.follow(linkOf(next.mails[0]))).status, 200);
    });
  });

  it("waits in storage while the relay puts off a hundred others, and is mailed with the next", async () => {
    let isBusy = true;
    const storage = openMemoryStorage();
    const mails: string[] = [];
    await using service = startSignUps({
      ...{ storage, signUpRate: { requests: 500, windowSeconds: 3_600 } },
      mailer: {
        send: ({ to }) =>
          Promise.resolve(
            isBusy
              ? { state: "deferred", code: "4.7.1", text: "later" } as const
              : (mails.push(to), { state: "sent" } as const),
          ),
        close: () => Promise.resolve(),
      },
    });
    const people = Array.from({ length: 150 }, (_, i) => `p${i}@example.com`);
    for (const userEmail of people) {
      await service.post({ userEmail });
      await new Promise((resolve) => setTimeout(resolve));
    }
    const due = async () =>
      (await storage.list(PROOF_MAILS, { limit: 200 })).filter(({ attempts, state }) =>
        state === "due" && attempts === 1
      );
    await until(async () => (await due()).length === people.length);
    isBusy = false;
    service.advance(60_000);
    for (let round = 0; round < 3; round++) {
      service.worker.wake();
      await until(() => mails.length >= Math.min(people.length, 100 * (round + 1)));
    }
    assertEquals(mails.toSorted(), people.toSorted());
  });

  it("may be sent again where storage fails before the mail is written", async () => {
    const { storage, fail } = createFailingStorage();
    await using service = startSignUps({ storage });
    fail(true);
    await service.post({ userEmail: ANN });
    await until(() => service.events.some(({ event }) => event === "failed"));
    fail(false);
    await service.signUp();
    assertEquals(service.mails.length, 1);
  });

  it("is a TypeError without a public URL or a worker that mails, and 404 where it is off", async () => {
    const storage = openMemoryStorage();
    for (const options of [{}, { publicUrl: PUBLIC_URL }]) {
      assertThrows(() => createHandler({ storage, signUp: true, ...options }), TypeError);
    }
    const handler = createHandler({ storage, publicUrl: PUBLIC_URL });
    for (const path of ["subscribe", "confirm/abc"]) {
      assertEquals((await handler(new Request(`http://localhost/${path}`))).status, 404);
    }
  });
});
