/** An event about Ann as a provider posts it, and how it is to be read: its type and code. */
export type EventRow = readonly [kind: string, body: unknown, expected: string];

/** When the events happened. */
export const AT = "2026-11-25T09:30:00.000Z";
const SECONDS = Date.parse(AT) / 1_000;

/** Wraps an event of Amazon SES into a message of Amazon SNS. */
export function sns(event: unknown): Readonly<Record<string, string>> {
  return {
    Type: "Notification",
    MessageId: "5b1f5c0e-0000-5000-8000-000000000001",
    TopicArn: "arn:aws:sns:eu-central-1:111122223333:mail",
    Message: typeof event === "string" ? event : JSON.stringify(event),
    Timestamp: "2026-11-25T09:30:00.000Z",
    SignatureVersion: "1",
    Signature: "none",
    SigningCertURL: "https://sns.eu-central-1.amazonaws.com/cert.pem",
  };
}

const SES_MAIL = {
  timestamp: "2026-11-25T09:29:58.000Z",
  messageId: "0107019a-0000",
  destination: ["ann@example.com"],
  headers: [{ name: "Message-ID", value: "<abc@acme.example>" }],
};

function sesBounce(bounceType: string, bounceSubType: string, recipient: object) {
  const bouncedRecipients = [{ emailAddress: "ann@example.com", action: "failed", ...recipient }];
  const bounce = { bounceType, bounceSubType, bouncedRecipients, timestamp: AT, feedbackId: "1" };
  return sns({ notificationType: "Bounce", bounce, mail: SES_MAIL });
}

/**
 * https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html,
 * …/event-publishing-retrieving-sns-contents.html
 */
export const AMAZON_SES: readonly EventRow[] = [
  [
    "permanent",
    sesBounce("Permanent", "General", { status: "5.1.1", diagnosticCode: "smtp; 550 5.1.1 gone" }),
    "permanent 5.1.1",
  ],
  ["permanent, suppressed", sesBounce("Permanent", "OnAccountSuppressionList", {}), "permanent"],
  [
    "policy, though called permanent",
    sesBounce("Permanent", "General", { status: "5.7.1" }),
    "temporary 5.7.1",
  ],
  ["full", sesBounce("Transient", "MailboxFull", { status: "4.2.2" }), "temporary 4.2.2"],
  [
    "unsubscribed from its topic there",
    sesBounce("Permanent", "UnsubscribedRecipient", {}),
    "unsubscribe",
  ],
  ["undetermined", sesBounce("Undetermined", "Undetermined", {}), "temporary"],
  [
    "delay",
    sns({
      eventType: "DeliveryDelay",
      mail: SES_MAIL,
      deliveryDelay: {
        timestamp: AT,
        delayType: "TransientCommunicationFailure",
        delayedRecipients: [{ emailAddress: "ann@example.com", status: "4.4.1" }],
      },
    }),
    "other 4.4.1",
  ],
  [
    "complaint",
    sns({
      notificationType: "Complaint",
      complaint: {
        complainedRecipients: [{ emailAddress: "ann@example.com" }],
        complaintFeedbackType: "abuse",
        arrivalDate: AT,
      },
      mail: SES_MAIL,
    }),
    "complaint",
  ],
  [
    "no complaint",
    sns({
      notificationType: "Complaint",
      complaint: {
        complainedRecipients: [{ emailAddress: "ann@example.com" }],
        complaintFeedbackType: "not-spam",
        timestamp: AT,
      },
      mail: SES_MAIL,
    }),
    "other",
  ],
  [
    "unsubscribe",
    sns({
      eventType: "Subscription",
      mail: SES_MAIL,
      subscription: {
        contactList: "news",
        timestamp: AT,
        source: "UnsubscribeHeader",
        newTopicPreferences: { unsubscribeAll: true },
      },
    }),
    "unsubscribe",
  ],
  [
    "delivery, without SNS around it",
    {
      eventType: "Delivery",
      mail: SES_MAIL,
      delivery: { timestamp: AT, recipients: ["ann@example.com"], smtpResponse: "250 ok" },
    },
    "delivered",
  ],
  ["opened", sns({ eventType: "Open", mail: SES_MAIL, open: { timestamp: AT } }), "other, nobody"],
];

/**
 * https://documentation.mailgun.com/docs/mailgun/user-manual/events/event-structure;
 * anymail/django-anymail, tests/test_mailgun_webhooks.py
 */
export const MAILGUN: readonly EventRow[] = [
  [
    "permanent",
    mailgun("failed", {
      severity: "permanent",
      reason: "bounce",
      "delivery-status": { code: 550, message: "5.1.1 No such account here" },
    }),
    "permanent 5.1.1",
  ],
  [
    "permanent, suppressed",
    mailgun("failed", {
      severity: "permanent",
      reason: "suppress-bounce",
      "delivery-status": { code: 605, description: "Not delivering to a bounced address" },
    }),
    "permanent 605",
  ],
  [
    "policy",
    mailgun("failed", {
      severity: "permanent",
      reason: "generic",
      "delivery-status": { code: 554, message: "5.7.1 Blocked by policy" },
    }),
    "temporary 5.7.1",
  ],
  [
    "greylisted",
    mailgun("failed", {
      severity: "temporary",
      reason: "greylisted",
      "delivery-status": { code: 450, description: "Greylisted", message: "Greylisted" },
    }),
    "other 450",
  ],
  ...[
    ["suppress-unsubscribe", "unsubscribe"],
    ["suppress-complaint", "complaint"],
    ["old", "temporary"],
  ].map(([reason, expected]): EventRow => [
    reason,
    mailgun("failed", { severity: "permanent", reason, "delivery-status": { code: 600 } }),
    `${expected} 600`,
  ]),
  ["complaint", mailgun("complained", {}), "complaint"],
  ["unsubscribe", mailgun("unsubscribed", {}), "unsubscribe"],
  [
    "delivery",
    mailgun("delivered", { "delivery-status": { code: 250, message: "OK" } }),
    "delivered 250",
  ],
  ["opened", mailgun("opened", {}), "other"],
];

function mailgun(event: string, rest: object) {
  return {
    signature: { timestamp: `${SECONDS}`, token: "0000", signature: "0000" },
    "event-data": {
      event,
      id: "id",
      timestamp: SECONDS,
      recipient: "ann@example.com",
      message: { headers: { "message-id": "abc@acme.example", to: "ann@example.com" } },
      ...rest,
    },
  };
}

/**
 * https://postmarkapp.com/developer/webhooks/bounce-webhook, …/subscription-change-webhook;
 * anymail/django-anymail, tests/test_postmark_webhooks.py
 */
export const POSTMARK: readonly EventRow[] = [
  [
    "permanent",
    postmark("HardBounce", "smtp;550 5.1.1 There is no such account"),
    "permanent 5.1.1",
  ],
  ["bad address", postmark("BadEmailAddress", ""), "permanent"],
  ["full", postmark("SoftBounce", "smtp;452 4.2.2 Over quota"), "temporary 4.2.2"],
  ["blocked", postmark("Blocked", "550 5.7.1 Blocked"), "temporary 5.7.1"],
  ["complaint", { ...postmark("SpamComplaint", ""), RecordType: "SpamComplaint" }, "complaint"],
  ["delayed", postmark("Transient", "smtp;451 later"), "other 451"],
  [
    "suppressed after a complaint",
    suppression({ SuppressionReason: "SpamComplaint", Origin: "Recipient" }),
    "complaint",
  ],
  [
    "suppressed after a bounce",
    suppression({ SuppressionReason: "HardBounce", Origin: "Recipient" }),
    "permanent",
  ],
  ["out of office", postmark("AutoResponder", ""), "other"],
  [
    "unsubscribe",
    suppression({ SuppressionReason: "ManualSuppression", Origin: "Recipient" }),
    "unsubscribe",
  ],
  [
    "suppressed by the operator",
    suppression({ SuppressionReason: "ManualSuppression", Origin: "Customer" }),
    "other",
  ],
  ["subscribed again", suppression({ SuppressSending: false }), "other"],
  [
    "delivery",
    { RecordType: "Delivery", Recipient: "ann@example.com", DeliveredAt: AT, Details: "ok" },
    "delivered",
  ],
];

function postmark(Type: string, Details: string) {
  const Email = "ann@example.com";
  // With a fraction of 100 ns, and the time zone of the account.
  const BouncedAt = "2026-11-25T04:30:00.0000000-05:00";
  return { RecordType: "Bounce", ID: 1, Type, Details, Email, BouncedAt, MessageID: "0000" };
}

function suppression(rest: object) {
  const Recipient = "ann@example.com";
  return {
    ...{ RecordType: "SubscriptionChange", Recipient, ChangedAt: "2026-11-25T09:30:00Z" },
    ...{ SuppressSending: true, MessageStream: "outbound" },
    ...rest,
  };
}

/**
 * https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event;
 * anymail/django-anymail, tests/test_sendgrid_webhooks.py
 */
export const SENDGRID: readonly EventRow[] = [
  [
    "permanent",
    sendgrid("bounce", { type: "bounce", status: "5.1.1", reason: "550 5.1.1 No such user" }),
    "permanent 5.1.1",
  ],
  [
    "permanent, without a type",
    sendgrid("bounce", { status: "5.0.0", reason: "500 unknown recipient" }),
    "permanent 5.0.0",
  ],
  ["permanent, not tried again", sendgrid("dropped", { reason: "Bounced Address" }), "permanent"],
  [
    "blocked",
    sendgrid("bounce", { type: "blocked", reason: "550 5.7.1 Blocked" }),
    "temporary 5.7.1",
  ],
  [
    "refused by content",
    sendgrid("bounce", {
      type: "bounce",
      bounce_classification: "Content",
      reason: "554 This looks like spam",
    }),
    "temporary 554",
  ],
  [
    "deferred",
    sendgrid("deferred", { response: "450 4.2.1 try later", attempt: "1" }),
    "other 4.2.1",
  ],
  ["complaint", sendgrid("spamreport", {}), "complaint"],
  ["unsubscribe", sendgrid("group_unsubscribe", {}), "unsubscribe"],
  ["delivery", sendgrid("delivered", { response: "250 OK" }), "delivered"],
  ...[
    ["Unsubscribed Address", "unsubscribe"],
    ["Spam Reporting Address", "complaint"],
    ["Invalid", "permanent"],
    ["Recipient List over Package Quota", "other"],
  ].map(([reason, expected]): EventRow => [reason, sendgrid("dropped", { reason }), expected]),
  [
    "a full mailbox, though called a bounce",
    sendgrid("bounce", {
      type: "bounce",
      bounce_classification: "Mailbox Unavailable",
      reason: "552 over quota",
    }),
    "temporary 552",
  ],
  ["a mistake of the sender", sendgrid("dropped", { reason: "Invalid SMTPAPI header" }), "other"],
];

function sendgrid(event: string, rest: object) {
  return {
    ...{ email: "ann@example.com", timestamp: SECONDS, event, sg_event_id: `${event}-1` },
    ...{ "smtp-id": "<abc@acme.example>", sg_message_id: "0000.filter" },
    ...rest,
  };
}
