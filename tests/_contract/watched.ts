import type { Refs, Storage } from "../../adapters/storage.ts";

const SHOWN_CALLS = 5;
const SHOWN_LENGTH = 300;

/** Watches over the calls of one test: none of them hangs, and a failure says where it was. */
export interface Watch {
  /** Returns the storage with each call limited in time, and remembered. */
  storage(storage: Storage): Storage;
  /** Limits what isn't a call of storage in time. */
  limit<T>(name: string, call: () => T | Promise<T>): Promise<T>;
  /** Returns the error with the calls that came before it. */
  explain(error: unknown): Error;
}

/** Makes a call, and rejects if it takes longer than `timeoutMs`. */
export async function limit<T>(
  timeoutMs: number,
  name: string,
  call: () => T | Promise<T>,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const message = `${name} did not settle within ${timeoutMs} ms`;
    timer = setTimeout(() => reject(new Error(message)), timeoutMs);
  });
  try {
    return await Promise.race([call(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Creates a watch that fails what takes longer than `timeoutMs`. */
export function createWatch(timeoutMs: number): Watch {
  const calls: string[] = [];
  let instances = 0;

  return {
    limit: (name, call) => limit(timeoutMs, name, call),
    storage(storage) {
      const instance = ++instances === 1 ? "" : ` of instance ${instances}`;

      function watch<T>(name: string, input: string, call: () => Promise<T>): Promise<T> {
        const text = `${calls.length + 1}: ${name}(${input})${instance}`;
        calls.push(text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text);
        return limit(timeoutMs, `Call ${calls.at(-1)}`, () => {
          try {
            return call();
          } catch (error) {
            throw new Error(`${name} threw instead of rejecting`, { cause: error });
          }
        });
      }

      return {
        get: (kind, key) => watch("get", nameOf(kind.name, key), () => storage.get(kind, key)),
        list: (kind, query) =>
          watch("list", `${kind.name} ${JSON.stringify(query)}`, () => storage.list(kind, query)),
        transact: (refs, decide) =>
          watch("transact", namesOf(refs), () => storage.transact(refs, decide)),
        ping: () => watch("ping", "", () => storage.ping()),
        close: () => watch("close", "", () => storage.close()),
      };
    },
    explain(error) {
      const { message } = error instanceof Error ? error : new Error(String(error));
      const last = calls.slice(-SHOWN_CALLS).map((call) => `  ${call}`);
      const [what] = message.split("\n", 1);
      return new Error(`${what}\nThe last calls were:\n${last.join("\n")}`, { cause: error });
    },
  };
}

function namesOf(refs: Refs): string {
  return Object.values(refs).map(({ kind, key }) => nameOf(kind.name, key)).join(", ");
}

function nameOf(kindName: string, key: string): string {
  return `${kindName} ${JSON.stringify(key)}`;
}
