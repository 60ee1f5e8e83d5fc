import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Subscription } from "../../model/subscription.ts";
import { OPERATOR_KEY } from "../_service.ts";
import { until } from "../_waiting.ts";
import { type Place, withPlace } from "./_scene.ts";

const CLIENTS = 8;
const CHANGES = 5_000;
const KILLS = 20;
const PEOPLE_EACH = 25;

/** A process that serves, and is replaced by another one when it is killed. */
interface Serving {
  /** Sends a request to whatever process there is; `undefined` if it was cut off. */
  send(method: string, path: string, form?: Record<string, string>): Promise<unknown>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

async function serve({ url }: Place, allowed: string): Promise<Serving> {
  const script = new URL("_service.ts", import.meta.url).pathname;
  let base = "";
  let child: Deno.ChildProcess;

  async function start(): Promise<void> {
    const args = ["run", "--allow-all", "--no-check", script, url, OPERATOR_KEY, allowed];
    const options = { args, stdin: "null", stdout: "piped", stderr: "inherit" } as const;
    child = new Deno.Command(Deno.execPath(), options).spawn();
    for await (const chunk of child.stdout.values({ preventCancel: true })) {
      base = `http://127.0.0.1:${new TextDecoder().decode(chunk).trim()}/api/v1`;
      return;
    }
    throw new Error("The process ended before it served");
  }

  async function end(signal: Deno.Signal): Promise<void> {
    child.kill(signal);
    await child.status;
    await child.stdout.cancel();
  }

  await start();
  return {
    async send(method, path, form) {
      try {
        const headers = { authorization: `Bearer ${OPERATOR_KEY}` };
        const body = form && new URLSearchParams(form);
        const response = await fetch(base + path, { method, headers, body });
        const text = await response.text();
        assert(response.ok, text);
        return JSON.parse(text);
      } catch (error) {
        if (error instanceof TypeError) return undefined;
        throw error;
      }
    },
    async restart() {
      await end("SIGKILL");
      await start();
    },
    stop: () => end("SIGTERM"),
  };
}

/** What identifies a change: who, what, and when. */
function nameOf({ userEmail, subscribed, updatedAt }: Subscription): string {
  return `${userEmail} ${subscribed} ${updatedAt}`;
}

/** Makes the changes while the server is killed, and compares them with what the endpoint was told. */
async function prove(kind: "file" | "postgres"): Promise<void> {
  // By what each delivered message tells of: the identifiers that it came with.
  const told = new Map<string, Set<string>>();
  let posts = 0;
  await using endpoint = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const { data } = await request.json();
      const ids = told.get(nameOf(data)) ?? new Set();
      told.set(nameOf(data), ids.add(request.headers.get("webhook-id")!));
      posts++;
      return new Response(null, { status: 204 });
    },
  );
  const allowed = `127.0.0.1:${endpoint.addr.port}`;

  await withPlace(kind, async (place) => {
    const server = await serve(place, allowed);
    await server.send("POST", "/webhooks", { url: `http://${allowed}/` });
    const made = new Set<string>();
    let restarting: Promise<void> | undefined;
    let kills = 0;

    async function change(userEmail: string, subscribe: boolean): Promise<void> {
      const form = { userEmail, subscribe: `${subscribe}` };
      let answer: unknown;
      while (answer === undefined) {
        await restarting;
        // If it was cut off but made, the next answer shows when.
        answer = await server.send("PUT", "/changelogs/subscribe", form);
      }
      made.add(nameOf(answer as Subscription));
    }

    async function runClient(client: number): Promise<void> {
      for (let i = 0; i < CHANGES / CLIENTS; i++) {
        const userEmail = `user${i % PEOPLE_EACH}.of${client}@example.com`;
        await change(userEmail, Math.floor(i / PEOPLE_EACH) % 2 === 0);
        if (kills < KILLS && made.size >= (kills + 1) * CHANGES / (KILLS + 1)) {
          kills++;
          restarting = server.restart();
        }
      }
    }

    await Promise.all(Array.from({ length: CLIENTS }, (_, client) => runClient(client)));
    await restarting;
    assertEquals([kills, made.size], [KILLS, CHANGES]);
    while (told.size < CHANGES) {
      const before = told.size;
      await until(() => told.size > before);
    }
    await server.stop();
    assertEquals([...told.keys()].sort(), [...made].sort());
    for (const [name, ids] of told) assertEquals(ids.size, 1, name);
    console.log(`${kind}: ${posts - CHANGES} messages came again`);
  });
}

describe("5,000 changes, and a server that is killed 20 times", () => {
  it("are all told of, and nothing else is, with file and with Postgres storage", async () => {
    // At once, as both spend most of the time on starting again.
    await Promise.all([prove("file"), prove("postgres")]);
  });
});
