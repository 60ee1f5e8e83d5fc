import type { Ref, Storage } from "../adapters/storage.ts";
import type { Delivery } from "../model/delivery.ts";
import { DEFERRALS, DELIVERIES, FAILURES, SUBSCRIPTIONS } from "../model/kinds.ts";
import { deferralIdOf } from "../model/mail_outcome.ts";
import { previousAddress } from "./subscriptions.ts";

// Two references for each of them fit into a transaction.
const MAX_TRACES = 20;

/**
 * Removes everything stored about the address, including the opt-out; returns whether there was
 * anything.
 */
export async function eraseSubscription(storage: Storage, userEmail: string): Promise<boolean> {
  let wasThere: boolean | undefined;
  while (true) {
    const traces = await findTraces(storage, userEmail);
    // Once there is no subscription, no delivery leaves more of them.
    if (wasThere !== undefined && traces.entryIds.length === 0) return wasThere;
    const found = await erase(storage, userEmail, traces);
    wasThere ??= found;
  }
}

/** The deliveries that know an address, of which there are few at a time. */
interface Traces {
  readonly entryIds: readonly string[];
  /** What takes the place of the address as a cursor. */
  readonly previous: string | undefined;
}

async function findTraces(storage: Storage, userEmail: string): Promise<Traces> {
  const after = { by: userEmail, key: "" };
  const [deliveries, deferrals, previous] = await Promise.all([
    storage.list(DELIVERIES, { index: "byCursor", after, limit: MAX_TRACES }),
    storage.list(DEFERRALS, { index: "byPerson", after, limit: MAX_TRACES }),
    previousAddress(storage, userEmail),
  ]);
  const traces = [
    ...deliveries.filter(({ cursor }) => cursor === userEmail),
    ...deferrals.filter((deferral) => deferral.userEmail === userEmail),
  ];
  return { entryIds: [...new Set(traces.map(({ entryId }) => entryId))], previous };
}

/** Erases an address; returns whether it was there, or `undefined` to be asked again. */
function erase(
  storage: Storage,
  userEmail: string,
  { entryIds, previous }: Traces,
): Promise<boolean | undefined> {
  const refs: EraseRefs = {
    subscription: { kind: SUBSCRIPTIONS, key: userEmail },
    failure: { kind: FAILURES, key: userEmail },
    ...(previous === undefined ? {} : { previous: { kind: SUBSCRIPTIONS, key: previous } }),
    ...Object.fromEntries(entryIds.flatMap((entryId) => [
      [`delivery ${entryId}`, { kind: DELIVERIES, key: entryId }],
      [`deferral ${entryId}`, { kind: DEFERRALS, key: deferralIdOf(entryId, userEmail) }],
    ])),
  };
  return storage.transact<EraseRefs, boolean | undefined>(refs, (found) => {
    // It was erased as well.
    if (previous !== undefined && found.previous === undefined) return { answer: undefined };
    const put: { [delivery: `delivery ${string}`]: Delivery } = {};
    for (const entryId of entryIds) {
      const delivery = found[`delivery ${entryId}`];
      if (delivery === undefined || delivery.finishedAt !== null) continue;
      const deferred = delivery.deferred - Number(found[`deferral ${entryId}`] !== undefined);
      const cursor = delivery.cursor === userEmail ? previous ?? null : delivery.cursor;
      put[`delivery ${entryId}`] = { ...delivery, deferred, cursor };
    }
    const deferrals = entryIds.map((entryId) => `deferral ${entryId}` as const);
    const answer = found.subscription !== undefined;
    return { answer, put, remove: ["subscription", "failure", ...deferrals] };
  });
}

type EraseRefs = {
  readonly subscription: Ref<typeof SUBSCRIPTIONS>;
  readonly failure: Ref<typeof FAILURES>;
  /** Absent if no address comes before. */
  readonly previous?: Ref<typeof SUBSCRIPTIONS>;
  readonly [delivery: `delivery ${string}`]: Ref<typeof DELIVERIES>;
  readonly [deferral: `deferral ${string}`]: Ref<typeof DEFERRALS>;
};
