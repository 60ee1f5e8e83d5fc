import { deliveryPath } from "../../_support/deliveries.ts";
import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { startScriptedRelay } from "../../_support/scripted_relay.ts";
import { until } from "../../_support/waiting.ts";
import { type Server, startPair } from "./_pair.ts";
import { type ServeProcess, startServe } from "./_service.ts";

const ROUNDS = Number(Deno.env.get("BOARDCAST_FAILOVERS") ?? 20);
const BACK_MS = 5_000;
// A change takes up to three calls of 1.5 s.
const LATE_MS = 5_000;
const PEOPLE = 1_000;
const API = "/api/v1/changelogs";

/** The responses to callers during a failover. */
interface Load extends AsyncDisposable {
  readonly boards: string[];
  readonly unsubscribed: string[];
  /** Responses that were neither 200 nor 503, or were late. */
  readonly wrong: string[];
  /** The times of changes through each process, by its number. */
  readonly madeMs: readonly number[][];
  stop(): Promise<void>;
}

/** Starts to create boards through all processes, and to unsubscribe people who get mail. */
function startLoad(processes: readonly ServeProcess[]): Load {
  const load = { boards: [] as string[], unsubscribed: [] as string[], wrong: [] as string[] };
  const madeMs = processes.map((): number[] => []);
  let isOver = false;

  /** Repeats a change until it is made. A request without a response may have made it. */
  async function change(
    at: number,
    ...request: Parameters<ServeProcess["send"]>
  ): Promise<boolean> {
    while (!isOver) {
      const started = performance.now();
      const { status, text } = await processes[at].send(...request);
      const ms = performance.now() - started;
      if (ms > LATE_MS) load.wrong.push(`an answer after ${Math.round(ms)} ms`);
      if (status < 300 || status === 409) {
        madeMs[at].push(performance.now());
        return true;
      }
      if (status !== 503) load.wrong.push(text);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return false;
  }

  async function createBoards(at: number, worker: number): Promise<void> {
    for (let i = 0; !isOver; i++) {
      const boardId = `board${at}.${worker}.${i}`;
      const form = { boardId, name: "Board" };
      if (await change(at, "POST", "/api/v1/boards", form)) load.boards.push(boardId);
    }
  }

  async function unsubscribePeople(): Promise<void> {
    for (let i = 0; !isOver; i++) {
      const form = { userEmail: `person${i}@example.com`, subscribe: "false" };
      const isMade = await change(i % processes.length, "PUT", `${API}/subscribe`, form);
      if (isMade) load.unsubscribed.push(form.userEmail);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  async function stop(): Promise<void> {
    isOver = true;
    await Promise.all(workers);
  }

  const workers = processes.flatMap((_, at) => [0, 1, 2, 3].map((n) => createBoards(at, n)));
  workers.push(unsubscribePeople());
  return {
    ...load,
    madeMs,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

describe(`a primary that is killed ${ROUNDS} times under load`, () => {
  it("loses nothing, and its synchronous standby goes on within 5 s", async () => {
    await using relay = await startScriptedRelay();
    // The people named in messages to webhooks.
    const told = new Set<string>();
    await using endpoint = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      async (request) => {
        told.add((await request.json()).data.userEmail);
        return new Response(null, { status: 204 });
      },
    );
    const endpointHost = `127.0.0.1:${endpoint.addr.port}`;
    await using pair = await startPair();
    const start = () =>
      startServe(pair.url, {
        BOARDCAST_PUBLIC_URL: "https://updates.example",
        BOARDCAST_MAIL: relay.url,
        BOARDCAST_MAIL_FROM: "news@acme.example",
        BOARDCAST_MAIL_RATE: "20/s",
        BOARDCAST_WEBHOOK_ALLOW: endpointHost,
      });
    await using one = await start();
    await using two = await start();
    const post = async (path: string, form: Record<string, string>) => {
      const { status, text } = await one.send("POST", `/api/v1${path}`, form);
      assert(status < 300, text);
    };
    await post("/webhooks", { url: `http://${endpointHost}/`, types: "subscriber.unsubscribed" });
    const people = Array.from({ length: PEOPLE }, (_, i) => `person${i}@example.com`);
    await Promise.all(
      people.map((userEmail) =>
        two.send("PUT", `${API}/subscribe`, { userEmail, subscribe: "true" })
      ),
    );
    await post("/changelogs/entries", { entryId: "a", title: "A", body: "B" });
    await post("/changelogs/entries/a/publish", { notify: "true" });

    const processes = [one, two];
    await using load = startLoad(processes);

    /** Starts the old primary, which does not know the new one, and closes all connections. */
    async function comeBack(stray: Server, primary: Server): Promise<void> {
      await stray.start();
      await primary.sql`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'boardcast'`;
      const made = load.boards.length;
      await until(() => load.boards.length > made + 100);
      const newest = async ({ sql }: Server) =>
        (await sql`select max(updated_at) as at from boardcast.boards`)[0].at;
      assert(await newest(stray) < await newest(primary), "the old primary took a change");
      assertEquals((await two.send("GET", "/readyz")).status, 200);
    }

    const backMs: number[] = [];
    let [primary, standby] = pair.servers;
    for (let round = 0; round < ROUNDS; round++) {
      await new Promise((resolve) => setTimeout(resolve, 300 + 300 * Math.random()));
      await primary.kill();
      await standby.promote();
      const promoted = performance.now();
      const firstMs = () => load.madeMs.map((all) => all.find((ms) => ms > promoted));
      await until(() => firstMs().every((ms) => ms !== undefined), 2 * BACK_MS);
      backMs.push(Math.max(...firstMs() as number[]) - promoted);
      for (const { send } of processes) {
        await until(async () => (await send("GET", "/readyz")).status === 200);
      }
      if (round % 2 === 0) await comeBack(primary, standby);
      await primary.follow(standby);
      [primary, standby] = [standby, primary];
    }
    await load.stop();
    console.log(`changes again after ${backMs.map(Math.round)} ms`);
    assertEquals(load.wrong, []);
    assert(Math.max(...backMs) < BACK_MS, `changes again after ${Math.max(...backMs)} ms`);

    const rows = await primary.sql`select user_email, subscribed from boardcast.subscriptions`;
    const stored = new Map(rows.map(({ user_email, subscribed }) => [user_email, subscribed]));
    const boards = await primary.sql`select board_id from boardcast.boards`;
    const ids = new Set(boards.map(({ board_id }) => board_id));
    assertEquals(load.boards.filter((boardId) => !ids.has(boardId)), []);
    assertEquals(load.unsubscribed.filter((email) => stored.get(email) !== false), []);
    await until(() => load.unsubscribed.every((email) => told.has(email)), 60_000);
    const delivery = async () => JSON.parse((await two.send("GET", deliveryPath("a"))).text);
    await until(async () => (await delivery()).state === "done", 180_000);
    const mailed = new Set(relay.ledger);
    const left = new Set(load.unsubscribed);
    assertEquals(people.filter((email) => !mailed.has(email) && !left.has(email)), []);
    console.log(
      `${load.boards.length} changes, ${relay.ledger.length} mails, ${told.size} told of`,
    );
  });
});
