import type { Subscription } from "../../model/subscriptions/subscription.ts";
import type { Recipient, RecipientQuery } from "../../services/deliveries/recipients.ts";
import type { Ask, Verdict } from "../../services/deliveries/rounds.ts";
import type { Mail } from "./mailer.ts";

/** Writes the mail to one person, who unsubscribes by the link. */
export type WriteMail<Person> = (person: Person, unsubscribeUrl: string) => Promise<Mail>;

/** Somebody who gets a mail, and why. */
export interface Addressee {
  readonly userEmail: string;
  /** `undefined` for somebody who asked for it, and is no subscriber. */
  readonly subscription: Subscription | undefined;
  /** The posts of which they asked to be told. */
  readonly asks: readonly Ask[];
  /** The deliveries that have told them of what they asked for. */
  readonly told: readonly string[];
}

/** The current mail of a delivery, and the judge of which subscribers get it. */
export interface SubscriberMail {
  /** `told` names the deliveries that have told the person of what they asked for. */
  readonly judge: (subscription: Subscription, told?: readonly string[]) => Verdict;
  readonly write: WriteMail<Addressee>;
}

/** The current mail of a round, and its recipients. */
export interface MailPlan extends Pick<RecipientQuery, "list"> {
  /** Finds out, as late as possible, why a recipient gets the mail; `undefined`: they don't. */
  readonly find: (recipient: Recipient) => Promise<Addressee | undefined>;
  readonly write: WriteMail<Addressee>;
}
