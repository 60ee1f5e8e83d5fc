import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Subscription } from "../../model/subscription.ts";
import { until } from "../_waiting.ts";
import { startProcess, withPlace } from "./_scene.ts";

const CLIENTS = 8;
const CHANGES = 5_000;
const KILLS = 20;
const PEOPLE_EACH = 25;

/** What identifies a change: who, what, and when. */
function nameOf({ userEmail, subscribed, updatedAt }: Subscription): string {
  return `${userEmail} ${subscribed} ${updatedAt}`;
}

/** Makes the changes while the server is killed, and compares them with what the endpoint was told. */
async function changeWithKills(kind: "file" | "postgres"): Promise<void> {
  // By what each delivered message tells of: the identifiers that it came with.
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
    const made = new Set<string>();
    let restarting: Promise<void> | undefined;
    let kills = 0;

    async function restart(): Promise<void> {
      await server.kill();
      server = startProcess(place, { allowed });
      await server.send("GET", "webhooks");
    }

    async function runClient(client: number): Promise<void> {
      for (let i = 0; i < CHANGES / CLIENTS; i++) {
        const userEmail = `user${i % PEOPLE_EACH}.of${client}@example.com`;
        const subscribe = `${Math.floor(i / PEOPLE_EACH) % 2 === 0}`;
        let answer: unknown;
        while (answer === undefined) {
          await restarting;
          // If it was cut off but made, the next answer shows when.
          answer = await server.send("PUT", "changelogs/subscribe", { userEmail, subscribe });
        }
        made.add(nameOf(answer as Subscription));
        if (kills < KILLS && made.size >= (kills + 1) * CHANGES / (KILLS + 1)) {
          kills++;
          restarting = restart();
        }
      }
    }

    await server.send("POST", "webhooks", { url: `http://${allowed}/` });
    await Promise.all(Array.from({ length: CLIENTS }, (_, client) => runClient(client)));
    await restarting;
    assertEquals([kills, made.size], [KILLS, CHANGES]);
    while (told.size < CHANGES) {
      const before = told.size;
      await until(() => told.size > before);
    }
    await server.kill("SIGTERM");
    assertEquals([...told.keys()].sort(), [...made].sort());
    for (const [name, ids] of told) assertEquals(ids.size, 1, name);
  });
}

describe("5,000 changes, and a server that is killed 20 times", () => {
  it("are all told of, and nothing else is, with file and with Postgres storage", async () => {
    // At once, as both spend most of the time on starting again.
    await Promise.all([changeWithKills("file"), changeWithKills("postgres")]);
  });
});
