import { assert } from "@std/assert";
import type { SignUpService } from "./sign_ups.ts";

/** An action of a person or operator about one sign-up, which has been mailed. */
export type Step = "confirm" | "opt out" | "leave" | "erase";

/** The records of the person after some steps. */
interface State {
  /** The person's states in order; `undefined` if there is no record. */
  readonly history: readonly string[] | undefined;
  /** Whether an opt-out or an erasure happened after the mail. */
  readonly isEnded: boolean;
  /** Whether the sign-up still waits for its confirmation. */
  readonly waits: boolean;
}

/** The outcome of each step if nothing else happens at the same time. */
const RULES: Readonly<Record<Step, (state: State) => readonly [answer: string, next: State]>> = {
  confirm(state) {
    if (isSubscribed(state)) return ["200", state];
    if (state.isEnded) return ["410", state];
    return ["200", { ...change(state, "true form"), waits: false }];
  },
  "opt out"(state) {
    return state.history?.at(-1)?.startsWith("false")
      ? ["200 false", state]
      : ["200 true", { ...change(state, "false api"), isEnded: true }];
  },
  leave(state) {
    return isSubscribed(state)
      ? ["200", { ...change(state, "false link"), isEnded: true }]
      : ["200", state];
  },
  erase({ history, waits }) {
    const isKnown = history !== undefined || waits;
    return [isKnown ? "204" : "404", { history: undefined, isEnded: true, waits: false }];
  },
};

function isSubscribed({ history }: State): boolean {
  return history?.at(-1)?.startsWith("true") ?? false;
}

function change(state: State, event: string): State {
  return { ...state, history: [...state.history ?? [], event] };
}

/** Takes a step through one of several servers, and returns its answer. */
export async function take(
  step: Step,
  { service, userEmail, link, unsubscribeLink }: {
    readonly service: SignUpService;
    readonly userEmail: string;
    readonly link: string;
    readonly unsubscribeLink: string;
  },
): Promise<string> {
  switch (step) {
    case "confirm":
      return `${(await service.follow(link)).status}`;
    case "leave":
      return `${(await service.follow(unsubscribeLink)).status}`;
    case "erase": {
      const response = await service.send("DELETE", `changelogs/subscribers/${userEmail}`);
      await response.body?.cancel();
      return `${response.status}`;
    }
    case "opt out": {
      const form = { userEmail, subscribe: "false" };
      const response = await service.send("PUT", "changelogs/subscribe", { form });
      return `${response.status} ${(await response.json()).changed}`;
    }
  }
}

/** Describes the stored state of a person, and the page behind the link. */
export async function look(
  service: SignUpService,
  { userEmail, link }: { readonly userEmail: string; readonly link: string },
): Promise<string> {
  const response = await service.send("GET", `changelogs/subscribers/${userEmail}`);
  const { subscribed, source, history } = await response.json();
  const events = history?.map((event: Record<string, unknown>) =>
    `${event.subscribed} ${event.source}`
  );
  const shown = response.ok ? [`${subscribed} ${source}`, ...events].join() : "nobody";
  return `${shown}; ${(await service.follow(link, "GET")).status}`;
}

function describe(state: State): string {
  const { history } = state;
  const shown = history === undefined ? "nobody" : [history.at(-1), ...history].join();
  return `${shown}; ${isSubscribed(state) || !state.isEnded ? 200 : 410}`;
}

/** Checks that some order of the steps explains every answer and the final state. */
export function assertOrdered(
  steps: readonly (readonly [step: Step, answer: string])[],
  seen: string,
  message: string,
): void {
  const start: State = { history: undefined, isEnded: false, waits: true };
  const found = `${message}: ${steps.map((step) => step.join(": ")).join(", ")}, then ${seen}`;
  assert(isPossible(start, steps, seen), found);
}

function isPossible(
  state: State,
  steps: readonly (readonly [step: Step, answer: string])[],
  seen: string,
): boolean {
  if (steps.length === 0) return describe(state) === seen;
  return steps.some(([step, answer], at) => {
    const [expected, next] = RULES[step](state);
    return expected === answer && isPossible(next, steps.toSpliced(at, 1), seen);
  });
}
