import type { BounceEvent, BounceType } from "../../model/bounces/bounce_event.ts";
import { confirmPermanent, findCode } from "./_status.ts";
import { asList, asObject, asText, asTime, type Json } from "./_values.ts";

/**
 * Reads a message of Amazon SNS with an event of Amazon SES, or the event alone; `undefined` if it is
 * neither. What SNS itself says, such as that a topic works, is no event.
 */
export function readAmazonSes(message: Json): readonly BounceEvent[] | undefined {
  const isEvent = typeof (message.notificationType ?? message.eventType) === "string" &&
    "mail" in message;
  if (isEvent) return readEvent(message, undefined);
  if (typeof message.Type !== "string" || typeof message.TopicArn !== "string") return undefined;
  if (message.Type !== "Notification") return [];
  let event: Json;
  try {
    event = asObject(JSON.parse(asText(message.Message)));
  } catch {
    return [];
  }
  return "mail" in event ? readEvent(event, message.Timestamp) : [];
}

/** Returns the URL that confirms a subscription of Amazon SNS, if the message asks for that. */
export function readSnsConfirmation(message: Json): string | undefined {
  const isAsked = message.Type === "SubscriptionConfirmation" && "TopicArn" in message;
  return isAsked ? asText(message.SubscribeURL) : undefined;
}

// https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html
function readEvent(event: Json, sentAt: unknown): readonly BounceEvent[] {
  const mail = asObject(event.mail);
  const base = { messageId: messageIdOf(mail), code: "", text: "" };
  switch (event.notificationType ?? event.eventType) {
    case "Bounce": {
      const { bounceType, timestamp, bouncedRecipients } = asObject(event.bounce);
      return asList(bouncedRecipients).map(asObject).map((recipient) => {
        const text = asText(recipient.diagnosticCode);
        const code = asText(recipient.status) || findCode(text);
        const type = bounceType === "Permanent" ? confirmPermanent(code) : "temporary";
        const address = asText(recipient.emailAddress);
        return { ...base, address, type, at: asTime(timestamp, sentAt), code, text };
      });
    }
    case "Complaint": {
      const complaint = asObject(event.complaint);
      // Somebody moved the mail out of the spam folder.
      const type = complaint.complaintFeedbackType === "not-spam" ? "other" : "complaint";
      const at = asTime(complaint.arrivalDate, complaint.timestamp, sentAt);
      return asList(complaint.complainedRecipients).map(asObject)
        .map(({ emailAddress }) => ({ ...base, address: asText(emailAddress), type, at }));
    }
    case "DeliveryDelay": {
      const { timestamp, delayedRecipients } = asObject(event.deliveryDelay);
      const at = asTime(timestamp, sentAt);
      return asList(delayedRecipients).map(asObject).map((recipient) => ({
        ...base,
        address: asText(recipient.emailAddress),
        type: "temporary",
        at,
        code: asText(recipient.status),
        text: asText(recipient.diagnosticCode),
      }));
    }
    case "Delivery": {
      const { timestamp, recipients } = asObject(event.delivery);
      const at = asTime(timestamp, sentAt);
      return asList(recipients)
        .map((address) => ({ ...base, address: asText(address), type: "delivered", at }));
    }
    case "Subscription": {
      const { timestamp, newTopicPreferences } = asObject(event.subscription);
      const { unsubscribeAll } = asObject(newTopicPreferences);
      const type: BounceType = unsubscribeAll === true ? "unsubscribe" : "other";
      const address = asText(...asList(mail.destination));
      return [{ ...base, address, type, at: asTime(timestamp, sentAt) }];
    }
    default:
      // It is about a mail, such as that it was opened, and does not say whose.
      return [{ ...base, address: "", type: "other", at: asTime(sentAt) }];
  }
}

function messageIdOf(mail: Json): string {
  const headers = asList(mail.headers).map(asObject);
  const header = headers.find(({ name }) => asText(name).toLowerCase() === "message-id");
  return asText(header?.value, asObject(mail.commonHeaders).messageId);
}
