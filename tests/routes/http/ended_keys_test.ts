import { assert, assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Scope } from "../../../model/keys/api_key.ts";
import { API_KEYS, ENTRIES, SUBSCRIPTIONS } from "../../../model/kinds.ts";
import { openMemoryStorage, type Storage } from "../../../mod.ts";
import { revokeKey } from "../../../services/keys/api_keys.ts";
import { IMAGES } from "../../_support/images.ts";
import { HEADER, importCounts, readReport, stored } from "../../_support/import.ts";
import { createService, outcomeOf, START, type TestService } from "../../_support/service.ts";
import { until, withMonotonicClock } from "../../_support/waiting.ts";

const SUBSCRIBERS = "changelogs/subscribers";

/** A body that is sent while the test goes on. */
interface OpenBody {
  readonly body: ReadableStream<Uint8Array>;
  send(text: string | Uint8Array): void;
  end(): void;
}

function openBody(): OpenBody {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  return {
    body: readable,
    send(text) {
      const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
      writer.write(bytes).catch(() => {});
    },
    end: () => void writer.close().catch(() => {}),
  };
}

function rows(start: number, count: number): string {
  const people = Array.from({ length: count }, (_, index) => start + index);
  return people.map((number) => `p${number}@example.com,,true\n`).join("");
}

async function revokeAll(storage: Storage): Promise<void> {
  for (const { keyId } of await storage.list(API_KEYS, { limit: 100 })) {
    await revokeKey(storage, keyId, START);
  }
}

async function openImport(
  service: TestService,
  { path, type, scopes }: {
    readonly path: string;
    readonly type: string;
    readonly scopes: readonly Scope[];
  },
): Promise<OpenBody & { readonly response: Promise<Response> }> {
  const open = openBody();
  const headers = { "content-type": type };
  const key = await service.createKey(scopes);
  const response = service.send("POST", path, { key, headers, body: open.body });
  return { ...open, response };
}

/** An import of subscribers that has stored three rows. */
async function importThree(service: TestService): Promise<ReturnType<typeof openImport>> {
  const path = `${SUBSCRIBERS}/import`;
  const open = await openImport(service, {
    path,
    type: "text/csv",
    scopes: ["subscriptions:write"],
  });
  open.send(HEADER + rows(1, 3));
  await until(async () => (await stored(service.storage)).length === 3);
  return open;
}

const ENDINGS: Readonly<Record<string, (service: TestService) => Promise<void> | void>> = {
  "is revoked": ({ storage }) => revokeAll(storage),
  "expires": ({ advance }) => advance(2 * 60_000),
};

describe("a key that ends", () => {
  for (const [ending, end] of Object.entries(ENDINGS)) {
    it(`stores no further row of its import when it ${ending}, and tells where that stopped`, async () => {
      const service = createService();
      const createKey = (scopes: readonly Scope[]) =>
        service.createKey(scopes, "2026-11-21T10:01:00.000Z");
      const open = await importThree({ ...service, createKey });
      await end(service);
      open.send(rows(4, 5_000));
      open.end();
      const { refused, counts } = await readReport(await open.response);
      assertEquals(refused.map(({ line, code }) => [line, code]), [[5, "invalid_token"]]);
      assertEquals([counts.added, counts.refused], [3, 0]);
      assertEquals((await stored(service.storage)).length, 3);
    });
  }

  it("reports as many rows as it stored when it is revoked after the last was sent", async () => {
    const service = createService();
    const open = await importThree(service);
    open.send(rows(4, 1));
    await revokeAll(service.storage);
    open.end();
    const { counts } = await readReport(await open.response);
    assertEquals(counts.added, (await stored(service.storage)).length);
    assert(counts.added <= 4);
  });

  it("ends its export when it is revoked", async () => {
    const service = createService();
    await importCounts(service, HEADER + rows(1, 5_000));
    for (const type of ["application/x-ndjson", "text/csv"]) {
      const key = await service.createKey(["subscriptions:read"]);
      const response = await service.send("GET", SUBSCRIBERS, { key, headers: { accept: type } });
      const reader = response.body!.getReader();
      await reader.read();
      await revokeAll(service.storage);
      await assertRejects(async () => {
        while (!(await reader.read()).done);
      });
      assertEquals(service.events.filter(({ error }) => error !== undefined), []);
    }
  });

  it("gets no answer of a search that took until after its revocation", async () => {
    await withMonotonicClock(async (advance) => {
      const storage = openMemoryStorage();
      const service = createService({
        storage: {
          ...storage,
          async list(kind, query) {
            const found = await storage.list(kind, query);
            if (kind.name === SUBSCRIPTIONS.name) {
              await revokeAll(storage);
              advance(1_000);
            }
            return found;
          },
        },
      });
      await importCounts(service, HEADER + rows(1, 3));
      const key = await service.createKey(["subscriptions:read"]);
      const response = await service.send("GET", `${SUBSCRIBERS}?q=p1`, { key });
      assertEquals(await outcomeOf(response), "401 invalid_token");
    });
  });

  it("publishes no further entry of its import when it is revoked", async () => {
    const storage = openMemoryStorage();
    const service = createService({
      storage: {
        ...storage,
        async transact(refs, decide) {
          const answer = await storage.transact(refs, decide);
          if (Object.values(refs).some(({ kind }) => kind.name === ENTRIES.name)) {
            await revokeAll(storage);
          }
          return answer;
        },
      },
    });
    const versions = Array.from(
      { length: 40 },
      (_, number) => `## 1.${number}.0 - 2026-01-01\n\nA\n`,
    );
    const open = await openImport(service, {
      path: "changelogs/entries/import",
      type: "text/markdown",
      scopes: ["entries:write", "entries:publish"],
    });
    open.send(versions.join("\n"));
    open.end();
    const { refused, counts } = await readReport(await open.response);
    assertEquals(refused.map(({ code }) => code), ["invalid_token"]);
    const entries = await storage.list(ENTRIES, { limit: 100 });
    assertEquals([counts.added, counts.refused, entries.length], [16, 0, 16]);
  });

  it("adds no image when it is revoked while that is sent", async () => {
    const service = createService();
    const open = await openImport(service, {
      path: "changelogs/images",
      type: "image/png",
      scopes: ["entries:write"],
    });
    open.send(IMAGES["image/png"].subarray(0, 20));
    await revokeAll(service.storage);
    open.send(IMAGES["image/png"].subarray(20));
    open.end();
    assertEquals(await outcomeOf(await open.response), "401 invalid_token");
    assertEquals((await service.call<{ data: unknown[] }>("GET", "changelogs/images")).data, []);
  });

  it("adds no image when it is revoked between the last byte and the end of the body", async () => {
    const storage = openMemoryStorage();
    let looked = 0;
    const service = createService({
      storage: {
        ...storage,
        get(kind, key) {
          if (kind.name === API_KEYS.name) looked++;
          return storage.get(kind, key);
        },
      },
    });
    const open = await openImport(service, {
      path: "changelogs/images",
      type: "image/png",
      scopes: ["entries:write"],
    });
    open.send(IMAGES["image/png"]);
    await until(() => looked === 2);
    await revokeAll(storage);
    open.end();
    assertEquals(await outcomeOf(await open.response), "401 invalid_token");
  });
});
