import type { SubscriptionOutcome } from "../../adapters/storage.ts";
import type { Tables } from "../../adapters/_tables.ts";
import { applySubscriptionChange, type Subscription } from "../../model/subscription.ts";
import { type Faults, inCalls, inRules, turn } from "./fault.ts";

/** Changes what `put` stores, and answers by it. */
function storing(
  tables: Tables,
  { previous, changed, subscription }: SubscriptionOutcome,
  rest: Partial<Subscription>,
): SubscriptionOutcome {
  const next = { ...subscription, ...rest };
  assign(tables, next);
  return { previous, changed, subscription: next };
}

/** Faults of storage for subscriptions. */
export const SUBSCRIPTION_FAULTS: Faults = {
  "undoes an opt-out where an import must keep it": inRules("subscriptions", (sound) => ({
    put: (change) => sound.put({ ...change, keepUnsubscribed: false }),
  })),

  "lets no import unsubscribe": inRules("subscriptions", (sound) => ({
    put: (change) =>
      sound.put({ ...change, subscribe: change.subscribe || change.keepUnsubscribed === true }),
  })),

  "subscribes every new address": inRules("subscriptions", (sound, tables) => ({
    put(change) {
      const outcome = sound.put(change);
      return outcome.previous ? outcome : storing(tables, outcome, { subscribed: true });
    },
  })),

  "tells of a change where nothing changes": inRules("subscriptions", (sound) => ({
    put: (change) => ({ ...sound.put(change), changed: true }),
  })),

  "tells of no change where only the name changes": inRules("subscriptions", (sound) => ({
    put(change) {
      const outcome = sound.put(change);
      const changed = outcome.previous?.subscribed !== outcome.subscription.subscribed;
      return { ...outcome, changed };
    },
  })),

  "does not tell the state before": inRules("subscriptions", (sound) => ({
    put: (change) => ({ ...sound.put(change), previous: undefined }),
  })),

  "tells the state after as the one before": inRules("subscriptions", (sound) => ({
    put(change) {
      const outcome = sound.put(change);
      return { ...outcome, previous: outcome.previous && outcome.subscription };
    },
  })),

  "moves updatedAt when nothing changes": inRules("subscriptions", (sound, tables) => ({
    put: (change) => storing(tables, sound.put(change), { updatedAt: change.at }),
  })),

  "leaves updatedAt where it was": inRules("subscriptions", (sound, tables) => ({
    put(change) {
      const outcome = sound.put(change);
      const { updatedAt } = outcome.previous ?? outcome.subscription;
      return storing(tables, outcome, { updatedAt });
    },
  })),

  "moves createdAt with every change": inRules("subscriptions", (sound, tables) => ({
    put(change) {
      const outcome = sound.put(change);
      return storing(tables, outcome, { createdAt: outcome.subscription.updatedAt });
    },
  })),

  "does not take over since when an address is recorded": inRules("subscriptions", (sound) => ({
    put: (change) => sound.put({ ...change, createdAt: undefined }),
  })),

  "drops the name when none is given": inRules("subscriptions", (sound, tables) => ({
    put: (change) => storing(tables, sound.put(change), { userName: change.userName }),
  })),

  "never takes another name": inRules("subscriptions", (sound) => ({
    put(change) {
      const stored = sound.get(change.userEmail);
      return sound.put({ ...change, userName: stored?.userName ?? change.userName });
    },
  })),

  "lets the latest time decide, not the last call": inRules("subscriptions", (sound) => ({
    put(change) {
      const previous = sound.get(change.userEmail);
      if (previous === undefined || previous.updatedAt <= change.at) return sound.put(change);
      return { subscription: previous, previous, changed: false };
    },
  })),

  "reads a subscription some time before it writes it": inCalls(
    "subscriptions",
    (sound, tables) => ({
      async put(change) {
        const previous = await sound.get(change.userEmail);
        const subscription = applySubscriptionChange(previous, change);
        await turn();
        assign(tables, subscription);
        return { subscription, previous, changed: subscription !== previous };
      },
    }),
  ),

  "stores the state and the name one after the other": inCalls("subscriptions", (sound) => ({
    async put(change) {
      const first = await sound.put({ ...change, userName: null });
      await turn();
      const { subscription, changed } = await sound.put(change);
      return { subscription, previous: first.previous, changed: first.changed || changed };
    },
  })),

  "answers null for an address that is unknown": inRules("subscriptions", (sound) => ({
    get: (userEmail) => sound.get(userEmail) ?? null as never,
  })),

  "claims to have erased an address that is unknown": inRules("subscriptions", (sound) => ({
    erase: (userEmail) => sound.erase(userEmail) || true,
  })),

  "looks for an address some time before it erases it": inCalls("subscriptions", (sound) => ({
    async erase(userEmail) {
      const found = await sound.get(userEmail);
      await turn();
      await sound.erase(userEmail);
      return found !== undefined;
    },
  })),

  "keeps the opt-out of an erased address": inRules("subscriptions", (sound) => ({
    erase(userEmail) {
      return (sound.get(userEmail))?.subscribed === true && sound.erase(userEmail);
    },
  })),

  "keeps listing an erased address": inRules("subscriptions", (sound) => {
    const erased: Subscription[] = [];
    return {
      erase(userEmail) {
        const found = sound.get(userEmail);
        if (found) erased.push(found);
        return sound.erase(userEmail);
      },
      list: (query) => [...sound.list(query), ...erased].slice(0, query.limit),
    };
  }),

  "knows the name of an erased address again": inRules("subscriptions", (sound) => {
    const names = new Map<string, string | null>();
    return {
      erase(userEmail) {
        names.set(userEmail, (sound.get(userEmail))?.userName ?? null);
        return sound.erase(userEmail);
      },
      put: (change) =>
        sound.put({ ...change, userName: change.userName ?? names.get(change.userEmail) ?? null }),
    };
  }),

  "lists addresses of every state when one is asked for": inRules("subscriptions", (sound) => ({
    list: ({ after, limit }) => sound.list({ after, limit }),
  })),

  "takes the state false for none when it lists": inRules("subscriptions", (sound) => ({
    list: ({ subscribed, ...page }) => sound.list({ ...page, subscribed: subscribed || undefined }),
  })),

  "cuts a page before it picks those of the state": inRules("subscriptions", (sound) => ({
    list({ subscribed, ...page }) {
      const found = sound.list(page);
      return found.filter((one) => subscribed === undefined || one.subscribed === subscribed);
    },
  })),

  "lists an address by the state in which it was recorded first": inRules(
    "subscriptions",
    (sound) => {
      const states = new Map<string, boolean>();
      return {
        put(change) {
          const outcome = sound.put(change);
          const { userEmail, subscribed } = outcome.subscription;
          if (outcome.previous === undefined) states.set(userEmail, subscribed);
          return outcome;
        },
        list({ subscribed, ...page }) {
          if (subscribed === undefined) return sound.list(page);
          const found = sound.list({ ...page, limit: Infinity });
          return found.filter((one) => states.get(one.userEmail) === subscribed)
            .slice(0, page.limit);
        },
      };
    },
  ),

  "looks up which addresses to list some time before their records": inCalls(
    "subscriptions",
    (sound, { subscriptions }) => ({
      async list(query) {
        const found = await sound.list(query);
        await turn();
        return found.flatMap(({ userEmail }) => subscriptions.get(userEmail) ?? []);
      },
    }),
  ),
};

function assign(tables: Tables, subscription: Subscription): void {
  tables.assign({ table: "subscriptions", key: subscription.userEmail, next: subscription });
}
