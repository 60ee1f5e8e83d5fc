import { openTables, type Tables } from "../../adapters/_tables.ts";
import { changeCalls, type Fault, type Faults, inAllCalls, isRead, turn } from "./fault.ts";
import { type AnyRecord, keyOf } from "./listings.ts";

/** Changes all records that an answer holds. */
function mapRecords(answer: unknown, change: (record: AnyRecord) => AnyRecord): unknown {
  if (Array.isArray(answer)) return answer.map((one) => mapRecords(one, change));
  if (typeof answer !== "object" || answer === null) return answer;
  if (!("changed" in answer)) return change(answer as AnyRecord);
  const parts = Object.entries(answer);
  return Object.fromEntries(parts.map(([name, part]) => [name, mapRecords(part, change)]));
}

/** A fault of all records that are handed out. */
function inRecords(change: (record: AnyRecord) => AnyRecord): Fault {
  return inAllCalls((call) => async (...input) => mapRecords(await call(...input), change));
}

/** A fault of all texts in records. */
function inTexts(change: (text: string, field: string) => unknown): Fault {
  return inRecords((record) =>
    Object.fromEntries(
      Object.entries(record).map((
        [field, value],
      ) => [field, typeof value === "string" ? change(value, field) : value]),
    )
  );
}

function inTimes(change: (time: string) => string): Fault {
  return inTexts((text, field) => field.endsWith("At") ? change(text) : text);
}

function inWords(change: (text: string) => unknown): Fault {
  return inTexts((text, field) =>
    /^(?:userN|n)ame$|^description$/.test(field) ? change(text) : text
  );
}

/** Faults of what is done to records. */
export const RECORD_FAULTS: Faults = {
  "hands out the objects that it keeps": (tables) => {
    const copies = new WeakMap<AnyRecord, AnyRecord>();
    return inRecords((record) => {
      if (!copies.has(record)) copies.set(record, structuredClone(record));
      return copies.get(record)!;
    })(tables);
  },

  "changes the objects that it has handed out": (tables) => {
    const handedOut: AnyRecord[] = [];
    return changeCalls(openTables(tables), (call, name) => async (...input) => {
      const answer = await call(...input);
      if (!isRead(name)) { for (const record of handedOut) update(record, tables); }
      return mapRecords(answer, (record) => {
        const copy = structuredClone(record);
        handedOut.push(copy);
        return copy;
      });
    });
  },

  "reads what it was given when it comes to it": (tables) => {
    const sound = openTables(tables);
    return {
      ...changeCalls(sound, (call) => async (...input) => {
        await turn();
        return call(...input);
      }),
      close: () => turn().then(sound.close),
    };
  },

  "writes to the objects that it is given": inAllCalls((call) => async (...input) => {
    // What stands there already: the samples of the contract serve for other storages too.
    for (const given of input) if (typeof given === "object") Object.assign(given!, given);
    return await call(...input);
  }),

  "composes the characters of texts": inWords((text) => text.normalize()),
  "takes texts for JSON": inWords(parse),
  "takes texts for what stands between white space": inWords((text) =>
    text.replaceAll(/\s+/g, " ")
  ),
  "writes texts small": inWords((text) => text.toLowerCase()),
  "cuts texts to 100 characters": inTexts((text) => text.slice(0, 100)),
  "keeps no milliseconds": inTimes((time) => time.replace(/\.\d+/, ".000")),
  "moves times out of an hour that clocks skip": inTimes((time) =>
    time.replace(/-(08|29)T02/, "-$1T03")
  ),
};

function update(record: AnyRecord, { boards, subscriptions, apiKeys }: Tables): void {
  const table = "boardId" in record ? boards : "keyId" in record ? apiKeys : subscriptions;
  Object.assign(record, table.get(keyOf(record)));
}

function parse(text: string): unknown {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}
