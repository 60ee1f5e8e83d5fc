import type { Call } from "./calls.ts";
import { tooSlow } from "./errors.ts";

/**
 * How operations on one record share it: those of the same kind, `read` or `put`, may be under
 * way together, since their batches keep them in order; a `write` has the record to itself.
 */
export type OrderKind = "read" | "put" | "write";

/** Lets operations on the same record take effect in the order in which they were called. */
export interface Order {
  /** Runs an operation on the record `key` once those called before it allow it. */
  run<T>(key: string, kind: OrderKind, call: Call, operation: () => Promise<T>): Promise<T>;
}

interface Turn {
  kind: OrderKind;
  underWay: number;
  readonly waiting: { readonly kind: OrderKind; readonly start: () => void }[];
}

/** Creates an order over the records of one table. */
export function createOrder(): Order {
  const turns = new Map<string, Turn>();

  function run<T>(
    key: string,
    kind: OrderKind,
    call: Call,
    operation: () => Promise<T>,
  ): Promise<T> {
    const turn = turns.get(key);
    if (turn === undefined) {
      const fresh: Turn = { kind, underWay: 0, waiting: [] };
      turns.set(key, fresh);
      return start(fresh, operation);
    }
    if (turn.kind === kind && kind !== "write" && turn.waiting.length === 0) {
      return start(turn, operation);
    }
    return new Promise((resolve, reject) => {
      turn.waiting.push({
        kind,
        start: () => start(turn, call.expired ? skip<T> : operation).then(resolve, reject),
      });
    });

    function start<T>(turn: Turn, operation: () => Promise<T>): Promise<T> {
      turn.underWay++;
      const result = operation();
      result.then(() => leave(key, turn), () => leave(key, turn));
      return result;
    }
  }

  function leave(key: string, turn: Turn): void {
    turn.underWay--;
    if (turn.underWay > 0) return;
    if (turn.waiting.length === 0) {
      turns.delete(key);
      return;
    }
    const { kind } = turn.waiting[0];
    turn.kind = kind;
    const others = turn.waiting.findIndex((next) => next.kind !== kind);
    const count = kind === "write" ? 1 : others < 0 ? turn.waiting.length : others;
    for (const next of turn.waiting.splice(0, count)) next.start();
  }

  return { run };
}

function skip<T>(): Promise<T> {
  return Promise.reject(tooSlow());
}
