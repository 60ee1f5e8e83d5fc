import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { appendHistory, parseHistory, readHistory } from "../../model/subscriptions/history.ts";
import { SUBSCRIPTION_SOURCES } from "../../model/subscriptions/subscription.ts";
import { Refusal } from "../../model/values/refusal.ts";
import { importCounts } from "../_support/import.ts";
import { forEachRow } from "../_support/rows.ts";
import { minute } from "../_support/samples.ts";
import { createService, START, type TestService } from "../_support/service.ts";

const ANN = "ann@example.com";
const EVENT = { at: minute(0), subscribed: true, source: "api", keyId: null };

interface Record {
  readonly history: readonly unknown[];
  readonly source: string;
}

async function subscribe({ call }: TestService, subscribe: boolean, userEmail = ANN) {
  await call("PUT", "changelogs/subscribe", { userEmail, subscribe });
}

function read({ call }: TestService, userEmail = ANN): Promise<Record> {
  return call<Record>("GET", `changelogs/subscribers/${userEmail}`);
}

async function exportLines({ send }: TestService): Promise<string> {
  const headers = { Accept: "application/x-ndjson" };
  return await (await send("GET", "/api/v1/changelogs/subscribers", { headers })).text();
}

describe("the history of a subscription", () => {
  it("has each change of `subscribed`, and not those of the name", async () => {
    const service = createService();
    await subscribe(service, true);
    await service.call("PUT", "changelogs/subscribe", {
      ...{ userEmail: ANN, subscribe: true, userName: "Ann" },
    });
    await subscribe(service, false);
    const event = { at: START, source: "api", keyId: "operator" };
    assertEquals((await read(service)).history, [
      { ...event, subscribed: true },
      { ...event, subscribed: false },
    ]);
  });

  it("is not in pages", async () => {
    const service = createService();
    await subscribe(service, true);
    const { data } = await service.call<{ data: readonly object[] }>(
      ...["GET", "changelogs/subscribers"] as const,
    );
    assertEquals(Object.keys(data[0]), [
      ...[
        "userEmail",
        "userName",
        "subscribed",
        "source",
        "labels",
        "pace",
        "createdAt",
        "updatedAt",
      ],
    ]);
  });

  it("comes back with an export that is imported elsewhere", async () => {
    const service = createService();
    await subscribe(service, true);
    await subscribe(service, false);
    await subscribe(service, true, "bob@example.com");
    const lines = await exportLines(service);
    const other = createService();
    await importCounts(other, lines, { type: "application/x-ndjson" });
    assertEquals(await exportLines(other), lines);
  });

  it("refuses a row whose keyId no key can have", async () => {
    const service = createService();
    const history = [{ ...EVENT, keyId: "a\0b" }];
    const row = JSON.stringify({ userEmail: ANN, subscribed: true, history });
    const { refused } = await importCounts(service, row, { type: "application/x-ndjson" });
    assertEquals(refused, 1);
  });

  it("has what an imported list tells of a consent", async () => {
    const service = createService();
    const header = "Email Address,First Name,Last Name,OPTIN_TIME,OPTIN_IP,CONFIRM_TIME\n";
    const row = `${ANN},Ann,,2020-01-02 03:04:05,192.0.2.1,2020-01-02 03:14:05\n`;
    await importCounts(service, header + row, { query: "?state=subscribed" });
    assertEquals((await read(service)).history, [{
      ...{ at: "2020-01-02T03:14:05.000Z", subscribed: true, source: "import" },
      keyId: "operator",
      evidence: {
        OPTIN_TIME: "2020-01-02 03:04:05",
        OPTIN_IP: "192.0.2.1",
        CONFIRM_TIME: "2020-01-02 03:14:05",
      },
    }]);
  });

  it("keeps the first event and the newest 50", () => {
    let stored = "";
    for (let i = 0; i < 120; i++) stored = appendHistory(stored, { ...EVENT, at: minute(i) });
    const times = readHistory(stored)!.map(({ at }) => at);
    assertEquals(times, [0, ...Array.from({ length: 50 }, (_, i) => 70 + i)].map(minute));
  });

  it("counts events and not what their evidence is like", () => {
    const evidence = { like: '],["2,"],["', 'to ],["': "],[" };
    let stored = "";
    for (let i = 0; i < 60; i++) {
      stored = appendHistory(stored, { ...EVENT, at: minute(i), evidence });
    }
    const events = readHistory(stored)!;
    assertEquals(events.map(({ at }) => at).slice(0, 2), [minute(0), minute(10)]);
    assertEquals([events.length, events.at(-1)], [51, { ...EVENT, at: minute(59), evidence }]);
  });

  it("fits into a record whatever evidence there is", () => {
    const evidence = Object.fromEntries(
      Array.from({ length: 99 }, (_, i) => [`${i}\u{1f600}`.repeat(400), "\u0001".repeat(5_000)]),
    );
    let stored = "";
    for (let i = 0; i < 60; i++) stored = appendHistory(stored, { ...EVENT, evidence });
    assertEquals(readHistory(stored)!.length, 51);
    assertEquals(JSON.stringify({ stored }).length < 128 * 1024, true);
  });

  it("is refused where an export can't have it", async () => {
    await forEachRow<[unknown]>([
      ["api"],
      [[{ ...EVENT, at: "today" }]],
      [[{ ...EVENT, subscribed: "true" }]],
      [[{ ...EVENT, source: "me" }]],
      [[{ ...EVENT, keyId: 1 }]],
      [[{ ...EVENT, evidence: { ip: 1 } }]],
      [[null]],
    ], ([value]) => {
      assertEquals(parseHistory(value, SUBSCRIPTION_SOURCES) instanceof Refusal, true);
    });
  });
});
