import { AT, type EventRow } from "./events_by_json.ts";

const MS = Date.parse(AT);

/** https://developers.brevo.com/docs/transactional-webhooks; anymail/django-anymail, tests/test_brevo_webhooks.py */
export const BREVO: readonly EventRow[] = [
  [
    "permanent",
    brevo("hard_bounce", " RecipientError: 550 5.5.0 mailbox unavailable"),
    "permanent 5.5.0 ann@example.com",
  ],
  ["bad address", brevo("invalid_email", ""), "permanent  ann@example.com"],
  [
    "full",
    brevo("soft_bounce", "452 4.2.2 The mailbox is full"),
    "temporary 4.2.2 ann@example.com",
  ],
  ["deferred", brevo("deferred", "450 try later"), "other 450 ann@example.com"],
  [
    "blocked, unsubscribed",
    brevo("blocked", "blocked : unsubscribed user"),
    "unsubscribe  ann@example.com",
  ],
  [
    "blocked after a complaint",
    brevo("blocked", "blocked : spam report"),
    "complaint  ann@example.com",
  ],
  ["blocked", brevo("blocked", "blocked : due to blacklist user"), "temporary  ann@example.com"],
  ["complaint", brevo("complaint", ""), "complaint  ann@example.com"],
  ["complaint about a campaign", brevo("spam", ""), "complaint  ann@example.com"],
  ["unsubscribe", brevo("unsubscribed", ""), "unsubscribe  ann@example.com"],
  ["delivery", brevo("delivered", ""), "delivered  ann@example.com"],
  ["opened", brevo("unique_opened", ""), "other  ann@example.com"],
];

function brevo(event: string, reason: string) {
  return {
    ...{ event, email: "ann@example.com", id: 1, "message-id": "<abc@acme.example>" },
    ...{ date: "2026-11-25 10:30:00", ts_epoch: MS, subject: "About a", tag: "a" },
    ...(reason === "" ? {} : { reason }),
  };
}

/** https://resend.com/docs/webhooks/event-types; anymail/django-anymail, tests/test_resend_webhooks.py */
export const RESEND: readonly EventRow[] = [
  [
    "permanent",
    resend("email.bounced", {
      bounce: { type: "Permanent", subType: "Suppressed", message: "It has bounced before." },
    }),
    "permanent  ann@example.com",
  ],
  [
    "permanent, without a type",
    resend("email.bounced", { bounce: { message: "A hard bounce." } }),
    "permanent  ann@example.com",
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
    "temporary 5.2.2 ann@example.com",
  ],
  [
    "suppressed",
    resend("email.suppressed", { suppressed: { message: "It is on the list." } }),
    "permanent  ann@example.com",
  ],
  ...[["bounce", "permanent"], ["complaint", "complaint"], ["manual", "other"]].map((
    [origin, expected],
  ): EventRow => [
    `suppressed for ${origin}`,
    { type: "suppression.added", created_at: AT, data: { email: "ann@example.com", origin } },
    `${expected}  ann@example.com`,
  ]),
  ["delay", resend("email.delivery_delayed", {}), "other  ann@example.com"],
  ["complaint", resend("email.complained", {}), "complaint  ann@example.com"],
  [
    "unsubscribe",
    {
      type: "contact.updated",
      created_at: AT,
      data: { id: "1", email: "ann@example.com", unsubscribed: true },
    },
    "unsubscribe  ann@example.com",
  ],
  ["delivery", resend("email.delivered", {}), "delivered  ann@example.com"],
  ["opened", resend("email.opened", {}), "other  ann@example.com"],
];

function resend(type: string, rest: object) {
  const data = { email_id: "1", from: "Acme <news@acme.example>", to: ["Ann <ann@example.com>"] };
  return { type, created_at: AT, data: { ...data, created_at: "2026-11-25T09:00:00Z", ...rest } };
}

/** https://dev.mailjet.com/email/guides/webhooks/; anymail/django-anymail, tests/test_mailjet_webhooks.py */
export const MAILJET: readonly EventRow[] = [
  [
    "permanent",
    mailjet("bounce", {
      ...{ hard_bounce: true, blocked: false, error_related_to: "recipient" },
      ...{ error: "user unknown", comment: "550 5.1.1 No such user" },
    }),
    "permanent 5.1.1 ann@example.com",
  ],
  [
    "no such domain",
    mailjet("bounce", { hard_bounce: true, error_related_to: "domain", error: "invalid domain" }),
    "permanent  ann@example.com",
  ],
  [
    "full",
    mailjet("bounce", { hard_bounce: false, error: "quota exceeded" }),
    "temporary  ann@example.com",
  ],
  [
    "greylisted",
    mailjet("bounce", { hard_bounce: false, blocked: true, error: "greylisted" }),
    "temporary  ann@example.com",
  ],
  [
    "blocked since it complained before",
    mailjet("blocked", { error_related_to: "recipient", error: "spam reporter" }),
    "complaint  ann@example.com",
  ],
  [
    "sent twice",
    mailjet("blocked", { error_related_to: "mailjet", error: "duplicate in campaign" }),
    "other  ann@example.com",
  ],
  ["blocked", mailjet("blocked", { error: "preblocked" }), "temporary  ann@example.com"],
  ["complaint", mailjet("spam", { source: "JMRPP" }), "complaint  ann@example.com"],
  ["unsubscribe", mailjet("unsub", { agent: "List-Unsubscribe" }), "unsubscribe  ann@example.com"],
  ["delivery", mailjet("sent", { smtp_reply: "250 OK" }), "delivered  ann@example.com"],
  ["opened", mailjet("open", { ip: "192.0.2.1" }), "other  ann@example.com"],
];

function mailjet(event: string, rest: object) {
  return {
    ...{ event, time: MS / 1_000, MessageID: 19421777835146490, email: "ann@example.com" },
    ...{ mj_campaign_id: 7, mj_contact_id: 4, customcampaign: "", CustomID: "", Payload: "" },
    ...rest,
  };
}

/** https://support.sparkpost.com/docs/tech-resources/webhook-event-reference; anymail/django-anymail, tests/test_sparkpost_webhooks.py */
export const SPARKPOST: readonly EventRow[] = [
  [
    "permanent",
    sparkpost("message_event", "bounce", { bounce_class: "10", raw_reason: "550 5.1.1 unknown" }),
    "permanent 5.1.1 ann@example.com",
  ],
  [
    "permanent, reported later",
    sparkpost("message_event", "out_of_band", { bounce_class: "30", raw_reason: "no mailbox" }),
    "permanent  ann@example.com",
  ],
  [
    "full",
    sparkpost("message_event", "bounce", { bounce_class: "22", raw_reason: "552 5.2.2 full" }),
    "temporary 5.2.2 ann@example.com",
  ],
  [
    "delay",
    sparkpost("message_event", "delay", { bounce_class: "21", raw_reason: "454 4.4.4 no MX" }),
    "other 4.4.4 ann@example.com",
  ],
  [
    "suppressed",
    sparkpost("gen_event", "generation_rejection", { raw_reason: "554 5.7.1 suppressed" }),
    "temporary 5.7.1 ann@example.com",
  ],
  [
    "a request to be unsubscribed",
    sparkpost("message_event", "out_of_band", { bounce_class: "90" }),
    "unsubscribe  ann@example.com",
  ],
  [
    "out of office",
    sparkpost("message_event", "bounce", { bounce_class: "60" }),
    "other  ann@example.com",
  ],
  [
    "complaint",
    sparkpost("message_event", "spam_complaint", { fbtype: "abuse" }),
    "complaint  ann@example.com",
  ],
  [
    "unsubscribe",
    sparkpost("unsubscribe_event", "list_unsubscribe", {}),
    "unsubscribe  ann@example.com",
  ],
  ["delivery", sparkpost("message_event", "delivery", {}), "delivered  ann@example.com"],
  ["opened", sparkpost("track_event", "open", {}), "other  ann@example.com"],
];

function sparkpost(kind: string, type: string, rest: object) {
  const event = {
    ...{ type, event_id: "1", timestamp: `${MS / 1_000}`, transmission_id: "1" },
    ...{ raw_rcpt_to: "ann@example.com", rcpt_to: "ann@example.com" },
    ...rest,
  };
  return { msys: { [kind]: event } };
}
