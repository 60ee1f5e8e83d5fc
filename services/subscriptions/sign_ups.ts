import type { Storage } from "../../adapters/storage.ts";
import {
  type ErasedPerson,
  ERASURES,
  SETTINGS,
  SIGN_UPS,
  SUBSCRIPTIONS,
} from "../../model/kinds.ts";
import {
  applySubscriptionChange,
  type Subscription,
} from "../../model/subscriptions/subscription.ts";
import { toSubscriptionChange } from "../../model/subscriptions/subscription.ts";
import { readHistory } from "../../model/subscriptions/history.ts";
import { addMs } from "../../model/values/time.ts";
import { openAddressHash } from "./erased.ts";
import { transactWithEvents } from "../webhooks/events.ts";
import { meterOf } from "../meter.ts";
import { removeRecord } from "../records.ts";
import { eventOf } from "./subscriptions.ts";

/** What somebody has filled into the form. */
export interface SignUp {
  /** The normal form of the address. */
  readonly userEmail: string;
  /** `null` where no name is given. */
  readonly userName: string | null;
}

/** How many mails the form may cause in some time, by all processes on the storage. */
export interface SignUpRate {
  /** How many mails, from 1. */
  readonly requests: number;
  /** In how many seconds, from 1. */
  readonly windowSeconds: number;
}

/** What a link to confirm a sign-up seals. */
export interface Confirmation extends SignUp {
  /** Until when the link is valid (RFC 3339, UTC, milliseconds). */
  readonly expiresAt: string;
  /** What was on record of the person: a later opt-out or erasure ends the link. */
  readonly state: string;
}

/** The setting with the key that seals {@linkcode Confirmation}s. */
export const CONFIRM_KEY = "confirmKey";

const COUNT = "signUpsInWindow";
const DAY_MS = 24 * 3_600_000;
const VALID_MS = 7 * DAY_MS;

/**
 * Tells whether a mail may be sent for a sign-up, and counts it then: one a day for an address, and so
 * many in all. What is kept of the person for that day is a hash.
 */
export async function admitSignUp(
  storage: Storage,
  userEmail: string,
  limits: { readonly rate: SignUpRate; readonly at: string },
): Promise<boolean> {
  const isAdmitted = await admit(storage, userEmail, limits);
  meterOf(storage).count("boardcast_sign_ups_total", isAdmitted ? "mailed" : "withheld");
  return isAdmitted;
}

async function admit(
  storage: Storage,
  userEmail: string,
  { rate, at }: { readonly rate: SignUpRate; readonly at: string },
): Promise<boolean> {
  const signUpId = await (await openAddressHash(storage))(userEmail);
  // Most requests of a script end here, with two reads.
  if (isPending(await storage.get(SIGN_UPS, signUpId), at)) return false;
  if (countNext((await storage.get(SETTINGS, COUNT))?.value, { rate, at }) === undefined) {
    return false;
  }
  const refs = {
    signUp: { kind: SIGN_UPS, key: signUpId },
    count: { kind: SETTINGS, key: COUNT },
  };
  return await storage.transact(refs, ({ signUp, count }) => {
    const value = countNext(count?.value, { rate, at });
    if (isPending(signUp, at) || value === undefined) return { answer: false };
    const next = { signUpId, expiresAt: addMs(at, DAY_MS) };
    return { answer: true, put: { signUp: next, count: { settingId: COUNT, value } } };
  });
}

/** Forgets a sign-up for which no mail could be sent, so that the person may try again. */
export async function forgetSignUp(storage: Storage, userEmail: string): Promise<void> {
  const signUpId = await (await openAddressHash(storage))(userEmail);
  await removeRecord(storage, SIGN_UPS, signUpId);
}

/** Prepares what a link seals; `undefined` if the person is subscribed already. */
export async function prepareConfirmation(
  storage: Storage,
  { userEmail, userName }: SignUp,
  at: string,
): Promise<Confirmation | undefined> {
  const { subscription, erasure } = await readState(storage, userEmail);
  if (subscription?.subscribed) return undefined;
  const state = stateOf(subscription, erasure);
  return { userEmail, userName, expiresAt: addMs(at, VALID_MS), state };
}

/** Tells whether a link can be used at a time, which changes nothing. */
export async function isConfirmable(
  storage: Storage,
  { userEmail, expiresAt, state }: Confirmation,
  at: string,
): Promise<boolean> {
  if (at >= expiresAt) return false;
  const { subscription, erasure } = await readState(storage, userEmail);
  return subscription?.subscribed === true || stateOf(subscription, erasure) === state;
}

/** Subscribes who followed a link; returns whether they are subscribed then. */
export async function confirmSignUp(
  storage: Storage,
  { userEmail, userName, expiresAt, state }: Confirmation,
  at: string,
): Promise<boolean> {
  if (at >= expiresAt) return false;
  const refs = {
    subscription: { kind: SUBSCRIPTIONS, key: userEmail },
    erasure: { kind: ERASURES, key: await (await openAddressHash(storage))(userEmail) },
  };
  const type = "subscriber.subscribed";
  const change = toSubscriptionChange({
    ...{ userEmail, userName, subscribe: true, source: "form", at },
  });
  const outcome = await transactWithEvents<
    typeof refs,
    { readonly isSubscribed: boolean; readonly isNew: boolean }
  >(storage, refs, ({ subscription: current, erasure }) => {
    if (current?.subscribed) return { answer: { isSubscribed: true, isNew: false } };
    if (stateOf(current, erasure) !== state) {
      return { answer: { isSubscribed: false, isNew: false } };
    }
    const subscription = applySubscriptionChange(current, change);
    const events = [eventOf(type, subscription, at)];
    return { answer: { isSubscribed: true, isNew: true }, put: { subscription }, events };
  }, { types: [type], at });
  if (outcome.isNew) meterOf(storage).count("boardcast_sign_ups_total", "confirmed");
  return outcome.isSubscribed;
}

async function readState(storage: Storage, userEmail: string) {
  const erasureId = await (await openAddressHash(storage))(userEmail);
  const [subscription, erasure] = await Promise.all([
    storage.get(SUBSCRIPTIONS, userEmail),
    storage.get(ERASURES, erasureId),
  ]);
  return { subscription, erasure };
}

/** Returns a text that differs after each opt-out and erasure. */
function stateOf(subscription?: Subscription, erasure?: ErasedPerson): string {
  const events = subscription && readHistory(subscription.history);
  return [events?.length, events?.at(-1)?.at, erasure?.erasedAt].join();
}

/** Clocks may have been set back since. */
function isPending(signUp: { readonly expiresAt: string } | undefined, at: string): boolean {
  return signUp !== undefined && at < signUp.expiresAt && signUp.expiresAt <= addMs(at, 2 * DAY_MS);
}

/** Counts one more in the window that is on; `undefined` if it is full. */
function countNext(
  stored: string | undefined,
  { rate, at }: { readonly rate: SignUpRate; readonly at: string },
): string | undefined {
  const [since, count] = stored?.split(" ") ?? [at, "0"];
  const windowMs = rate.windowSeconds * 1_000;
  const isOn = at < addMs(since, windowMs) && since < addMs(at, windowMs);
  if (!isOn) return `${at} 1`;
  return Number(count) < rate.requests ? `${since} ${Number(count) + 1}` : undefined;
}
