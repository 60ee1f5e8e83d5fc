import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage, type Storage } from "../../mod.ts";
import { SUBSCRIPTIONS } from "../../model/kinds.ts";
import {
  listSubscriptions,
  readSubscriptions,
} from "../../services/subscriptions/subscriptions.ts";
import { HEADER, importCounts } from "../_support/import.ts";
import { createService, type TestService } from "../_support/service.ts";

interface Page {
  readonly data: readonly { readonly userEmail: string }[];
  readonly nextCursor: string | null;
}

const COUNT = 3_000;
const PATH = "changelogs/subscribers";

/** Creates a service with some people that counts its listings. */
async function createCounted(): Promise<TestService & { lists: number }> {
  const storage = openMemoryStorage();
  const counted = {
    ...storage,
    list: ((kind, query) => {
      if (kind.name === SUBSCRIPTIONS.name) result.lists++;
      return storage.list(kind, query);
    }) as Storage["list"],
  };
  const result = { ...createService({ storage: counted }), lists: 0 };
  const rows = Array.from({ length: COUNT }, (_, n) => `user${n}@x.org,,${n % 2 === 0}\n`);
  await importCounts(result, HEADER + rows.join(""));
  await result.call("PUT", "changelogs/subscribe", { userEmail: "zoe@x.org", subscribe: true });
  result.lists = 0;
  return result;
}

/** Opens storage with endless records, none of which a listing selects. */
function openEndless(onList: (lists: number) => void = () => {}): Storage {
  const storage = openMemoryStorage();
  let lists = 0;
  const list = (_: unknown, { limit }: { readonly limit: number }) => {
    onList(++lists);
    const userEmail = `${lists}@x.org`;
    const record = { userEmail, source: "api", subscribed: true, subscriberId: `${lists}` };
    return Promise.resolve(Array.from({ length: limit }, () => record));
  };
  return { ...storage, list: list as unknown as Storage["list"] };
}

describe("a listing of few of many records", () => {
  it("reads large pages, however small its own is", async () => {
    const service = await createCounted();
    const page = await service.call<Page>("GET", `${PATH}?source=api&limit=1`);
    assertEquals(page.data.map(({ userEmail }) => userEmail), ["zoe@x.org"]);
    assertEquals(page.nextCursor, null);
    assert(service.lists <= 10, `${service.lists} listings`);
  });

  it("lets other requests through while it reads", async () => {
    const service = await createCounted();
    let hasTurned = false;
    setTimeout(() => hasTurned = true, 0);
    await service.call("GET", `${PATH}?source=api&limit=1`);
    assertEquals(hasTurned, true);
  });

  it("is a short page with a cursor when it takes too long", async () => {
    let lists = 0;
    const storage = openEndless((count) => lists = count);
    const found = await listSubscriptions(storage, { source: "bounce", limit: 10 });
    assertEquals(found, { records: [], stoppedAt: { key: "100@x.org", by: undefined } });
    const { key } = found.stoppedAt!;
    await listSubscriptions(storage, { source: "bounce", limit: 10, after: { key } });
    assertEquals(lists, 200);
  });

  it("goes on from the cursor of a short page", async () => {
    const { call } = createService({ storage: openEndless() });
    const first = await call<Page>("GET", `${PATH}?source=bounce`);
    assertEquals(first.data, []);
    const second = await call<Page>("GET", `${PATH}?source=bounce&cursor=${first.nextCursor}`);
    assert(second.nextCursor !== null && second.nextCursor !== first.nextCursor);
  });

  it("ends when its client is gone", async () => {
    const client = new AbortController();
    let lists = 0;
    const storage = openEndless((count) => (lists = count) === 2 && client.abort());
    const isGone = () => client.signal.aborted;
    await listSubscriptions(storage, { source: "bounce", limit: 10, isGone });
    assertEquals(lists, 2);
  });

  it("ends when its client stops reading an export of nobody", async () => {
    let lists = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    const storage = openEndless((count) => (lists = count) === 3 && resolve());
    const { send } = createService({ storage });
    const headers = { accept: "application/x-ndjson" };
    const { body } = await send("GET", `${PATH}?source=bounce`, { headers });
    const reader = body!.getReader();
    const reading = reader.read();
    await promise;
    await reader.cancel();
    await reading;
    const before = lists;
    for (let turn = 0; turn < 5; turn++) await new Promise((next) => setTimeout(next, 0));
    assert(lists <= before + 1, `${lists - before} listings after its end`);
  });
});

describe("a listing of subscribers by the start of their address", () => {
  it("has those alone, also by state and in an export", async () => {
    const service = createService();
    const emails = ["a@x.org", "ann+1@x.org", "ann@x.org", "anna@x.org", "anne@x.org", "ao@x.org"];
    const rows = emails.map((email) => `${email},,${!email.includes("anna")}\n`);
    await importCounts(service, HEADER + rows.join(""));
    const list = async (query: string) => {
      const { data } = await service.call<Page>("GET", `${PATH}?${query}`);
      return data.map(({ userEmail }) => userEmail.split("@")[0]).join(" ");
    };
    assertEquals(await list("prefix=ann"), "ann+1 ann anna anne");
    assertEquals(await list("prefix=ANN%40"), "ann");
    assertEquals(await list("prefix=ann@x.org"), "ann");
    assertEquals(await list("prefix=ann&subscribed=true"), "ann+1 ann anne");
    assertEquals(await list("prefix=ann&subscribed=false"), "anna");
    assertEquals(await list("prefix=b"), "");
    const { nextCursor } = await service.call<Page>("GET", `${PATH}?prefix=ann&limit=2`);
    assertEquals(await list(`prefix=ann&limit=2&cursor=${nextCursor}`), "anna anne");
    const pages = readSubscriptions(service.storage, { prefix: "an" });
    const found = (await Array.fromAsync(pages)).flat().map(({ userEmail }) => userEmail);
    assertEquals(found, emails.slice(1, 5));
  });

  it("is refused when no address can start so", async () => {
    const { send } = createService();
    for (const prefix of ["", "%20", "%C3%BC", "a%00", "a".repeat(255)]) {
      const response = await send("GET", `${PATH}?prefix=${prefix}`);
      assertEquals([prefix, response.status], [prefix, prefix === "" ? 200 : 422]);
    }
  });
});
