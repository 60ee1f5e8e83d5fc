import type { Subscription } from "../../model/subscriptions/subscription.ts";
import type { Recipient, RecipientQuery } from "../../services/deliveries/recipients.ts";
import type { Ask } from "../../services/deliveries/ask.ts";
import type { Verdict } from "../../services/deliveries/rounds.ts";
import type { MailSettings } from "./list_mail.ts";
import type { Mail } from "./mailer.ts";

/** Writes the mail to one person, with the link that unsubscribes them. */
export type WriteMail<P> = (person: P, unsubscribeUrl: string) => Promise<Mail>;

/** A person who gets a mail, and the reasons. */
export interface Addressee {
  readonly userEmail: string;
  /** `undefined` for a person who asked for the mail but is no subscriber. */
  readonly subscription: Subscription | undefined;
  /** The person's requests about posts. */
  readonly asks: readonly Ask[];
  /** The deliveries that already told them about their posts. */
  readonly told: readonly string[];
  /** The settings that their mail shows. */
  readonly settings: MailSettings;
}

/** The current mail of a delivery, and the function that decides which subscribers get it. */
export interface SubscriberMail {
  /** `told` names the deliveries that already told the person about their posts. */
  readonly judge: (subscription: Subscription, told?: readonly string[]) => Verdict;
  readonly write: WriteMail<Addressee>;
}

/** The current mail of a round, and its recipients. */
export interface MailPlan extends Pick<RecipientQuery, "list"> {
  /**
   * Finds the reasons why a recipient gets the mail, as late as possible; `undefined`: they get
   * none.
   */
  readonly find: (recipient: Recipient) => Promise<Addressee | undefined>;
  readonly write: WriteMail<Addressee>;
}
