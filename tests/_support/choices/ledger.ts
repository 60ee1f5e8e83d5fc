import { assert, assertEquals } from "@std/assert";
import type { Process } from "./world.ts";

/** A mail that the relay took. */
export interface Taken {
  readonly process: Process;
  readonly email: string;
  /** The entries in it. */
  readonly content: string;
  /** The key of its delivery. */
  readonly mailing: string;
  /** The time of the relay's reply; `undefined` before it. */
  answeredMs: number | undefined;
}

/** The moment at which a process ended or paused. */
export interface End {
  readonly process: Process;
  /** The number of mails that the relay had taken by then. */
  readonly at: number;
  readonly atMs: number;
}

const MAX_IN_FLIGHT = 100;
// A process stores the answer to a mail within this time.
const STORED_MS = 5_000;

/**
 * Counts the mails that arrived twice. Fails if such a mail was not in flight when its process
 * ended, or if one entry arrived in two different mails.
 */
export function countRepeats(ledger: readonly Taken[], ends: readonly End[]): number {
  const inFlight = new Set(ends.flatMap(({ process, at, atMs }) => {
    const own = ledger.slice(0, at).filter((one) => one.process === process);
    const open = own.filter(({ answeredMs = Infinity }) => answeredMs > atMs - STORED_MS);
    return [...open, ...own.slice(-MAX_IN_FLIGHT)];
  }));
  const mails = new Map<string, Taken>();
  const mailings = new Map<string, string>();
  let repeats = 0;
  for (const one of ledger) {
    const { email, mailing } = one;
    for (const id of one.content.split(",")) {
      assertEquals(mailings.get(`${email} ${id}`) ?? mailing, mailing, `${email} got ${id} again`);
      mailings.set(`${email} ${id}`, mailing);
    }
    const before = mails.get(`${email} ${mailing}`);
    mails.set(`${email} ${mailing}`, one);
    if (before === undefined) continue;
    repeats++;
    assert(inFlight.has(before), `${email} got ${mailing} twice, though its process went on`);
  }
  assert(repeats <= MAX_IN_FLIGHT * ends.length, `${repeats} repeats`);
  return repeats;
}
