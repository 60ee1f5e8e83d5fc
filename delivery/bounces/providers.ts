import type { BounceProvider } from "./_provider.ts";
import { asObject, asText, type Json } from "./_values.ts";
import { AMAZON_SES } from "./amazon_ses.ts";

/**
 * Creates a function that joins the texts of some members of an event: first all of them, then one
 * fewer at a time.
 */
function wordsIn(...names: readonly string[]): BounceProvider["wordsOf"] {
  return (event) => {
    const words = names.map((name) => asText(event[name]));
    return words.map((_, index) => words.slice(0, words.length - index).join(" "));
  };
}

// https://documentation.mailgun.com/docs/mailgun/user-manual/events/event-structure
const MAILGUN: BounceProvider = {
  marks: "event-data (Mailgun)",
  isOwn: (object) => typeof object["event-data"] === "object" || isMailgunForm(object),
  eventsIn: (object) => isMailgunForm(object) ? [object] : [asObject(object["event-data"])],
  members: {
    address: ["recipient"],
    at: ["timestamp"],
    text: ["delivery-status.message", "delivery-status.description", "error", "description"],
    code: ["delivery-status.enhanced-code", "delivery-status.code", "code"],
    messageId: ["message.headers.message-id", "Message-Id", "message-id"],
  },
  wordsOf: (event) => [
    // Mailgun's forms have a code of their own for the reason of a suppression.
    ...("code" in event ? [`${asText(event.event)} ${asText(event.code)}`] : []),
    ...wordsIn("event", "severity", "reason")(event),
  ],
  types: {
    "failed permanent bounce": "permanent",
    "failed permanent suppressbounce": "permanent",
    "failed permanent suppresscomplaint": "complaint",
    "failed permanent suppressunsubscribe": "unsubscribe",
    // Reasons: generic, old, espblock, hardfail.
    "failed permanent": "judged",
    // Mailgun keeps trying.
    "failed temporary": "other",
    "failed": "temporary",
    "bounced": "permanent",
    "dropped 605": "permanent",
    "dropped 606": "unsubscribe",
    "dropped 607": "complaint",
    "dropped": "temporary",
    "complained": "complaint",
    "unsubscribed": "unsubscribe",
    "delivered": "delivered",
  },
};

function isMailgunForm(object: Json): boolean {
  return typeof object.event === "string" && typeof object.recipient === "string" &&
    "signature" in object;
}

// https://postmarkapp.com/developer/api/bounce-api#bounce-types
const POSTMARK: BounceProvider = {
  marks: "RecordType (Postmark)",
  isOwn: ({ RecordType }) => typeof RecordType === "string",
  members: {
    address: ["Email", "Recipient"],
    at: ["BouncedAt", "ChangedAt", "DeliveredAt"],
    text: ["Details", "Description"],
  },
  wordsOf: (event) =>
    event.RecordType !== "SubscriptionChange"
      ? wordsIn("RecordType", "Type")(event)
      : event.SuppressSending === true
      ? wordsIn("RecordType", "SuppressionReason", "Origin")(event)
      : [],
  types: {
    "bounce hardbounce": "permanent",
    "bounce bademailaddress": "permanent",
    "bounce spamcomplaint": "complaint",
    "bounce unsubscribe": "unsubscribe",
    // The mail arrived, and a program filed it as spam.
    "bounce spamnotification": "temporary",
    "bounce blocked": "temporary",
    "bounce dmarcpolicy": "temporary",
    "bounce dnserror": "temporary",
    "bounce softbounce": "temporary",
    "bounce undeliverable": "temporary",
    "bounce unknown": "temporary",
    "bounce virusnotification": "temporary",
    // Postmark keeps trying, a program has answered, or the operator or Postmark is the cause.
    "bounce transient": "other",
    "spamcomplaint": "complaint",
    "delivery": "delivered",
    "subscriptionchange hardbounce": "permanent",
    "subscriptionchange spamcomplaint": "complaint",
    // The operator suppressed the address; the person did not ask for it.
    "subscriptionchange manualsuppression recipient": "unsubscribe",
  },
};

// https://support.sparkpost.com/docs/deliverability/bounce-classification-codes
const SPARKPOST: BounceProvider = {
  marks: "msys (SparkPost)",
  isOwn: ({ msys }) => typeof msys === "object",
  eventsIn: ({ msys }) => Object.values(asObject(msys)).map(asObject),
  members: {
    address: ["raw_rcpt_to", "rcpt_to"],
    at: ["timestamp"],
    text: ["raw_reason", "reason"],
    code: ["error_code"],
  },
  wordsOf: wordsIn("type", "bounce_class"),
  types: {
    // 10 and 30 mean no such recipient; 60 is an automatic reply, 80 and 90 are requests, 100 is a
    // challenge. The other codes are soft, or concern DNS, size, time, content or reputation. 25 is
    // an address that is suppressed without a given reason.
    ...Object.fromEntries(
      ["bounce", "outofband"].flatMap((type) => [
        [type, "temporary"],
        [`${type} 10`, "permanent"],
        [`${type} 30`, "permanent"],
        [`${type} 60`, "other"],
        [`${type} 80`, "other"],
        [`${type} 90`, "unsubscribe"],
        [`${type} 100`, "other"],
      ]),
    ),
    "policyrejection": "temporary",
    "generationrejection": "temporary",
    "delay": "other",
    "spamcomplaint": "complaint",
    "listunsubscribe": "unsubscribe",
    "linkunsubscribe": "unsubscribe",
    "delivery": "delivered",
  },
};

// https://resend.com/docs/webhooks/event-types
const RESEND: BounceProvider = {
  marks: "type email.… and data (Resend)",
  isOwn: (event) =>
    /^(?:email|contact|domain|suppression)\.\w+$/.test(asText(event.type)) &&
    typeof event.data === "object",
  members: {
    // An event does not say which of several recipients it concerns; a mail from Boardcast has one.
    address: ["data.email", "data.to"],
    at: ["created_at"],
    text: ["data.bounce.diagnosticCode", "data.bounce.message", "data.suppressed.message"],
    messageId: ["data.message_id"],
  },
  wordsOf({ type, data }) {
    const { bounce, unsubscribed, origin, reason } = asObject(data);
    const detail = asText(asObject(bounce).type, origin, reason);
    return [`${asText(type)} ${unsubscribed === true ? "unsubscribed" : detail}`, asText(type)];
  },
  types: {
    "emailbounced transient": "temporary",
    "emailbounced undetermined": "temporary",
    // Before bounces had a type, only permanent ones were told.
    "emailbounced": "permanent",
    "emailsuppressed": "permanent",
    "suppressionadded bounce": "permanent",
    "suppressionadded complaint": "complaint",
    "suppressionadded unsubscribe": "unsubscribe",
    "emaildeliverydelayed": "other",
    "emailcomplained": "complaint",
    "emaildelivered": "delivered",
    "contactupdated unsubscribed": "unsubscribe",
  },
};

// https://dev.mailjet.com/email/guides/webhooks/
const MAILJET: BounceProvider = {
  marks: "event and time (Mailjet)",
  isOwn: (event) => typeof event.event === "string" && "email" in event && "time" in event,
  members: { address: ["email"], at: ["time"], text: ["comment", "smtp_reply", "error"] },
  wordsOf({ event, error, hard_bounce: isHard }) {
    const word = asText(error) || (isHard === true ? "hard" : "");
    return [isHard === false ? `${word} soft` : word, asText(event)];
  },
  types: {
    "hard": "permanent",
    "user unknown": "permanent",
    "mailbox inactive": "permanent",
    "invalid domain": "permanent",
    "no mail host": "permanent",
    "typofix": "permanent",
    "spam reporter": "complaint",
    // The person has the mail, or the sender has made a mistake.
    "duplicate in campaign": "other",
    "bad or empty template": "other",
    "error in template language": "other",
    // Quotas, content, policy, connections; an address that is blacklisted or preblocked there, for
    // a reason that isn't told.
    "bounce": "temporary",
    "blocked": "temporary",
    "spam": "complaint",
    "unsub": "unsubscribe",
    "sent": "delivered",
  },
};

// https://developers.brevo.com/docs/transactional-webhooks
const BREVO: BounceProvider = {
  marks: "event and message-id (Brevo)",
  isOwn: (event) =>
    typeof event.event === "string" && "email" in event &&
    ("message-id" in event || "ts_event" in event || "ts_epoch" in event),
  members: {
    address: ["email"],
    // The others are in the time zone of the account.
    at: ["ts_epoch", "ts_event", "ts"],
    text: ["reason"],
    messageId: ["message-id"],
  },
  wordsOf({ event, reason }) {
    // Transactional mail and campaigns spell events differently, and the reason is a sentence.
    const [cause = ""] = /unsub|spam|complain|hard ?bounce/i.exec(asText(reason)) ?? [];
    return [`${asText(event)} ${cause}`, asText(event)];
  },
  types: {
    "hardbounce": "permanent",
    "invalid": "permanent",
    "invalidemail": "permanent",
    "softbounce": "temporary",
    "blocked hardbounce": "permanent",
    "blocked hard bounce": "permanent",
    "blocked unsub": "unsubscribe",
    "blocked spam": "complaint",
    "blocked complain": "complaint",
    "blocked": "temporary",
    "deferred": "other",
    "spam": "complaint",
    "complaint": "complaint",
    "unsubscribe": "unsubscribe",
    "unsubscribed": "unsubscribe",
    "delivered": "delivered",
  },
};

// https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event
const SENDGRID: BounceProvider = {
  marks: "event and sg_event_id (SendGrid)",
  isOwn: (event) =>
    typeof event.event === "string" &&
    ("sg_event_id" in event || "sg_message_id" in event ||
      "email" in event && "timestamp" in event),
  members: {
    address: ["email"],
    at: ["timestamp"],
    text: ["reason", "response"],
    code: ["status"],
    messageId: ["smtp-id"],
  },
  wordsOf: (event) =>
    ["type", "reason", "bounce_classification"].flatMap((name) => wordsIn("event", name)(event)[0])
      .concat(asText(event.event)),
  types: {
    "bounce blocked": "temporary",
    // Classes of bounces that may come from an existing mailbox.
    "bounce content": "judged",
    "bounce frequency or volume": "judged",
    "bounce mailbox unavailable": "judged",
    "bounce reputation": "judged",
    "bounce technical": "judged",
    "bounce": "permanent",
    // Reasons not to try a mail at all. Other reasons are mistakes of the sender.
    "dropped bounced address": "permanent",
    "dropped invalid": "permanent",
    "dropped spam reporting address": "complaint",
    "dropped unsubscribed address": "unsubscribe",
    "deferred": "other",
    "spamreport": "complaint",
    "unsubscribe": "unsubscribe",
    "groupunsubscribe": "unsubscribe",
    "delivered": "delivered",
  },
};

/** All providers. Brevo and Mailjet use the same event names as SendGrid, but other members. */
export const PROVIDERS: readonly BounceProvider[] = [
  AMAZON_SES,
  MAILGUN,
  POSTMARK,
  SPARKPOST,
  RESEND,
  MAILJET,
  BREVO,
  SENDGRID,
];
