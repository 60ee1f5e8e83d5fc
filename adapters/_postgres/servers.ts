/** State that the clients of one storage share about their servers. */
export interface Servers {
  /** The greatest timeline seen so far. Each promotion of a standby starts the next timeline. */
  timeline: number;
  /**
   * Resolves when a client may connect: at once, unless many attempts have followed each other
   * without a reply. An attempt that is no longer wanted takes no turn.
   */
  admit(isWanted: () => boolean): Promise<void>;
  /** Reports that a server has answered, which admits all clients. */
  answered(): void;
}

interface Attempt {
  readonly isWanted: () => boolean;
  readonly admit: () => void;
}

// More than the connections of one storage, which may all open before the first reply.
const MAX_UNANSWERED = 25;
// A pooler that ends connections while they start would otherwise get thousands in a second.
const PAUSE_MS = 50;

/** Creates the state of servers that have not answered yet. */
export function createServers(): Servers {
  const waiting: Attempt[] = [];
  let unanswered = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function admitNext(): void {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      next.admit();
      if (next.isWanted()) break;
    }
    timer = waiting.length === 0 ? undefined : setTimeout(admitNext, PAUSE_MS);
  }

  return {
    timeline: 0,
    admit(isWanted) {
      if (++unanswered <= MAX_UNANSWERED) return Promise.resolve();
      timer ??= setTimeout(admitNext, PAUSE_MS);
      return new Promise((admit) => waiting.push({ isWanted, admit }));
    },
    answered() {
      unanswered = 0;
      for (const { admit } of waiting.splice(0)) admit();
    },
  };
}
