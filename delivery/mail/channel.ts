import { lastWeek, type Week } from "../../model/deliveries/week.ts";
import { remember } from "../../model/lazy.ts";
import { DELIVERIES, ENTRIES, SUBSCRIPTIONS } from "../../model/kinds.ts";
import { PEOPLE } from "../../model/posts/records.ts";
import { mailboxOf } from "../../model/posts/vote.ts";
import { getPublished } from "../../services/entries/catalogue.ts";
import { isUnplanned, planWeek } from "../../services/deliveries/weekly.ts";
import { countRecipients } from "../../services/deliveries/counts.ts";
import { prepareWeeklyMail } from "./weekly_mail.ts";
import type { Entry } from "../../model/entries/entry.ts";
import type { Delivery } from "../../model/deliveries/delivery.ts";
import { nextRound, roundOf } from "../../model/deliveries/rounds.ts";
import {
  cancelDelivery,
  describeRate,
  finishDelivery,
  holdDelivery,
  isLate,
  LATE,
  obstructDelivery,
} from "../../model/deliveries/delivery_steps.ts";
import {
  beginDelivery,
  changeDelivery,
  listDueDeliveries,
} from "../../services/deliveries/deliveries.ts";
import { openMailIds } from "../../services/deliveries/mail_ids.ts";
import { planRetries } from "../../services/deliveries/retry.ts";
import {
  removeDeliveryFailures,
  removeOrphanedFailures,
} from "../../services/deliveries/failures.ts";
import { paceAt, wants } from "../../model/subscriptions/choices.ts";
import { nextRetry, removeOrphans } from "../../services/deliveries/recipients.ts";
import { findToldPost } from "../../services/deliveries/told_post.ts";
import { candidatesOf, findAsks, hasTold } from "../../services/deliveries/rounds.ts";
import type { MailOptions } from "../mail_options.ts";
import type { ChannelEvent } from "../worker_options.ts";
import { prepareEntryMail } from "./entry_mail.ts";
import { preparePostMail } from "./post_mail.ts";
import type { MailSettings } from "./list_mail.ts";
import type { MailPlan, SubscriberMail } from "./mail_plan.ts";
import type { Channel, HeldLease } from "../loop.ts";
import { type MailTools, sendRound } from "./rounds/round.ts";
import { describeFailure, MailerError } from "./mailer.ts";
import { createThrottle } from "./rounds/throttle.ts";

/** The options of {@linkcode createMailChannel}. */
export interface MailChannelOptions
  extends MailTools, Pick<MailOptions, "settingsNow" | "ratePerSecond" | "weekly"> {
  /** Called with each event of a delivery. */
  readonly onEvent: (event: ChannelEvent) => void;
}

/** Writes the mail of a delivery with some settings, once for all its recipients. */
type MailWith = (settings: MailSettings) => Promise<SubscriberMail>;

const MIN_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 300_000;
const SILENT = new MailerError("The mail relay has answered no mail for a minute");

/** Creates the channel that mails entries to their subscribers. */
export function createMailChannel(options: MailChannelOptions): Channel {
  const { storage, clock, relay, settingsNow, ratePerSecond, weekly, onEvent, onError } = options;
  const time = () => new Date(clock.now()).toISOString();
  const throttle = createThrottle(ratePerSecond, clock);
  const paceMs = ratePerSecond === false ? 0 : 1_000 / ratePerSecond;
  let pauseMs = MIN_PAUSE_MS;
  let lastToken = 0;
  let turn = 0;

  async function deliver(found: Delivery, lease: HeldLease): Promise<void> {
    const { entryId } = found;
    const change = changeDelivery.bind(undefined, lease.transact);
    if (isLate(found, time(), paceMs)) {
      const held = await change(found, (current) => holdDelivery(current, LATE));
      if (held !== undefined) onEvent({ entryId, event: "held", problem: LATE });
      return;
    }
    const delivery = found.startedAt === null ? await start(found, lease) : found;
    if (delivery === undefined) return;
    await planRetries(storage, lease.transact, { delivery, now: time() });
    async function obstruct(error: unknown): Promise<void> {
      await change(
        delivery!,
        (current) => obstructDelivery(current, describeFailure(error), time()),
      );
      onEvent({ entryId, event: "obstructed", error });
    }
    const wait = describeRate(clock.now(), throttle.waitMs);
    if (wait !== undefined) {
      await change(delivery, (current) => obstructDelivery(current, wait, time()));
    }
    const round = {
      delivery,
      lease,
      throttle,
      prepare: () => prepareRound(delivery, lease),
      onSilence: () => void obstruct(SILENT).catch(onError),
    };
    const { hasAccepted, failure, isComplete } = await sendRound(round, options);
    if (hasAccepted) pauseMs = MIN_PAUSE_MS;
    if (failure !== undefined) {
      relay.fail(hasAccepted ? failure.awaiting : 0, failure);
      if (hasAccepted && failure.isThrottled) throttle.slowDown();
    }
    const { state, problem } = await storage.get(DELIVERIES, entryId) ?? {};
    // These mails, or reports about earlier ones, may have put the delivery on hold.
    if (state === "held") onEvent({ entryId, event: state, problem: problem ?? undefined });
    if (isComplete && state === "running") await finish(delivery, lease);
    if (failure === undefined || !lease.isOn()) return;
    await obstruct(failure.error);
    await pause(lease.signal);
  }

  /** Spares the relay, unless it accepts a mail after it was shown to refuse everybody. */
  async function pause(signal: AbortSignal): Promise<void> {
    const cleared = new AbortController();
    const isShown = relay.fault !== undefined;
    const endListening = relay.listen(() => {
      if (isShown && relay.fault === undefined) cleared.abort();
    });
    await clock.sleep(pauseMs, AbortSignal.any([signal, cleared.signal]), "pause");
    endListening();
    pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
  }

  let prepared: { readonly state: string; readonly mailWith: MailWith } | undefined;

  /** Prepares mails of the current contents; cancels the delivery if there are none. */
  async function prepare(
    delivery: Delivery,
    { transact }: HeldLease,
  ): Promise<MailWith | undefined> {
    const { entryId, week, postId, contents, startedAt } = delivery;
    if (postId !== null) {
      const told = await findToldPost(storage, delivery, time());
      if (told === undefined) {
        await changeDelivery(transact, delivery, (current) => cancelDelivery(current, time()));
        return undefined;
      }
      const { post, board, entry } = told;
      const state = [entryId, post.updatedAt, board.updatedAt, entry?.entryId].join();
      if (prepared?.state !== state) {
        const ids = await openMailIds(storage);
        const mailWith = remember((settings: MailSettings) =>
          Promise.resolve(preparePostMail(delivery, told, { settings, ids, now: time }))
        );
        prepared = { state, mailWith };
      }
      return prepared.mailWith;
    }
    const entries = week === null
      ? [await storage.get(ENTRIES, entryId)].filter((entry) => entry !== undefined)
      : await getPublished(storage, contents, time());
    const [entry] = entries;
    if (entry === undefined && week === null) {
      await changeDelivery(transact, delivery, (current) => cancelDelivery(current, time()));
      return undefined;
    }
    const versions = entries.map(({ entryId, updatedAt }) => `${entryId} ${updatedAt}`);
    const state = [entryId, startedAt, ...versions].join();
    if (prepared?.state !== state) {
      const ids = await openMailIds(storage);
      const mailWith = remember(async (settings: MailSettings): Promise<SubscriberMail> => {
        const sender = { settings, ids };
        if (week !== null) return await prepareWeeklyMail(delivery, entries, sender);
        const write = await prepareEntryMail(entry, sender, { now: time });
        return { judge: judgeBy(entry, delivery), write };
      });
      prepared = { state, mailWith };
    }
    return prepared.mailWith;
  }

  /** Prepares the mail of a delivery's current round, with its recipients. */
  async function prepareRound(delivery: Delivery, lease: HeldLease): Promise<MailPlan | undefined> {
    const mailWith = await prepare(delivery, lease);
    if (mailWith === undefined) return undefined;
    const { judge } = await mailWith(await settingsNow());
    const { posts } = delivery;
    const round = roundOf(delivery);
    return {
      write: async (person, link) => await (await mailWith(person.settings)).write(person, link),
      list: candidatesOf(storage, { delivery, round, judge }),
      async find({ userEmail, deferral }) {
        const [settings, stored, asks, person] = await Promise.all([
          settingsNow(),
          storage.get(SUBSCRIPTIONS, userEmail),
          findAsks(storage, userEmail, posts),
          storage.get(PEOPLE, mailboxOf(userEmail)),
        ]);
        const { told = [] } = person ?? {};
        const wasTold = hasTold(delivery, told);
        const isWanted = stored?.subscribed && judge(stored, told) === "wanted";
        const subscription = isWanted ? stored : undefined;
        const isDue = asks.length > 0 ||
          subscription !== undefined && (round.people !== "asked" || deferral !== undefined);
        return isDue && !wasTold ? { userEmail, subscription, asks, told, settings } : undefined;
      },
    };
  }

  async function finish(delivery: Delivery, { transact }: HeldLease): Promise<void> {
    const { entryId, round } = delivery;
    const retryAt = await nextRetry(storage, entryId, time());
    const finished = await changeDelivery(transact, delivery, (current) => {
      if (current.round !== round) return current;
      const next = nextRound(current);
      return next === current ? finishDelivery(current, retryAt, time()) : next;
    });
    if (finished?.state !== "done") return;
    const { recipients, sent, failed, skipped } = finished;
    onEvent({ entryId, event: "done", recipients, sent, failed, skipped });
  }

  async function start(found: Delivery, { transact }: HeldLease): Promise<Delivery | undefined> {
    relay.restart();
    await removeOrphans(storage, transact);
    await removeOrphanedFailures(storage);
    // An earlier entry with the same identifier may have left failures.
    await removeDeliveryFailures(storage, found.entryId);
    const counts = await countRecipients(storage, found);
    const started = await beginDelivery(transact, found, { ...counts, now: time() });
    if (started !== undefined) onEvent({ entryId: found.entryId, event: "started" });
    return started;
  }

  /** Returns the last week whose mail is due; `false` if there are no weekly mails. */
  async function lastWeekNow(): Promise<Week | false> {
    return weekly && lastWeek(weekly, clock.now(), (await settingsNow()).timeZone);
  }

  /** Begins all deliveries that are due, then plans the mail of a week if it is due. */
  async function planWhatIsDue(lease: HeldLease): Promise<void> {
    const week = await lastWeekNow();
    if (!week || !await isUnplanned(storage, week)) return;
    for (const due of await listDueDeliveries(storage, time())) {
      if (due.startedAt === null && !isLate(due, time(), paceMs)) await start(due, lease);
    }
    await planWeek(storage, lease.transact, week);
  }

  return {
    name: "mails",
    async isDue() {
      if ((await listDueDeliveries(storage, time())).length > 0) return true;
      const week = await lastWeekNow();
      return week !== false && await isUnplanned(storage, week);
    },
    async run(lease) {
      if (lease.token !== lastToken + 1) throttle.restart();
      lastToken = lease.token;
      while (lease.isOn()) {
        await planWhatIsDue(lease);
        const due = await listDueDeliveries(storage, time());
        if (due.length === 0) return;
        // While the relay refuses everybody, deliveries take turns, as those who are not tried yet
        // may belong to any of them.
        await deliver(due[relay.fault === undefined ? 0 : turn++ % due.length], lease);
      }
    },
  };
}

/** Creates the function that decides who gets an entry in a mail of its own. */
function judgeBy({ labels }: Entry, { number }: Delivery): SubscriberMail["judge"] {
  return (subscription) =>
    paceAt(subscription, number) !== "each"
      ? "other"
      : wants(subscription, labels)
      ? "wanted"
      : "labels";
}
