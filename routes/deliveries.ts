import { showDelivery } from "../model/delivery.ts";
import { EMAIL_MAX_OCTETS, parseEmailAddress } from "../model/email_address.ts";
import type { SendOutcome } from "../model/mail_outcome.ts";
import { controlDelivery, type DeliveryAction, getDelivery } from "../services/deliveries.ts";
import { getEntry } from "../services/entries.ts";
import { required } from "./_fields.ts";
import { type Operation, operation } from "./_operation.ts";

import { Problem } from "./_problem.ts";
import { jsonReply } from "./_reply.ts";

const ENTRY_PATH = "/api/v1/changelogs/entries/:entryId";
const PATH = `${ENTRY_PATH}/delivery`;
const OF_ENTRY = {
  tag: "Changelog entries",
  params: {
    entryId: { description: "The identifier of the entry.", examples: ["dark-mode"] },
  },
} as const;
const COMMON = {
  ...OF_ENTRY,
  successes: [{ status: 200, description: "The delivery as it is now.", schema: "Delivery" }],
  problems: ["delivery_not_found"],
} as const;

const NOT_FOUND = new Problem("delivery_not_found", "The entry is not being mailed, and was not");

const NO_ENTRY = new Problem("entry_not_found", "There is no entry with this entryId");
const NO_MAIL = new Problem(
  "mail_not_configured",
  "The server sends no mail: give it a relay, a sender and a public URL",
);

/** The operations on the deliveries of entries by mail. */
export const deliveryOperations: readonly Operation[] = [
  operation({
    ...COMMON,
    method: "GET",
    path: PATH,
    operationId: "getDelivery",
    summary: "Read the delivery of an entry",
    description: "Returns how far the mailing of an entry to its subscribers has got.",
    scope: "entries:read",
    async run({ storage, param }) {
      const delivery = await getDelivery(storage, param);
      return delivery === undefined ? NOT_FOUND : jsonReply(200, showDelivery(delivery));
    },
  }),
  steering("pause", "Pause a delivery", "Sends no further mail until the delivery is resumed."),
  steering("resume", "Resume a delivery", "Has a delivery go on that is paused or held."),
  steering(
    "cancel",
    "Cancel a delivery",
    "Ends the delivery for good. Mails that are sent stay sent.",
  ),

  operation({
    ...OF_ENTRY,
    method: "POST",
    path: `${ENTRY_PATH}/test`,
    operationId: "testEntry",
    summary: "Mail an entry to one address",
    description: "Mails the entry, which may be a draft, to this address alone, marked as a test.",
    scope: "entries:write",
    body: {
      userEmail: required(parseEmailAddress, {
        description: "Whom to mail, subscribed or not.",
        format: "idn-email",
        maxLength: EMAIL_MAX_OCTETS,
        examples: ["ann@example.com"],
      }),
    },
    successes: [{ status: 200, description: "What became of it.", schema: "TestMail" }],
    problems: ["entry_not_found", "mail_not_configured"],
    async run({ storage, param: entryId, body: { userEmail }, worker }) {
      const entry = await getEntry(storage, entryId);
      if (entry === undefined) return NO_ENTRY;
      if (worker?.sendTest === undefined) return NO_MAIL;
      const problem = await outcomeOf(worker.sendTest(entry, userEmail));
      return jsonReply(200, { entryId, userEmail, sent: problem === null, problem });
    },
  }),
];

/** Returns why a mail was not taken, or `null`. */
async function outcomeOf(sent: Promise<SendOutcome>): Promise<string | null> {
  try {
    const outcome = await sent;
    return outcome.state === "sent" ? null : outcome.text;
  } catch (error) {
    if (error instanceof Error && error.name === "MailerError") return error.message;
    throw error;
  }
}

function steering(action: DeliveryAction, summary: string, description: string): Operation {
  return operation({
    ...COMMON,
    method: "POST",
    path: `${PATH}/${action}`,
    operationId: `${action}Delivery`,
    summary,
    description: `${description} A delivery that has ended stays as it is.`,
    scope: "entries:write",
    body: {},
    bodyOptional: true,
    async run({ storage, param, now, worker }) {
      const delivery = await controlDelivery(storage, param, { action, at: now.text });
      worker?.wake();
      return delivery === undefined ? NOT_FOUND : jsonReply(200, showDelivery(delivery));
    },
  });
}
