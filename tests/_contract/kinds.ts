import type { AnyKind, Kind } from "../../model/kind.ts";

/** A record with a field of every type, with and without `null`. */
export interface Sample {
  readonly sampleId: string;
  readonly title: string;
  readonly note: string | null;
  readonly count: number;
  readonly size: number | null;
  readonly done: boolean;
  readonly approved: boolean | null;
  readonly dueAt: string;
  readonly doneAt: string | null;
  readonly tags: readonly string[];
  readonly order: readonly string[] | null;
  readonly data: { readonly [name: string]: unknown };
  readonly extra: { readonly [name: string]: unknown } | null;
}

/** Every type of field and every form of index; one field is named like a keyword of SQL. */
export const SAMPLES: Kind<Sample> = {
  name: "contractSamples",
  key: "sampleId",
  fields: {
    sampleId: "text",
    title: "text",
    note: "text?",
    count: "integer",
    size: "integer?",
    done: "boolean",
    approved: "boolean?",
    dueAt: "time",
    doneAt: "time?",
    tags: "texts",
    order: "texts?",
    data: "json",
    extra: "json?",
  },
  indexes: {
    byTitle: { by: "title" },
    byDue: { by: "dueAt" },
    open: { where: { done: false } },
    done: { where: { done: true }, by: "doneAt" },
    approvedWithoutSize: { where: { approved: true, size: null }, by: "dueAt" },
    seven: { where: { count: 7, note: "seven" } },
  },
};

/** The person whom a record is about. */
export interface Person {
  readonly email: string;
  readonly name: string | null;
  readonly active: boolean;
}

/** A kind whose records leave no trace when they are removed. */
export const PEOPLE: Kind<Person> = {
  name: "contractPeople",
  key: "email",
  fields: { email: "text", name: "text?", active: "boolean" },
  indexes: { active: { where: { active: true } } },
  personal: true,
};

/** A record that may be read late. */
export interface Token {
  readonly tokenId: string;
  readonly uses: number;
  readonly dueAt: string;
}

/** A kind whose records may be read late; an index has the name of one of another kind. */
export const TOKENS: Kind<Token> & { readonly staleMs: number } = {
  name: "contractTokens",
  key: "tokenId",
  fields: { tokenId: "text", uses: "integer", dueAt: "time" },
  indexes: { byDue: { by: "dueAt" } },
  staleMs: 50,
};

/** A number. */
export interface Counter {
  readonly counterId: string;
  readonly value: number;
}

/** The smallest kind. */
export const COUNTERS: Kind<Counter> = {
  name: "contractCounters",
  key: "counterId",
  fields: { counterId: "text", value: "integer" },
};

/**
 * The kinds of the contract's records. Boardcast has none of them, so `open` creates tables for
 * them if the store needs tables.
 */
export const CONTRACT_KINDS: readonly AnyKind[] = [SAMPLES, PEOPLE, TOKENS, COUNTERS];

/** Returns the time some minutes after the start of the samples. */
export function minute(minutes: number): string {
  return new Date(Date.UTC(2026, 10, 21, 10, minutes)).toISOString();
}

/** Returns a record without `null`, but for the fields given. */
export function sample(sampleId: string, rest: Partial<Sample> = {}): Sample {
  return {
    sampleId,
    title: `title-${sampleId}`.slice(0, 512),
    note: "A note",
    count: 1,
    size: 2,
    done: true,
    approved: false,
    dueAt: minute(0),
    doneAt: minute(1),
    tags: ["one", "two"],
    order: ["first"],
    data: { name: "value" },
    extra: { list: [1, null, true] },
    ...rest,
  };
}

/** Returns a record with `null` wherever its kind allows it. */
export function emptySample(sampleId: string): Sample {
  const none = { note: null, size: null, approved: null, doneAt: null, order: null, extra: null };
  return sample(sampleId, none);
}
