import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { addresses, type Mailing, publishEntry, startMailing } from "../../_support/mailing.ts";
import { assertOutcomes } from "../../_support/service.ts";

const [ANN, BEN, CLO] = addresses(3);
const SUBSCRIBERS = "/api/v1/changelogs/subscribers";

function choose({ service }: Mailing, userEmail: string, json: Record<string, unknown>) {
  return service.call("PATCH", `${SUBSCRIBERS}/${userEmail}`, json);
}

/** Returns the path of the link in the first mail to a person. */
function linkTo({ sent }: Mailing, person: string): string {
  const { text } = sent.find(({ to }) => to === person)!;
  return /https:\/\/updates\.example\/feedback(\/unsubscribe\/[\w-]+)/.exec(text)![1];
}

describe("an entry", () => {
  it("is mailed to those whose labels it meets, and costs nobody else a place in the rate", async () => {
    const subscribers = addresses(3_000);
    const options = { subscribers, mailRatePerSecond: 10 };
    await using mailing = await startMailing(options);
    for (const [index, person] of subscribers.entries()) {
      if (index % 1_000 !== 7) await choose(mailing, person, { labels: ["new"] });
    }
    await choose(mailing, subscribers[7], { labels: ["fix", "security"] });
    mailing.publish("a", { labels: ["security"] });
    for (let tenth = 0; tenth < 8; tenth++) await mailing.clock.tick(100);
    await mailing.clock.tick(2_000);
    const { state, recipients, sent, skipped } = await mailing.delivery("a");
    assertEquals([state, recipients, sent, skipped], ["done", 3_000, 3, 2_997]);
    assertEquals(mailing.recipients, [7, 1_007, 2_007].map((index) => subscribers[index]));
  });

  it("is mailed by what was chosen before a person's turn, also in a retry", async () => {
    const replies = [{ state: "deferred", code: "4.2.0", text: "later" } as const];
    const relay = () => replies.shift() ?? { state: "sent" } as const;
    await using mailing = await startMailing({ subscribers: [ANN], relay });
    await mailing.publish("a", { labels: ["new"] });
    await choose(mailing, ANN, { labels: ["fix"] });
    await mailing.clock.advance(62_000);
    assertEquals([mailing.recipients, await mailing.counts()], [[], "done 0 0 0"]);
    assertEquals((await mailing.delivery("a")).skipped, 1);
  });

  it("reaches a person once who chooses the weekly mail and back while it is mailed", async () => {
    for (const turns of [["weekly", "each"], ["weekly", "each", "weekly"]]) {
      const replies = [{ state: "deferred", code: "4.2.0", text: "later" } as const];
      const relay = () => replies.shift() ?? { state: "sent" } as const;
      await using mailing = await startMailing({ subscribers: [ANN], relay });
      await mailing.publish("a");
      for (const [index, pace] of turns.entries()) {
        await choose(mailing, ANN, { pace });
        // Each change has a version of its own.
        await publishEntry(mailing.service, `quiet-${index}`, { notify: false });
      }
      await mailing.clock.advance(62_000);
      await mailing.clock.advance(50 * 3_600_000);
      await mailing.clock.advance(4_000);
      assertEquals(mailing.sent.map(({ subject }) => subject), ["About a"], `${turns}`);
    }
  });
});

describe("what a subscriber chooses", () => {
  it("is changed by PATCH, shown, exported, imported, and left alone by the documented PUT", async () => {
    await using mailing = await startMailing({ subscribers: [ANN, BEN] });
    const { service } = mailing;
    const labels = ["security", "new"];
    const changed = await choose(mailing, ANN, { labels, pace: "weekly" });
    assertEquals([changed.labels, changed.pace], [labels, "weekly"]);
    const form = { userEmail: ANN, userName: "Ann", subscribe: "true" };
    await service.send("PUT", "changelogs/subscribe", { form });
    const shown = await service.call("GET", `${SUBSCRIBERS}/${ANN}`);
    assertEquals([shown.labels, shown.pace, shown.userName], [labels, "weekly", "Ann"]);
    const page = await service.call<{ data: unknown[] }>("GET", `${SUBSCRIBERS}?pace=weekly`);
    assertEquals(page.data.length, 1);
    for (const type of ["text/csv", "application/x-ndjson"]) {
      const exported = await (await service.send("GET", SUBSCRIBERS, { headers: { accept: type } }))
        .text();
      await using other = await startMailing();
      const headers = { "content-type": type };
      const sent = { headers, body: exported };
      await (await other.service.send("POST", `${SUBSCRIBERS}/import`, sent)).text();
      const { labels: kept, pace } = await other.service.call("GET", `${SUBSCRIBERS}/${ANN}`);
      assertEquals([kept, pace], [labels, "weekly"], type);
      assertEquals((await other.service.call("GET", `${SUBSCRIBERS}/${BEN}`)).labels, null);
    }
    const cleared = await choose(mailing, ANN, { labels: null, pace: "each" });
    assertEquals([cleared.labels, cleared.pace], [null, "each"]);
    await assertOutcomes(service, [
      ["PATCH", `${SUBSCRIBERS}/${ANN}`, { json: { labels: "A b" } }, "422 labels:invalid_value"],
      ["PATCH", `${SUBSCRIBERS}/${ANN}`, { json: { pace: "daily" } }, "422 pace:invalid_value"],
      ["PATCH", `${SUBSCRIBERS}/${CLO}`, { json: { pace: "each" } }, "404 subscriber_not_found"],
    ]);
  });

  it("stands on the page behind the link, below the button, and is saved there alone", async () => {
    await using mailing = await startMailing({ subscribers: [ANN] });
    const { service } = mailing;
    await mailing.publish("a", { labels: ["new", "fix"] });
    const path = linkTo(mailing, ANN);
    const get = async (method = "GET", form?: Record<string, string>, end = "") =>
      await (await service.send(method, `${path}${end}`, { key: null, form })).text();
    const read = async () => {
      const { labels, pace, subscribed } = await service.call("GET", `${SUBSCRIBERS}/${ANN}`);
      return JSON.stringify([labels, pace, subscribed]);
    };
    for (let i = 0; i < 2; i++) {
      const page = await get();
      assert(page.indexOf("<button>Unsubscribe") < page.indexOf("<button>Save"));
      for (const label of ["new", "fix"]) assertStringIncludes(page, `value="${label}"`);
      assertEquals(await read(), '[null,"each",true]');
    }
    const saved = await get("POST", { choose: "some", label2: "fix", pace: "weekly" }, "/choices");
    assertStringIncludes(saved, 'role="status"');
    assertStringIncludes(saved, 'value="fix" checked');
    assertEquals(await read(), '[["fix"],"weekly",true]');
    // Reloading the address in the browser shows the same page.
    assertStringIncludes(await get("GET", undefined, "/choices"), 'value="fix" checked');
    assertEquals(await read(), '[["fix"],"weekly",true]');
    const many = Object.fromEntries(
      Array.from({ length: 21 }, (_, i) => [`label${i + 1}`, `l${i}`]),
    );
    const refused = await get("POST", { choose: "some", pace: "each", ...many }, "/choices");
    assertStringIncludes(
      refused,
      '<p role="alert">Too many labels, so nothing was saved. At most: 20',
    );
    assertEquals(refused.match(/value="l\d+" checked/g)?.length, 21);
    assertStringIncludes(refused, 'value="each" checked');
    assertEquals(await read(), '[["fix"],"weekly",true]');
    // A form without a choice never widens the stored one.
    for (const form of [{}, { choose: "" }, { choose: "some" }, { label1: "" }]) {
      await get("POST", form as Record<string, string>, "/choices");
      assertEquals(await read(), '[["fix"],"weekly",true]');
    }
    assertStringIncludes(await get("POST", { choose: "some" }, "/choices"), 'role="alert"');
    await get("POST", { pace: "each" }, "/choices");
    assertEquals(await read(), '[["fix"],"each",true]');
    await get("POST", { choose: "all", label1: "fix", pace: "each" }, "/choices");
    assertEquals(await read(), '[null,"each",true]');
    await get("POST", { choose: "some", label1: "<b>", pace: "never" }, "/choices");
    assertEquals(await read(), '[null,"each",true]');
    // A person who ticks a label wants that label, even if "all" stays chosen.
    await get("POST", { choose: "all", label1: "new", pace: "each" }, "/choices");
    assertEquals(await read(), '[["new"],"each",true]');
    await get("POST", { choose: "all", label1: "new", pace: "each" }, "/choices");
    assertEquals(await read(), '[null,"each",true]');
    // A form written by hand needs only labels.
    for (const label1 of ["fix", "new"]) await get("POST", { label1 }, "/choices");
    assertEquals(await read(), '[["new"],"each",true]');
    await get("POST", { "List-Unsubscribe": "One-Click" });
    assertEquals(await read(), '[["new"],"each",false]');
    assertEquals((await get()).includes("Save"), false);
  });

  it("stays when somebody who has unsubscribed presses the button of the page once more", async () => {
    await using mailing = await startMailing({ subscribers: [ANN] });
    const { service } = mailing;
    await mailing.publish("a", { labels: ["new"] });
    const path = linkTo(mailing, ANN);
    const post = async (path: string, form: Record<string, string>) =>
      await (await service.send("POST", path, { key: null, form })).text();
    await post(`${path}/choices`, { choose: "some", label1: "new" });
    await post(path, {});
    for (const end of ["", "/choices"]) {
      const page = await (await service.send("GET", path + end, { key: null })).text();
      const [, action] = /<form method="post" action="([^"]+)">/.exec(page)!;
      const answer = await post(new URL(action).pathname.replace("/feedback", ""), {});
      assertStringIncludes(answer, "You are unsubscribed");
    }
    await post(`${path}/choices`, { choose: "all" });
    const { labels, subscribed } = await service.call("GET", `${SUBSCRIBERS}/${ANN}`);
    assertEquals([labels, subscribed], [["new"], false]);
  });
});
