import { AT, type EventRow } from "./events_by_json.ts";

const MS = Date.parse(AT);

/**
 * https://developers.brevo.com/docs/transactional-webhooks; anymail/django-anymail,
 * tests/test_brevo_webhooks.py
 */
export const BREVO: readonly EventRow[] = [
  [
    "permanent",
    brevo("hard_bounce", " RecipientError: 550 5.5.0 mailbox unavailable"),
    "permanent 5.5.0",
  ],
  ["bad address", brevo("invalid_email", ""), "permanent"],
  ["full", brevo("soft_bounce", "452 4.2.2 The mailbox is full"), "temporary 4.2.2"],
  ["deferred", brevo("deferred", "450 try later"), "other 450"],
  ["blocked, unsubscribed", brevo("blocked", "blocked : unsubscribed user"), "unsubscribe"],
  ["blocked after a complaint", brevo("blocked", "blocked : spam report"), "complaint"],
  ["blocked", brevo("blocked", "blocked : due to blacklist user"), "temporary"],
  ["complaint", brevo("complaint", ""), "complaint"],
  ["complaint about a campaign", brevo("spam", ""), "complaint"],
  ["unsubscribe", brevo("unsubscribed", ""), "unsubscribe"],
  ["delivery", brevo("delivered", ""), "delivered"],
  ["opened", brevo("unique_opened", ""), "other"],
];

function brevo(event: string, reason: string) {
  return {
    ...{ event, email: "ann@example.com", id: 1, "message-id": "<abc@acme.example>" },
    ...{ date: "2026-11-25 10:30:00", ts_epoch: MS, subject: "About a", tag: "a" },
    ...(reason === "" ? {} : { reason }),
  };
}

/**
 * https://resend.com/docs/webhooks/event-types; anymail/django-anymail,
 * tests/test_resend_webhooks.py
 */
export const RESEND: readonly EventRow[] = [
  [
    "permanent",
    resend("email.bounced", {
      bounce: { type: "Permanent", subType: "Suppressed", message: "It has bounced before." },
    }),
    "permanent",
  ],
  [
    "permanent, without a type",
    resend("email.bounced", { bounce: { message: "A hard bounce." } }),
    "permanent",
  ],
  [
    "full",
    resend("email.bounced", {
      bounce: {
        type: "Transient",
        subType: "MailboxFull",
        message: "The inbox was full.",
        diagnosticCode: ["smtp; 552 5.2.2 over quota"],
      },
    }),
    "temporary 5.2.2",
  ],
  [
    "suppressed",
    resend("email.suppressed", { suppressed: { message: "It is on the list." } }),
    "permanent",
  ],
  ...[["bounce", "permanent"], ["complaint", "complaint"], ["manual", "other"]].map((
    [origin, expected],
  ): EventRow => [
    `suppressed for ${origin}`,
    { type: "suppression.added", created_at: AT, data: { email: "ann@example.com", origin } },
    expected,
  ]),
  ["delay", resend("email.delivery_delayed", {}), "other"],
  ["complaint", resend("email.complained", {}), "complaint"],
  [
    "unsubscribe",
    {
      type: "contact.updated",
      created_at: AT,
      data: { id: "1", email: "ann@example.com", unsubscribed: true },
    },
    "unsubscribe",
  ],
  ["delivery", resend("email.delivered", {}), "delivered"],
  ["opened", resend("email.opened", {}), "other"],
];

function resend(type: string, rest: object) {
  const data = { email_id: "1", from: "Acme <news@acme.example>", to: ["Ann <ann@example.com>"] };
  return { type, created_at: AT, data: { ...data, created_at: "2026-11-25T09:00:00Z", ...rest } };
}

/**
 * https://dev.mailjet.com/email/guides/webhooks/; anymail/django-anymail,
 * tests/test_mailjet_webhooks.py
 */
export const MAILJET: readonly EventRow[] = [
  [
    "permanent",
    mailjet("bounce", {
      ...{ hard_bounce: true, blocked: false, error_related_to: "recipient" },
      ...{ error: "user unknown", comment: "550 5.1.1 No such user" },
    }),
    "permanent 5.1.1",
  ],
  [
    "no such domain",
    mailjet("bounce", { hard_bounce: true, error_related_to: "domain", error: "invalid domain" }),
    "permanent",
  ],
  ["full", mailjet("bounce", { hard_bounce: false, error: "quota exceeded" }), "temporary"],
  [
    "greylisted",
    mailjet("bounce", { hard_bounce: false, blocked: true, error: "greylisted" }),
    "temporary",
  ],
  [
    "blocked since it complained before",
    mailjet("blocked", { error_related_to: "recipient", error: "spam reporter" }),
    "complaint",
  ],
  [
    "sent twice",
    mailjet("blocked", { error_related_to: "mailjet", error: "duplicate in campaign" }),
    "other",
  ],
  ["blocked", mailjet("blocked", { error: "preblocked" }), "temporary"],
  ["complaint", mailjet("spam", { source: "JMRPP" }), "complaint"],
  ["unsubscribe", mailjet("unsub", { agent: "List-Unsubscribe" }), "unsubscribe"],
  ["delivery", mailjet("sent", { smtp_reply: "250 OK" }), "delivered"],
  ["opened", mailjet("open", { ip: "192.0.2.1" }), "other"],
];

function mailjet(event: string, rest: object) {
  return {
    ...{ event, time: MS / 1_000, MessageID: 19421777835146490, email: "ann@example.com" },
    ...{ mj_campaign_id: 7, mj_contact_id: 4, customcampaign: "", CustomID: "", Payload: "" },
    ...rest,
  };
}

/**
 * https://support.sparkpost.com/docs/tech-resources/webhook-event-reference;
 * anymail/django-anymail, tests/test_sparkpost_webhooks.py
 */
export const SPARKPOST: readonly EventRow[] = [
  [
    "permanent",
    sparkpost("message_event", "bounce", { bounce_class: "10", raw_reason: "550 5.1.1 unknown" }),
    "permanent 5.1.1",
  ],
  [
    "permanent, reported later",
    sparkpost("message_event", "out_of_band", { bounce_class: "30", raw_reason: "no mailbox" }),
    "permanent",
  ],
  [
    "full",
    sparkpost("message_event", "bounce", { bounce_class: "22", raw_reason: "552 5.2.2 full" }),
    "temporary 5.2.2",
  ],
  [
    "delay",
    sparkpost("message_event", "delay", { bounce_class: "21", raw_reason: "454 4.4.4 no MX" }),
    "other 4.4.4",
  ],
  [
    "suppressed",
    sparkpost("gen_event", "generation_rejection", { raw_reason: "554 5.7.1 suppressed" }),
    "temporary 5.7.1",
  ],
  [
    "a request to be unsubscribed",
    sparkpost("message_event", "out_of_band", { bounce_class: "90" }),
    "unsubscribe",
  ],
  ["out of office", sparkpost("message_event", "bounce", { bounce_class: "60" }), "other"],
  ["complaint", sparkpost("message_event", "spam_complaint", { fbtype: "abuse" }), "complaint"],
  ["unsubscribe", sparkpost("unsubscribe_event", "list_unsubscribe", {}), "unsubscribe"],
  ["delivery", sparkpost("message_event", "delivery", {}), "delivered"],
  ["opened", sparkpost("track_event", "open", {}), "other"],
];

function sparkpost(kind: string, type: string, rest: object) {
  const event = {
    ...{ type, event_id: "1", timestamp: `${MS / 1_000}`, transmission_id: "1" },
    ...{ raw_rcpt_to: "ann@example.com", rcpt_to: "ann@example.com" },
    ...rest,
  };
  return { msys: { [kind]: event } };
}
