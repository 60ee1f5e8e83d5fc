import type { BounceProvider } from "./_provider.ts";
import { asList, asObject, asText, type Json } from "./_values.ts";

// For each kind of event: the member with the details, and its member with the recipients.
const RECIPIENTS: Readonly<Record<string, readonly [detail: string, list: string]>> = {
  Bounce: ["bounce", "bouncedRecipients"],
  Complaint: ["complaint", "complainedRecipients"],
  Delivery: ["delivery", "recipients"],
  DeliveryDelay: ["deliveryDelay", "delayedRecipients"],
};

/** Events of Amazon SES, alone or in a message of Amazon SNS. */
// https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html
export const AMAZON_SES: BounceProvider = {
  marks: "TopicArn or notificationType (Amazon SES)",
  isOwn: (object) =>
    isEvent(object) || typeof object.Type === "string" && typeof object.TopicArn === "string",
  eventsIn(object) {
    if (isEvent(object)) return eventsOf(object, undefined);
    // Notices from SNS itself, such as a confirmed subscription, are not events.
    if (object.Type !== "Notification") return [];
    try {
      const event = asObject(JSON.parse(asText(object.Message)));
      return "mail" in event ? eventsOf(event, object.Timestamp) : [];
    } catch {
      return [];
    }
  },
  members: {
    address: ["emailAddress"],
    at: ["arrivalDate", "timestamp", "sentAt"],
    text: ["diagnosticCode"],
    code: ["status"],
    messageId: ["messageId"],
  },
  wordsOf: ({ kind, bounceType, bounceSubType, complaintFeedbackType, newTopicPreferences }) => {
    const { unsubscribeAll } = asObject(newTopicPreferences);
    const detail = asText(bounceType, complaintFeedbackType, unsubscribeAll === true ? "all" : "");
    return [`${kind} ${detail} ${asText(bounceSubType)}`, `${kind} ${detail}`, `${kind}`];
  },
  types: {
    // SES reports a complaint for an address that it suppresses because of an earlier complaint.
    "bounce permanent": "permanent",
    "bounce permanent unsubscribedrecipient": "unsubscribe",
    "bounce": "temporary",
    "deliverydelay": "other",
    // The recipient moved the mail out of the spam folder.
    "complaint notspam": "other",
    "complaint": "complaint",
    "subscription all": "unsubscribe",
    "delivery": "delivered",
  },
};

/**
 * Returns the URL that confirms a subscription of Amazon SNS, if the message asks for confirmation.
 */
export function readSnsConfirmation(message: Json): string | undefined {
  const isAsked = message.Type === "SubscriptionConfirmation" && "TopicArn" in message;
  return isAsked ? asText(message.SubscribeURL) : undefined;
}

function isEvent(object: Json): boolean {
  return typeof (object.notificationType ?? object.eventType) === "string" && "mail" in object;
}

/** Splits an event of Amazon SES into one per recipient. */
function eventsOf(event: Json, sentAt: unknown): readonly Json[] {
  const kind = asText(event.notificationType, event.eventType);
  const mail = asObject(event.mail);
  const common = { kind, sentAt, messageId: messageIdOf(mail) };
  if (kind === "Subscription") {
    return [{
      ...common,
      ...asObject(event.subscription),
      emailAddress: asText(...asList(mail.destination)),
    }];
  }
  // Events about a whole mail, such as an open, name no recipient.
  if (!Object.hasOwn(RECIPIENTS, kind)) return [common];
  const [member, list] = RECIPIENTS[kind];
  const detail = asObject(event[member]);
  return asList(detail[list]).map((recipient) => ({
    ...common,
    ...detail,
    ...(typeof recipient === "string" ? { emailAddress: recipient } : asObject(recipient)),
  }));
}

function messageIdOf(mail: Json): string {
  const headers = asList(mail.headers).map(asObject);
  const header = headers.find(({ name }) => asText(name).toLowerCase() === "message-id");
  return asText(header?.value, asObject(mail.commonHeaders).messageId);
}
