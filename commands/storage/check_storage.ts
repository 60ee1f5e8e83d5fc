import {
  type AnyKind,
  copyRecord,
  indexEntries,
  type Item,
  KINDS,
  MAX_LIST_LIMIT,
  type Position,
  type Storage,
} from "../../mod.ts";
import { crc32 } from "../../model/crypto/crc32.ts";
import {
  IMAGES,
  SUBSCRIPTIONS,
  WEBHOOK_LISTS,
  type WebhookList,
  WEBHOOKS,
} from "../../model/kinds.ts";
import type { RecordReference } from "../../model/kind.ts";
import { fillIn } from "../../model/steps.ts";
import { parseHistory, readHistory } from "../../model/subscriptions/history.ts";
import { SUBSCRIPTION_SOURCES } from "../../model/subscriptions/subscription.ts";
import { Refusal } from "../../model/values/refusal.ts";
import { readImage } from "../../services/images/images.ts";
import { readPages } from "../../services/records.ts";

/**
 * A summary of records that does not depend on their order: their number, and the sum of their
 * checksums.
 */
interface Tally {
  count: number;
  sum: number;
}

const encoder = new TextEncoder();

/**
 * Reads all records of a storage in every order, and yields each fault as a line for people. Calls
 * `onRead` with the number of records of each kind.
 */
export async function* checkRecords(
  storage: Storage,
  onRead: (kind: AnyKind, count: number) => void,
): AsyncGenerator<string> {
  for (const kind of KINDS) {
    const tallies = new Map(
      Object.keys(kind.indexes ?? {}).map((name) => [name, { count: 0, sum: 0 }]),
    );
    let count = 0;
    for await (const stored of readPages(storage, kind)) {
      const page = stored.map((record) => fillIn(kind, record));
      count += page.length;
      for (const record of page) {
        const fault = faultOf(kind, record);
        const problem = fault ?? unreadableIn(kind, record);
        if (problem !== undefined) yield `${nameOf(kind, record)}: ${problem}`;
        if (fault !== undefined) continue;
        for (const name of indexEntries(kind, record).keys()) add(tallies.get(name)!, record);
      }
      yield* checkOrder(kind, page, (record) => ({ key: String(record[kind.key]) }));
      yield* checkReferences(storage, kind, page);
    }
    for (const [index, expected] of tallies) yield* checkIndex(storage, { kind, index }, expected);
    onRead(kind, count);
  }
  yield* checkImages(storage);
  yield* checkWebhookList(storage);
}

/**
 * Checks that an index contains the expected records in order, and that their stored count is
 * right.
 */
async function* checkIndex(
  storage: Storage,
  { kind, index }: { readonly kind: AnyKind; readonly index: string },
  expected: Tally,
): AsyncGenerator<string> {
  const found = { count: 0, sum: 0 };
  const positionOf = (record: Item) => indexEntries(kind, record).get(index);
  for await (const stored of readPages(storage, kind, { index })) {
    const page = stored.map((record) => fillIn(kind, record));
    for (const record of page) {
      add(found, record);
      if (positionOf(record) !== undefined) continue;
      yield `${nameOf(kind, record)} is in the index ${index}, and should not be`;
      return;
    }
    yield* checkOrder(kind, page, positionOf);
  }
  const name = `the index ${index} of ${kind.name}`;
  if (found.count !== expected.count) {
    yield `${name} has ${found.count} records, and should have ${expected.count}`;
  } else if (found.sum !== expected.sum) {
    yield `${name} has records that are not what they are by key`;
  }
  const count = await storage.count?.(kind, index);
  if (count !== undefined && count !== expected.count) {
    yield `${name} is said to have ${count} records, and has ${expected.count}`;
  }
}

function* checkOrder(
  kind: AnyKind,
  page: readonly Item[],
  positionOf: (record: Item) => Position | undefined,
): Generator<string> {
  const texts = page.map((record) => {
    const { by = "", key } = positionOf(record) ?? { key: "" };
    return `${by}\0${key}`;
  });
  const at = texts.findIndex((text, i) => i > 0 && text <= texts[i - 1]);
  if (at > 0) yield `${nameOf(kind, page[at])} comes after one that it should precede`;
}

async function* checkReferences(
  storage: Storage,
  kind: AnyKind,
  page: readonly Item[],
): AsyncGenerator<string> {
  const { references = {} } = kind;
  for (const [field, reference] of Object.entries<RecordReference<Item> | undefined>(references)) {
    const { to = "", where = {} } = reference ?? {};
    const target = KINDS.find(({ name }) => name === to)!;
    const named = page.filter((record) =>
      record[field] !== null && Object.entries(where).every(([name, it]) => record[name] === it)
    );
    const found = await Promise.all(
      named.map((record) => storage.get(target, String(record[field]))),
    );
    for (const [at, record] of named.entries()) {
      if (found[at] === undefined) {
        yield `${nameOf(kind, record)}: there is no ${String(record[field])} in ${to}`;
      }
    }
  }
}

/** Checks that every image has its bytes. */
async function* checkImages(storage: Storage): AsyncGenerator<string> {
  for await (const page of readPages(storage, IMAGES)) {
    for (const image of page) {
      let bytes = 0;
      try {
        for await (const part of readImage(storage, image)) bytes += part.length;
        if (bytes === image.bytes) continue;
        yield `images ${image.imageId}: it has ${bytes} bytes, and should have ${image.bytes}`;
      } catch (error) {
        yield `images ${image.imageId}: ${(error as Error).message}`;
      }
    }
  }
}

async function* checkWebhookList(storage: Storage): AsyncGenerator<string> {
  const [list] = await storage.list<WebhookList>(WEBHOOK_LISTS, { limit: 1 });
  const webhooks = await storage.list(WEBHOOKS, { limit: MAX_LIST_LIMIT });
  const enabled = webhooks.filter((webhook) => webhook.enabled).map(({ webhookId }) => webhookId);
  const listed = (list?.enabled ?? []).map(({ webhookId }) => webhookId);
  if ((list?.count ?? 0) === webhooks.length && enabled.sort().join() === listed.sort().join()) {
    return;
  }
  yield "webhookLists: the list is not that of the webhooks there are";
}

function faultOf(kind: AnyKind, record: Item): string | undefined {
  try {
    copyRecord(kind, record);
  } catch (error) {
    return (error as Error).message;
  }
}

/** Returns the reason why this program can't read a record's values; `undefined` if it can. */
function unreadableIn(kind: AnyKind, record: Item): string | undefined {
  if (kind === SUBSCRIPTIONS) {
    const events = readHistory(`${record.history}`);
    if (parseHistory(events, SUBSCRIPTION_SOURCES) instanceof Refusal) {
      return "history can't be read";
    }
  }
  for (const [name, known] of Object.entries<readonly unknown[] | undefined>(kind.words ?? {})) {
    const unknown = [record[name] ?? []].flat().find((word) => known?.includes(word) === false);
    if (unknown !== undefined) return `${name} is "${unknown}", which this program doesn't know`;
  }
}

function nameOf(kind: AnyKind, record: Item): string {
  return `${kind.name} ${String(record[kind.key])}`;
}

function add(tally: Tally, record: Item): void {
  tally.count++;
  tally.sum = (tally.sum + crc32(encoder.encode(JSON.stringify(record)))) % 2 ** 32;
}
