import type { Decide, Decision, Refs, Storage } from "../../adapters/storage.ts";
import { WEBHOOK_MESSAGES } from "../../model/kinds.ts";
import { shareMeter } from "../../services/meter.ts";

/** Returns storage that wakes a worker once messages to webhooks were stored through it. */
export function waking(storage: Storage, wake: () => void): Storage {
  const result: Storage = {
    ...storage,
    async transact<R extends Refs, A>(refs: R, decide: Decide<R, A>) {
      let hasMessages = false;
      const answer = await storage.transact<R, A>(refs, (found) => {
        const decision = decide(found);
        hasMessages = storesMessages(refs, decision);
        return decision;
      });
      if (hasMessages) wake();
      return answer;
    },
  };
  shareMeter(storage, result);
  return result;
}

function storesMessages<R extends Refs, A>(refs: R, { put }: Decision<R, A>): boolean {
  for (const name in put) {
    if (refs[name].kind.name === WEBHOOK_MESSAGES.name && put[name] !== undefined) return true;
  }
  return false;
}
