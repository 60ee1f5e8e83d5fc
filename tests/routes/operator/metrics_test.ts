import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage, type Storage, StorageError } from "../../../mod.ts";
import { METRICS } from "../../../model/metrics.ts";
import { SUBSCRIPTIONS } from "../../../model/kinds.ts";
import { publishEntry, REFUSED, SENT, startMailing } from "../../_support/mailing.ts";
import { createService, type TestService } from "../../_support/service.ts";
import { ANN, startSignUps } from "../../_support/sign_ups.ts";
import { until } from "../../_support/waiting.ts";
import { createWebhookService } from "../../_support/webhooks.ts";

async function scrape({ send }: Pick<TestService, "send">, path = "/metrics"): Promise<string> {
  const response = await send("GET", path);
  assertEquals(response.status, 200);
  return await response.text();
}

async function value(service: Pick<TestService, "send">, sample: string): Promise<string> {
  const lines = (await scrape(service)).split("\n");
  const found = lines.find((line) => line.startsWith(`${sample} `));
  return found?.slice(sample.length + 1) ?? `there is no ${sample}`;
}

const SIGN_UPS = "boardcast_sign_ups_total";

const put = ({ call }: Pick<TestService, "call">, userEmail: string, subscribe = true) =>
  call("PUT", "changelogs/subscribe", { userEmail, subscribe });

describe("GET /metrics", () => {
  it("is text that Prometheus reads, under the base path", async () => {
    const service = createService({ basePath: "/feedback" });
    const response = await service.send("GET", "/feedback/metrics");
    assertEquals(response.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    const lines = (await response.text()).trimEnd().split("\n");
    for (const line of lines) {
      assertMatch(
        line,
        /^(?:# (?:HELP|TYPE) \w+ .+|\w+(?:\{\w+="[^"\\]*"(?:,\w+="[^"\\]*")*\})? \S+)$/,
      );
    }
    const described = lines.filter((line) => line.startsWith("# TYPE"));
    assertEquals(described.map((line) => line.split(" ")[2]), Object.keys(METRICS));
    assertEquals((await service.send("GET", "/metrics")).status, 404);
  });

  it("counts requests by operation and status, and no path has a series of its own", async () => {
    const service = createService();
    await put(service, "ann@example.com");
    await service.send("PUT", "changelogs/subscribe", { json: {} });
    for (const path of ["boards/a", "boards/b"]) await service.send("GET", path);
    for (const path of ["/ann@example.com", "/b"]) await service.send("GET", path);
    await service.send("DELETE", "changelogs/subscribe");
    const text = await scrape(service);
    const counts = text.match(/^boardcast_http_request_duration_seconds_count.*$/gm)!;
    assertEquals(counts.map((line) => line.slice(line.indexOf("{"))), [
      '{operation="subscribe",status="200"} 1',
      '{operation="subscribe",status="422"} 1',
      '{operation="getBoard",status="404"} 2',
      '{operation="other",status="404"} 2',
      '{operation="other",status="405"} 1',
    ]);
    assertEquals(text.includes("@"), false);
  });

  it("has buckets that grow, up to all that were observed", async () => {
    const service = createService();
    for (let count = 0; count < 5; count++) await service.send("GET", "/livez");
    const name = "boardcast_http_request_duration_seconds";
    const labels = 'operation="getLiveness",status="200"';
    const text = await scrape(service);
    const buckets = [...text.matchAll(/_bucket\{.*getLiveness.*le="(.*)"\} (\d+)/g)];
    const counts = buckets.map(([, , count]) => Number(count));
    assertEquals([...counts].sort((a, b) => a - b), counts);
    assertEquals(buckets.at(-1)?.slice(1), ["+Inf", "5"]);
    assertStringIncludes(text, `${name}_count{${labels}} 5\n`);
  });

  it("counts subscribers by state, and reads none of them", async () => {
    const memory = openMemoryStorage();
    const storage: Storage = {
      ...memory,
      list(kind, query) {
        assert(kind.name !== SUBSCRIPTIONS.name, "a scrape lists subscribers");
        return memory.list(kind, query);
      },
    };
    const service = createService({ storage });
    await put(service, "ann@example.com");
    await put(service, "ben@example.com");
    await put(service, "cem@example.com", false);
    await put(service, "ben@example.com", false);
    assertEquals(await value(service, 'boardcast_subscribers{state="subscribed"}'), "1");
    assertEquals(await value(service, 'boardcast_subscribers{state="unsubscribed"}'), "2");
  });

  it("counts calls of storage, and those that fail", async () => {
    const memory = openMemoryStorage();
    let isDown = false;
    const storage: Storage = {
      ...memory,
      transact: (refs, decide) =>
        isDown
          ? Promise.reject(new StorageError("unavailable", "It is down"))
          : memory.transact(refs, decide),
    };
    const service = createService({ storage });
    await put(service, "ann@example.com");
    isDown = true;
    await service.send("PUT", "changelogs/subscribe", {
      json: { userEmail: "b@c.de", subscribe: true },
    });
    assertEquals(await value(service, 'boardcast_storage_failures_total{method="transact"}'), "1");
    assertEquals(await value(service, 'boardcast_storage_failures_total{method="get"}'), "0");
    assert(Number(await value(service, 'boardcast_storage_calls_total{method="transact"}')) >= 2);
  });

  it("counts mails by outcome, and tells who delivers", async () => {
    const subscribers = ["ann@example.com", "ben@example.com", "cem@example.com"];
    const relay = ({ to }: { readonly to: string }) => to.startsWith("ben") ? REFUSED : SENT;
    await using mailing = await startMailing({ subscribers, relay });
    const { service } = mailing;
    assertEquals(await value(service, 'boardcast_lease_owned{lease="mails"}'), "0");
    await mailing.publish("a");
    assertEquals(await value(service, 'boardcast_mails_total{outcome="sent"}'), "2");
    assertEquals(await value(service, 'boardcast_mails_total{outcome="refused"}'), "1");
    assertEquals(await value(service, "boardcast_oldest_mail_age_seconds"), "0");
  });

  it("tells that this process has the lease, and for how long mail waits, while the relay is down", async () => {
    await using mailing = await startMailing({
      subscribers: ["a@example.com"],
      relay: () => "down",
    });
    const { service } = mailing;
    await mailing.publish("a");
    assertEquals(await value(service, 'boardcast_lease_owned{lease="mails"}'), "1");
    assertEquals(await value(service, 'boardcast_mails_total{outcome="error"}'), "1");
    assertEquals(await value(service, 'boardcast_attention{code="delivery_obstructed"}'), "1");
    await mailing.clock.advance(1_000);
    assertEquals(await value(service, "boardcast_oldest_mail_age_seconds"), "1");
  });

  it("counts sign-ups by their outcome", async () => {
    const storage = openMemoryStorage();
    await using signUps = startSignUps({ storage });
    const link = await signUps.signUp(ANN);
    await signUps.post({ userEmail: ANN });
    for (let time = 0; time < 2; time++) await signUps.follow(link);
    const service = createService({ storage });
    await until(async () => (await value(service, `${SIGN_UPS}{outcome="withheld"}`)) === "1");
    assertEquals(await value(service, `${SIGN_UPS}{outcome="mailed"}`), "1");
    assertEquals(await value(service, `${SIGN_UPS}{outcome="confirmed"}`), "1");
  });

  it("tells for how long a message to a webhook has been due", async () => {
    const service = createWebhookService();
    await service.create();
    await publishEntry(service, "a", { notify: false });
    service.advance(90_000);
    assertEquals(await value(service, "boardcast_oldest_message_age_seconds"), "90");
    await service.deliver();
    assertEquals(await value(service, "boardcast_oldest_message_age_seconds"), "0");
  });
});
