import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Subscription } from "../../../model/subscriptions/subscription.ts";
import { until } from "../../_support/waiting.ts";
import { type PlaceKind, startProcess, withPlace } from "./_scene.ts";

const CHANGES = 2_000;
const KILLS = 20;
const PEOPLE = 25;

/** Returns the identity of a change: the person, the state and the time. */
function nameOf({ userEmail, subscribed, updatedAt }: Subscription): string {
  return `${userEmail} ${subscribed} ${updatedAt}`;
}

/**
 * Makes changes while the server is killed, and compares them with the messages to the endpoint.
 */
async function changeWithKills(kind: PlaceKind): Promise<void> {
  // The identifiers of the delivered messages, by the change that they describe.
  const told = new Map<string, Set<string>>();
  await using endpoint = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const { data } = await request.json();
      const ids = told.get(nameOf(data)) ?? new Set();
      told.set(nameOf(data), ids.add(request.headers.get("webhook-id")!));
      return new Response(null, { status: 204 });
    },
  );
  const allowed = `127.0.0.1:${endpoint.addr.port}`;

  await withPlace(kind, async (place) => {
    let server = startProcess(place, { allowed });
    await server.send("POST", "webhooks", { url: `http://${allowed}/` });
    const made: string[] = [];
    for (let i = 0; i < CHANGES; i++) {
      const userEmail = `user${i % PEOPLE}@example.com`;
      const subscribe = `${Math.floor(i / PEOPLE) % 2 === 0}`;
      const send = () => server.send("PUT", "changelogs/subscribe", { userEmail, subscribe });
      const first = send();
      if (i % (CHANGES / KILLS) === 50) {
        await server.kill();
        server = startProcess(place, { allowed });
      }
      // If the response was lost, the next one shows the time of the change.
      made.push(nameOf((await first ?? await send()) as Subscription));
    }
    await until(() => told.size >= CHANGES, 120_000);
    await server.kill("SIGTERM");
    assertEquals([...told.keys()].sort(), made.sort());
    for (const [name, ids] of told) assertEquals(ids.size, 1, name);
  });
}

describe("2,000 changes, and a server that is killed 20 times", () => {
  it("are all told of, and nothing else is, with file, Deno KV and Postgres storage", async () => {
    // The storages run at the same time, because they spend most of it on restarts.
    await Promise.all((["file", "kv", "postgres"] as const).map(changeWithKills));
  });
});
