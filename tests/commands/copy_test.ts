import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { beforeEach, describe, it } from "@std/testing/bdd";
import { KINDS, openMemoryStorage, type Storage, StorageError } from "../../mod.ts";
import { createKey } from "../../services/keys/api_keys.ts";
import { BOARDS } from "../../model/kinds.ts";
import { insertRecord } from "../../services/records.ts";
import { readVersion } from "../../services/version.ts";
import { inviteMember, readInvitation, useInvitation } from "../../services/team/invitations.ts";
import { addMember, findMember, memberOf } from "../../services/team/members.ts";
import { hasSession } from "../../services/team/sessions.ts";
import { changeSubscription } from "../../services/subscriptions/subscriptions.ts";
import { assertFailed, createCommandLine } from "../_support/cli.ts";
import { sampleBoard } from "../_support/samples.ts";

const AT = "2026-11-21T10:00:00.000Z";
const COPY = "copy file:old file:new";

/** Returns all records of a storage, by kind. */
async function contentsOf(storage: Storage): Promise<unknown> {
  const lists = KINDS.map(async (kind) => {
    const first = await storage.list(kind, { limit: 1_000 });
    const after = { key: String(first.at(-1)?.[kind.key] ?? "") };
    return [kind.name, ...first, ...await storage.list(kind, { after, limit: 1_000 })];
  });
  return await Promise.all(lists);
}

/**
 * Keeps what listens for signals, by signal, until it is disposed of. The process has all tests of
 * a run, so a real signal would interrupt others, too.
 */
function keepListeners(): Partial<Record<Deno.Signal, () => void>> & Disposable {
  const { addSignalListener } = Deno;
  const listeners: Partial<Record<Deno.Signal, () => void>> = {};
  Deno.addSignalListener = (signal, listener) => void (listeners[signal] = listener);
  return Object.assign(listeners, {
    [Symbol.dispose]: () => void (Deno.addSignalListener = addSignalListener),
  });
}

describe("copy", () => {
  let source: Storage;
  let target: Storage;
  let closed: number;
  let listeners: Partial<Record<Deno.Signal, () => void>>;

  const { run } = createCommandLine({
    errColumns: 80,
    openStorage(url) {
      const storage = url === "file:old" ? source : target;
      return Promise.resolve({ ...storage, close: () => Promise.resolve(void closed++) });
    },
  });

  beforeEach(async () => {
    closed = 0;
    [source, target] = [openMemoryStorage(), openMemoryStorage()];
    await insertRecord(source, BOARDS, sampleBoard("ideas"));
    await createKey(source, { name: "K", scopes: ["*"], expiresAt: AT }, AT);
    for (let n = 0; n < 1_500; n++) {
      const change = { userEmail: `user${n}@x.io`, userName: `${n}`, source: "link" } as const;
      await changeSubscription(source, { ...change, subscribe: n % 2 === 0, at: AT });
    }
  });

  it("makes every record of every kind as it was, and shows how far it is on a terminal", async () => {
    const { status, out, err } = await run(COPY);
    assertEquals([status, out], [0, ""], err);
    for (const part of ["\r0 records  ", "\r\x1b[KCopied ", "1 boards", "1500 sub", "1 API keys"]) {
      assertStringIncludes(err, part);
    }
    assertEquals(await contentsOf(target), await contentsOf(source));
    assertEquals(closed, 2);
  });

  it("takes members along, and ends their sessions and invitations", async () => {
    const member = memberOf({ userEmail: "ann@x.io", userName: "Ann", role: "admin" }, AT);
    const { memberId } = member;
    await addMember(source, member);
    const options = { at: AT, isMailed: true };
    const used = await inviteMember(source, memberId, options);
    await useInvitation(source, used!.token, { at: AT, former: undefined });
    const { token } = (await inviteMember(source, memberId, options))!;
    await run(COPY);
    assertEquals((await findMember(target, "ann@x.io"))?.userName, "Ann");
    assertEquals(await readInvitation(target, token, AT), undefined);
    assertEquals(await hasSession(target, memberId, AT), false);
    assertEquals(await hasSession(source, memberId, AT), true);
  });

  it("changes nothing where there is something already", async () => {
    await insertRecord(target, BOARDS, sampleBoard("ideas"));
    const before = await contentsOf(target);
    assertFailed(await run(COPY), 1, "TO is not empty: name one that holds nothing, or empty");
    assertEquals(await contentsOf(target), before);
  });

  const failures: Readonly<Record<string, () => Promise<void>>> = {
    "It is full": () => Promise.reject(new StorageError("unavailable", "It is full")),
    "something else changes TO": async () => {
      const change = { userEmail: "user999@x.io", userName: null, source: "api", at: AT } as const;
      await changeSubscription(target, { ...change, subscribe: false });
    },
    interrupted: () => Promise.resolve(listeners.SIGTERM?.()),
  };
  for (const [reason, happen] of Object.entries(failures)) {
    it(`lets no key in, closes both and says what to do when it ends early: ${reason}`, async () => {
      const { list } = source;
      source.list = async (kind, query) => {
        if (query.after !== undefined) await happen();
        return await list(kind, query);
      };
      using kept = keepListeners();
      listeners = kept;
      const { status, err } = await run(COPY);
      assertEquals([status, closed], [1, 2]);
      const advice = "the copy is incomplete: empty TO and copy again\n";
      assertStringIncludes(err, `boardcast: ${reason}; ${advice}`);
      const keys = KINDS.find(({ name }) => name === "apiKeys")!;
      assertEquals(await target.list(keys, { limit: 1 }), []);
      const cutShort = await assertRejects(() => readVersion(target), StorageError);
      assertStringIncludes(cutShort.message, "a copy into it was cut short");
    });
  }
});
