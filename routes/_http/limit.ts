import type { Outcome } from "./operation.ts";
import { Problem, RETRY_SOON } from "./problem.ts";
import { isStream, onEnd } from "./reply.ts";

/** Carries out a request, unless too many are under way: the caller should then try again later. */
export type Limit = (run: () => Outcome | Promise<Outcome>) => Promise<Outcome>;

/**
 * Creates a limit of concurrent requests; `what` names them in messages. A request is under way
 * until its reply has been sent.
 */
export function createLimit(most: number, what: string): Limit {
  const busy = new Problem("rate_limited", `${most} ${what} are under way; try again later`, {
    headers: RETRY_SOON,
  });
  let count = 0;

  function end(): void {
    count--;
  }

  return async (run) => {
    if (count === most) return busy;
    count++;
    let outcome: Outcome;
    try {
      outcome = await run();
    } catch (error) {
      end();
      throw error;
    }
    if (typeof outcome === "object" && !(outcome instanceof Problem) && isStream(outcome.body)) {
      return { ...outcome, body: onEnd(outcome.body, end) };
    }
    end();
    return outcome;
  };
}
