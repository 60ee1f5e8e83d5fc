import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { KINDS, type Storage } from "../../../mod.ts";
import { LEASES, SETTINGS, SUBSCRIPTIONS } from "../../../model/kinds.ts";
import { PROOF_MAILS } from "../../../model/proof/pending.ts";
import { FORM_MAIL_COUNT } from "../../../services/proof/rate.ts";
import { type PlaceKind, withPlace } from "./_scene.ts";
import { addresses } from "../../_support/mailing.ts";
import { startProcess, type TestServer, waitUntilServing } from "../../_support/process.ts";
import { type ScriptedRelay, startScriptedRelay } from "../../_support/scripted_relay.ts";
import { OPERATOR_KEY } from "../../_support/service.ts";
import { startSignUps } from "../../_support/sign_ups.ts";
import { until } from "../../_support/waiting.ts";

const POSTS = 10_000;
const AT_ONCE = 50;
const DAY_MS = 24 * 3_600_000;

/** Starts a server with sign-up. */
function serve(url: string, relay: ScriptedRelay, rate: string): Promise<TestServer> {
  const storage = url.startsWith("postgres:")
    ? url
    : url.endsWith(".db")
    ? `kv:${url}`
    : `file:${url}`;
  const process = startProcess([
    ...["serve", "--storage", storage],
    ...["--port", "0", "--rate-limit", "off", "--log", "json"],
    ...["--sign-up", "--sign-up-rate", rate, "--public-url", "https://updates.example/feedback"],
    ...["--mail", relay.url, "--mail-from", "news@acme.example"],
  ]);
  return waitUntilServing(process, OPERATOR_KEY);
}

async function post({ url }: TestServer, userEmail: string): Promise<void> {
  const body = new URLSearchParams({ userEmail });
  const response = await fetch(`${url}/subscribe`, { method: "POST", body });
  await response.body?.cancel();
  assertEquals(response.status, 200);
}

/** Stops servers once they have sent the pending mails. */
async function stop(servers: readonly TestServer[]): Promise<void> {
  for (const server of servers) server.signal("SIGTERM");
  assertEquals(await Promise.all(servers.map(({ status }) => status)), servers.map(() => 0));
}

/** Lists the kinds and keys of all records except leases, which depend on the processes. */
async function listAll(storage: Storage): Promise<readonly string[]> {
  const kinds = KINDS.filter((kind) => kind.name !== LEASES.name);
  const pages = await Promise.all(kinds.map(async (kind) => {
    const page = await storage.list(kind, { limit: 1_000 });
    return page.map((record) => `${kind.name} ${record[kind.key]}`);
  }));
  return pages.flat();
}

async function countSignUps(storage: Storage): Promise<number> {
  return (await storage.list(PROOF_MAILS, { limit: 1_000 })).length;
}

/** Returns the number of mails that the hourly limit has counted. */
async function countMails(storage: Storage): Promise<number> {
  const [, count] = (await storage.get(SETTINGS, FORM_MAIL_COUNT))?.value.split(" ") ?? [];
  return Number(count);
}

describe("sign-ups at two servers on one database", () => {
  it("get one mail each, and so many in all, when both servers are started again, too", () =>
    withPlace("postgres", async ({ url }) => {
      await using relay = await startScriptedRelay();
      const people = addresses(40);
      for (let start = 0; start < 2; start++) {
        const starting = [1, 2].map(() => serve(url, relay, "20/h"));
        await using one = await starting[0];
        await using two = await starting[1];
        await Promise.all(
          people.flatMap((person) => [one, two, two, one].map((server) => post(server, person))),
        );
        await stop([one, two]);
        assertEquals([relay.ledger.length, new Set(relay.ledger).size], [20, 20]);
      }
    }));
});

describe("a script that signs up 10,000 addresses", () => {
  it("causes the mails of an hour, and leaves nothing once a week is over", () =>
    withPlace("postgres", async ({ url, open }) => {
      await using relay = await startScriptedRelay();
      await using server = await serve(url, relay, "100/h");
      const [first, ...people] = addresses(POSTS);
      await post(server, first);
      await relay.reached(1);
      const storage = await open();
      const before = await listAll(storage);
      for (let at = 0; at < people.length; at += AT_ONCE) {
        await Promise.all(
          people.slice(at, at + AT_ONCE).map((person) => post(server, person)),
        );
      }
      await stop([server]);
      assertEquals([relay.ledger.length, await countSignUps(storage)], [100, 100]);
      // Each request leaves two records: itself and the mail that proves it.
      assertEquals((await listAll(storage)).length, before.length + 2 * 99);
      await using later = startSignUps({ storage, nowMs: () => Date.now() + 9 * DAY_MS });
      await until(async () => await countSignUps(later.storage) === 0);
      const isLasting = (record: string) => !/^(?:proofMails|pending) /.test(record);
      assertEquals(await listAll(storage), before.filter(isLasting));
      await later.worker.close();
      await storage.close();
    }));
});

/** Kills a server while its mails are in flight, and starts it again. */
async function loseMails(kind: PlaceKind): Promise<void> {
  const asked = Promise.withResolvers<void>();
  let isSilent = true;
  await using relay = await startScriptedRelay((step) => {
    if (step !== "MAIL" || !isSilent) return undefined;
    asked.resolve();
    return "hang";
  });
  const [ann, ...others] = addresses(30);
  await withPlace(kind, async ({ url, open }) => {
    await using killed = await serve(url, relay, "100/h");
    await post(killed, ann);
    await asked.promise;
    const posts = others.map((person) => post(killed, person));
    await Promise.race(posts);
    killed.signal("SIGKILL");
    await Promise.allSettled([killed.status, ...posts]);
    isSilent = false;

    let storage = await open();
    // The database may still be storing the last one.
    await until(async () => await countSignUps(storage) === await countMails(storage));
    const mails = await storage.list(PROOF_MAILS, { limit: 100 });
    const begun = mails.filter(({ state }) => state === "sending").length;
    await storage.close();
    assert(begun > 0 && relay.ledger.length === 0);

    await using again = await serve(url, relay, "100/h");
    await Promise.all([ann, ...others].map((person) => post(again, person)));
    // The mails that the relay did not have yet go out once the killed server can't send them: at
    // once or, if it had stored but not begun one, when its minute for that one is over.
    await relay.reached(30 - begun, 120_000);
    await stop([again]);
    assertEquals([relay.ledger.length, new Set(relay.ledger).size], [30 - begun, 30 - begun]);
    assertEquals(relay.ledger.includes(ann), false);

    storage = await open();
    assertEquals([await countSignUps(storage), await countMails(storage)], [30, 30]);
    assertEquals(await storage.list(SUBSCRIPTIONS, { limit: 1 }), []);
    await using tomorrow = startSignUps({ storage, nowMs: () => Date.now() + DAY_MS });
    assertEquals((await tomorrow.follow(await tomorrow.signUp(ann))).status, 200);
    assertEquals(await tomorrow.read(ann), "true form null");
    await tomorrow.worker.close();
    await storage.close();
  });
}

describe("a server that is killed between a sign-up and its mail", () => {
  for (const kind of ["file", "kv", "postgres"] as const) {
    it(`mails after all who was not mailed, and nobody twice, on ${kind} storage`, () =>
      loseMails(kind));
  }
});
