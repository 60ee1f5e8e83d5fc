import { assertEquals } from "@std/assert";
import type { PageQuery, Storage } from "../../adapters/storage.ts";
import type { ContractTests } from "../storage_contract.ts";
import { listPages, minute, ROTATIONS, sampleBoard, sampleChange, sampleKey } from "./samples.ts";

/** A kind of record, by what identifies it. */
interface Kind {
  readonly store: (storage: Storage, id: string) => Promise<unknown>;
  readonly find: (storage: Storage, id: string) => Promise<unknown>;
  /** Changes the record in one of several ways; returns `false` where none of them finds it. */
  readonly change: (storage: Storage, id: string) => Promise<boolean>;
}

const BOARDS: Kind = {
  store: ({ boards }, id) => boards.create(boardOf(id)),
  find: ({ boards }, id) => boards.get(id),
  change: async ({ boards }, id) =>
    await boards.replace(boardOf(id), { ...boardOf(id), name: "Next" }) ||
    await boards.delete(boardOf(id)),
};

const ADDRESSES: Kind = {
  store: ({ subscriptions }, id) => subscriptions.put(sampleChange(id)),
  find: ({ subscriptions }, id) => subscriptions.get(id),
  change: ({ subscriptions }, id) => subscriptions.erase(id),
};

const KEYS: Kind = {
  store: ({ apiKeys }, id) => apiKeys.create(sampleKey(id)),
  find: ({ apiKeys }, id) => apiKeys.get(id),
  async change(storage, id) {
    await storage.apiKeys.touch(id, minute(1));
    return await ROTATIONS[1].end(storage, id) || await storage.apiKeys.revoke(id, minute(1));
  },
};

/** Identities that are easily taken for each other. */
const LOOK_ALIKES: readonly (readonly [what: string, kind: Kind, one: string, two: string])[] = [
  ["boards that differ in case", BOARDS, "ideas", "Ideas"],
  ["boards that differ in a _", BOARDS, "axb", "a_b"],
  ["boards of which one begins with the other", BOARDS, "ideas-2", "ideas"],
  ["addresses of which one begins with the other", ADDRESSES, "ann@x.co.uk", "ann@x.co"],
  ["keys of which one begins with the other", KEYS, "key2", "key"],
  ["boards that differ in the last of 128 characters", BOARDS, ...endings("x".repeat(127))],
  ["addresses that differ in a _", ADDRESSES, "axb@x.io", "a_b@x.io"],
  ["addresses that differ in a %", ADDRESSES, "axb@x.io", "a%@x.io"],
  ["addresses that differ in the last of 254 characters", ADDRESSES, ...endings(longDomain())],
  ["keys that differ in case", KEYS, "key", "KEY"],
];

// A digest is as long, and of such characters.
const HASH = `${"a".repeat(20)}${"B".repeat(23)}`;
const HASHES: Readonly<Record<string, string>> = {
  "in case": HASH.toLowerCase(),
  "in a _": HASH.replace("a", "_"),
  "in the last character": HASH.replace(/B$/, "C"),
};

/** What an address may have beside letters, digits and dots (WHATWG HTML, section 4.10.5.1.5). */
const ADDRESS_MARKS = "!#$%&'*+/=?^_`{|}~-";

/** Every object of JavaScript has these members. */
const INHERITED = ["constructor", "toString", "hasOwnProperty", "__proto__"];

/** Checks that identities are compared character by character, and are nothing but text. */
export function testIdentities({ test }: ContractTests): void {
  for (const [what, { store, find, change }, one, two] of LOOK_ALIKES) {
    test(`${what} are told apart`, async ({ storage }) => {
      await store(storage, one);
      const stored = await find(storage, one);
      assertEquals(await find(storage, two), undefined);
      assertEquals(await change(storage, two), false);
      assertEquals(await find(storage, one), stored);
      await store(storage, two);
      assertEquals(await change(storage, two), true);
      assertEquals(await find(storage, one), stored);
    });
  }

  test("addresses may have every character of their grammar", async ({ storage: { subscriptions } }) => {
    const emails = [
      ...[...ADDRESS_MARKS].map((mark) => `a${mark}b@x.io`),
      ...["aab@x.io", "azb@x.io", "a/../b@x.io", "a''b@x.io", "a@x.io", "a@x.io.uk", "a@x.io-x.uk"],
    ].sort();
    for (const userEmail of emails) {
      const { previous } = await subscriptions.put(sampleChange(userEmail));
      assertEquals(previous, undefined);
    }
    for (const userEmail of emails) {
      assertEquals((await subscriptions.get(userEmail))?.userEmail, userEmail);
    }
    const list = (query: PageQuery) => subscriptions.list({ ...query, subscribed: true });
    assertEquals(await listPages(list, ({ userEmail }) => userEmail, 1), emails);
    for (const userEmail of emails) {
      assertEquals(await subscriptions.erase(userEmail), true);
      assertEquals(await subscriptions.get(userEmail), undefined);
    }
  });

  test("a listing goes on after any text", async ({ storage: { boards } }) => {
    await boards.create(sampleBoard("ideas"));
    for (const after of ["'", "' OR 1=1 --", "%", "_", "\\", "a/b", "z'", "\u{1F600}", "\uFFFD"]) {
      const listed = await boards.list({ after, limit: 9 });
      assertEquals(listed.length, after < "ideas" ? 1 : 0, after);
    }
  });

  for (const [where, hash] of Object.entries(HASHES)) {
    test(`keys whose hashes differ ${where} are told apart`, async ({ storage: { apiKeys } }) => {
      const [one, two] = [sampleKey("k1", { hash: HASH }), sampleKey("k2", { hash })];
      await apiKeys.create(one);
      assertEquals(await apiKeys.findByHash(hash), undefined);
      await apiKeys.create(two);
      assertEquals(await apiKeys.findByHash(HASH), one);
      assertEquals(await apiKeys.findByHash(hash), two);
    });
  }

  for (const [name, { store, find, change }] of Object.entries({ board: BOARDS, key: KEYS })) {
    for (const id of INHERITED) {
      test(`a ${name} called ${id} is unknown when none was stored`, async ({ storage }) => {
        await store(storage, "other");
        assertEquals(await find(storage, id), undefined);
        assertEquals(await change(storage, id), false);
      });
    }
  }
}

/** Boards that are equal but for their identifiers. */
function boardOf(id: string): ReturnType<typeof sampleBoard> {
  return sampleBoard(id, { name: "Board" });
}

function endings(text: string): [string, string] {
  return [`${text}1`, `${text}2`];
}

/** All of an address of 254 characters but the last one. */
function longDomain(): string {
  return `${"l".repeat(64)}@${"d".repeat(63)}.${"e".repeat(63)}.${"f".repeat(60)}`;
}
