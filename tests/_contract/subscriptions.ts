import { assert, assertEquals, equal } from "@std/assert";
import type { ContractTests } from "../storage_contract.ts";
import { DIFFICULT_TEXT, listPages, minute, sampleChange, TEXTS } from "./samples.ts";

const ANN = "ann+news@example.com";

export function testSubscriptions({ test, testReopened, testShared }: ContractTests): void {
  for (const subscribe of [true, false]) {
    test(`put records a new address as asked when subscribe is ${subscribe}`, async ({ storage }) => {
      const { subscription, previous, changed } = await storage.subscriptions.put(
        sampleChange(ANN, { subscribe, userName: "Ann" }),
      );
      const expected = {
        userEmail: ANN,
        userName: "Ann",
        subscribed: subscribe,
        createdAt: minute(0),
        updatedAt: minute(0),
      };
      assertEquals([subscription, previous, changed], [expected, undefined, true]);
      assertEquals(await storage.subscriptions.get(ANN), expected);
    });
  }

  test("put records a new address since when it is told, and one that is stored as it was", async ({ storage }) => {
    const change = sampleChange(ANN, { createdAt: minute(1), at: minute(5) });
    const { subscription } = await storage.subscriptions.put(change);
    assertEquals([subscription.createdAt, subscription.updatedAt], [minute(1), minute(5)]);
    await storage.subscriptions.put({ ...change, subscribe: false, createdAt: minute(0) });
    const stored = await storage.subscriptions.get(ANN);
    assertEquals([stored?.createdAt, stored?.subscribed], [minute(1), false]);
  });

  test("put changes nothing when repeated", async ({ storage }) => {
    const first = await storage.subscriptions.put(sampleChange(ANN, { userName: "Ann" }));
    const second = await storage.subscriptions.put(
      sampleChange(ANN, { userName: "Ann", at: minute(1) }),
    );
    assertEquals(second, {
      subscription: first.subscription,
      previous: first.subscription,
      changed: false,
    });
  });

  test("put tells the state before and after, and moves only updatedAt", async ({ storage }) => {
    const first = await storage.subscriptions.put(sampleChange(ANN, { userName: "Ann" }));
    const second = await storage.subscriptions.put(
      sampleChange(ANN, { subscribe: false, at: minute(5) }),
    );
    assertEquals(second, {
      subscription: { ...first.subscription, subscribed: false, updatedAt: minute(5) },
      previous: first.subscription,
      changed: true,
    });
  });

  test("put keeps the stored name when none is given, and takes a new one", async ({ storage }) => {
    await storage.subscriptions.put(sampleChange(ANN, { userName: "Ann" }));
    const kept = await storage.subscriptions.put(sampleChange(ANN, { at: minute(1) }));
    assertEquals([kept.subscription.userName, kept.changed], ["Ann", false]);
    const renamed = await storage.subscriptions.put(
      sampleChange(ANN, { userName: DIFFICULT_TEXT, at: minute(2) }),
    );
    assertEquals([renamed.subscription.userName, renamed.changed], [DIFFICULT_TEXT, true]);
    assertEquals((await storage.subscriptions.get(ANN))?.userName, DIFFICULT_TEXT);
  });

  test("put takes a new name as text whatever it looks like", async ({ storage: { subscriptions } }) => {
    for (const userName of TEXTS) {
      const { changed } = await subscriptions.put(sampleChange(ANN, { userName }));
      assertEquals([changed, (await subscriptions.get(ANN))?.userName], [true, userName]);
    }
  });

  test("put with keepUnsubscribed never undoes an opt-out", async ({ storage }) => {
    const keepUnsubscribed = true;
    await storage.subscriptions.put(sampleChange(ANN, { subscribe: false }));
    const kept = await storage.subscriptions.put(sampleChange(ANN, { keepUnsubscribed }));
    assertEquals([kept.subscription.subscribed, kept.changed], [false, false]);
    const named = await storage.subscriptions.put(
      sampleChange(ANN, { keepUnsubscribed, userName: "Ann" }),
    );
    assertEquals([named.subscription.subscribed, named.changed], [false, true]);
    const fresh = await storage.subscriptions.put(
      sampleChange("new@example.com", { keepUnsubscribed }),
    );
    assertEquals(fresh.subscription.subscribed, true);
    const optedOut = await storage.subscriptions.put(
      sampleChange("new@example.com", { keepUnsubscribed, subscribe: false }),
    );
    assertEquals([optedOut.subscription.subscribed, optedOut.changed], [false, true]);
  });

  test("the last call decides when it has the earliest time", async ({ storage }) => {
    await storage.subscriptions.put(sampleChange(ANN, { at: minute(5) }));
    const { subscription, changed } = await storage.subscriptions.put(
      sampleChange(ANN, { subscribe: false, at: minute(1) }),
    );
    const { subscribed, updatedAt } = subscription;
    assertEquals([subscribed, updatedAt, changed], [false, minute(1), true]);
    assertEquals(await storage.subscriptions.get(ANN), subscription);
  });

  test("calls made without waiting take effect in their order", async ({ storage }) => {
    const outcomes = await Promise.all(
      [true, true, false, true, false, false].map((subscribe, i) =>
        storage.subscriptions.put(sampleChange(ANN, { subscribe, at: minute(i) }))
      ),
    );
    assertEquals(outcomes.map((o) => o.changed), [true, false, true, true, true, false]);
    assertEquals(
      outcomes.map((o) => o.subscription.subscribed),
      [true, true, false, true, false, false],
    );
    assertEquals(await storage.subscriptions.get(ANN), outcomes[4].subscription);
  });

  test("many addresses at once are each recorded once", async ({ storage }) => {
    const emails = Array.from({ length: 300 }, (_, i) => `user${i}@example.com`);
    const outcomes = await Promise.all(
      [...emails, ...emails].map((email) => storage.subscriptions.put(sampleChange(email))),
    );
    assertEquals(outcomes.filter((outcome) => outcome.changed).length, 300);
    const listed = await storage.subscriptions.list({ limit: 1000 });
    assertEquals(listed.map((s) => s.userEmail), [...emails].sort());
  });

  test("get returns undefined when the address is unknown", async ({ storage }) => {
    assertEquals(await storage.subscriptions.get(ANN), undefined);
  });

  test("list filters by state, in byte order, page by page", async ({ storage }) => {
    const emails = ["b@x.io", "a@x.io", "a+1@x.io", "a.b@x.io", "a-b@x.io", "0@x.io", "z_@x.io"];
    for (const [i, email] of emails.entries()) {
      await storage.subscriptions.put(sampleChange(email, { subscribe: i % 2 === 0 }));
    }
    for (const subscribed of [undefined, true, false]) {
      const expected = emails
        .filter((_, i) => subscribed === undefined || subscribed === (i % 2 === 0)).sort();
      const seen = await listPages(
        (query) => storage.subscriptions.list({ ...query, subscribed }),
        (subscription) => subscription.userEmail,
        2,
      );
      assertEquals(seen, expected);
    }
  });

  test("list follows a change of state", async ({ storage }) => {
    await storage.subscriptions.put(sampleChange(ANN));
    await storage.subscriptions.put(sampleChange(ANN, { subscribe: false }));
    assertEquals(await storage.subscriptions.list({ subscribed: true, limit: 9 }), []);
    assertEquals((await storage.subscriptions.list({ subscribed: false, limit: 9 })).length, 1);
  });

  test("list finds an address by its state when its name changed before", async ({ storage }) => {
    for (const subscribe of [false, true]) {
      for (const userName of ["Ann", "Anna"]) {
        await storage.subscriptions.put(sampleChange(ANN, { userName, subscribe }));
        const [found, none] = await Promise.all(
          [subscribe, !subscribe].map((subscribed) =>
            storage.subscriptions.list({ subscribed, limit: 9 })
          ),
        );
        assertEquals([found.map((s) => s.userName), none], [[userName], []]);
      }
    }
  });

  test("list goes on after an address that never was", async ({ storage }) => {
    for (const name of ["a", "aa", "c", "e"]) {
      await storage.subscriptions.put(sampleChange(`${name}@x.io`, { subscribe: name !== "c" }));
    }
    const pages = [
      ["", "a@x.io", "aa@x.io"],
      ["a@x.i", "a@x.io", "aa@x.io"],
      ["aa@x.io0", "e@x.io"],
      ["b", "e@x.io"],
      ["f"],
    ];
    for (const [after, ...expected] of pages) {
      const listed = await storage.subscriptions.list({ after, subscribed: true, limit: 2 });
      assertEquals(listed.map((subscription) => subscription.userEmail), expected);
    }
    const [next] = await storage.subscriptions.list({ after: "b", limit: 1 });
    assertEquals(next.userEmail, "c@x.io");
  });

  test("addresses that are erased between two pages disturb no others", async ({ storage }) => {
    for (const name of ["b", "d", "f", "h"]) {
      await storage.subscriptions.put(sampleChange(`${name}@x.io`));
    }
    const first = await storage.subscriptions.list({ limit: 2 });
    for (const { userEmail } of first) await storage.subscriptions.erase(userEmail);
    const second = await storage.subscriptions.list({ after: first[1].userEmail, limit: 9 });
    assertEquals(second.map((s) => s.userEmail), ["f@x.io", "h@x.io"]);
  });

  test("erase removes the address, and tells whether it was there", async ({ storage }) => {
    await storage.subscriptions.put(sampleChange(ANN, { userName: "Ann", subscribe: false }));
    assertEquals(await storage.subscriptions.erase(ANN), true);
    assertEquals(await storage.subscriptions.erase(ANN), false);
    assertEquals(await storage.subscriptions.get(ANN), undefined);
    assertEquals(await storage.subscriptions.list({ limit: 9 }), []);
    const again = await storage.subscriptions.put(sampleChange(ANN, { at: minute(3) }));
    assertEquals(again.previous, undefined);
    assertEquals([again.subscription.userName, again.subscription.createdAt], [null, minute(3)]);
  });

  testReopened("subscriptions are as they were left when reopened", async ({ storage, reopen }) => {
    await storage.subscriptions.put(sampleChange(ANN, { userName: DIFFICULT_TEXT }));
    await storage.subscriptions.put(sampleChange("out@x.io"));
    const { subscription: out } = await storage.subscriptions.put(
      sampleChange("out@x.io", { subscribe: false, at: minute(2) }),
    );
    await storage.subscriptions.put(sampleChange("erased@x.io"));
    await storage.subscriptions.erase("erased@x.io");
    const before = await storage.subscriptions.list({ limit: 9 });
    let again = await reopen();
    assertEquals(await again.subscriptions.list({ limit: 9 }), before);
    assertEquals(await again.subscriptions.get("out@x.io"), out);
    assertEquals(await again.subscriptions.get("erased@x.io"), undefined);
    await again.subscriptions.put(sampleChange("out@x.io", { at: minute(4) }));
    again = await reopen();
    assertEquals((await again.subscriptions.get("out@x.io"))?.updatedAt, minute(4));
    assertEquals((await again.subscriptions.list({ subscribed: true, limit: 9 })).length, 2);
  });

  testShared("subscriptions are shared at once between instances", async ({ storage, another }) => {
    const other = await another();
    const { subscription } = await storage.subscriptions.put(sampleChange(ANN));
    const outcome = await other.subscriptions.put(
      sampleChange(ANN, { subscribe: false, at: minute(1) }),
    );
    assertEquals(outcome.previous, subscription);
    assertEquals(await storage.subscriptions.get(ANN), outcome.subscription);
    assertEquals(await storage.subscriptions.erase(ANN), true);
    assertEquals(await other.subscriptions.get(ANN), undefined);
  });

  testShared(
    "concurrent changes through two instances form one history",
    async ({ storage, another }) => {
      const other = await another();
      const outcomes = await Promise.all(
        Array.from({ length: 40 }, (_, i) =>
          (i % 2 === 0 ? storage : other).subscriptions.put(
            sampleChange(ANN, { subscribe: i % 3 === 0, at: minute(i) }),
          )),
      );
      const last = await storage.subscriptions.get(ANN);
      assertEquals(await other.subscriptions.get(ANN), last);
      const changes = outcomes.filter((outcome) => outcome.changed);
      assertEquals(changes.filter((outcome) => outcome.previous === undefined).length, 1);
      // Each state but the last was the state before exactly one other change.
      const states = changes.map((outcome) => outcome.subscription);
      for (const { previous } of changes) {
        if (previous === undefined) continue;
        const index = states.findIndex((state) => equal(state, previous));
        assert(index >= 0, "Two changes were made of one state");
        states.splice(index, 1);
      }
      assertEquals(states, [last]);
    },
  );
}
