import { ENTRIES } from "../../model/kinds.ts";
import {
  exampleOf,
  flag,
  object,
  sentFlag,
  text,
  textOrNull,
  withSchema,
} from "../../model/declare.ts";
import { SUBSCRIPTION } from "../../model/subscriptions/subscription.ts";
import { ENTRY } from "../../model/entries/entry.ts";
import { showEntry } from "../../model/entries/publication.ts";
import { parseInstant } from "../../model/values/time.ts";
import type { SendOutcome } from "../../model/deliveries/mail_outcome.ts";
import { type EntryOutcome, publish, unpublish } from "../../services/entries/publish.ts";
import { changeReply } from "../_http/conditions.ts";
import { ENTRY_PATH, ENTRY_RESPONSE, PUBLISHING, readMore } from "./_entries.ts";
import { readablePart } from "../_http/credentials.ts";
import { type Context, type Operation, operation, type Outcome } from "../_http/operation.ts";
import { badValue } from "../_http/problem.ts";
import { jsonReply } from "../_http/reply.ts";

const RESULT = object("EntryResult", "An entry after a call.", {
  ...ENTRY_RESPONSE.fields,
  changed: flag("Whether the call changed anything."),
});
const TEST_MAIL = object("TestMail", "The outcome of a test mail.", {
  entryId: text("The entry that is mailed.", exampleOf(ENTRY.fields).entryId),
  userEmail: withSchema(SUBSCRIPTION.fields.userEmail, { description: "Whom it is for." }),
  sent: flag("Whether the relay took the mail."),
  problem: textOrNull("Why it did not, for people."),
});
const OF_PUBLICATION = {
  scope: PUBLISHING,
  successes: [{ status: 200, schema: RESULT, headers: ["ETag"] }],
} as const;

export const operations = (): readonly Operation[] => [
  operation("POST", `${ENTRY_PATH}/publish`, {
    ...OF_PUBLICATION,
    operationId: "publishEntry",
    summary: "Publish an entry",
    description:
      "Makes the entry public, now or at a given time. With `notify`, every subscriber is " +
      "mailed once, if the entry was never public before. If nothing can mail, `notify` is " +
      "a 409. Without `notify`, a time in the past dates the entry back. Publishing again " +
      "changes nothing and mails nobody. A scheduled entry takes the new time: with " +
      "`notify`, its mailing moves, too; without, nobody is mailed. Without `entries:read`, " +
      "the response has no text of the entry.",
    body: {
      notify: sentFlag("Whether subscribers are mailed."),
      at: {
        schema: {
          // An unset variable in a script must not mail everybody.
          minLength: 1,
          description:
            "When the entry becomes public (RFC 3339); absent: now. In the past only with `notify=false`.",
          type: "string",
          format: "date-time",
        },
        parse: parseInstant,
      },
    },
    required: ["notify"],
    check({ at, notify }, now) {
      if (!at || at > now.text || notify === false) return [];
      const reason = "is not in the future: only with notify=false does it date the entry back";
      return [badValue("at", reason)];
    },
    problems: ["mail_not_configured"],
    async run(context) {
      const { storage, param, body, caller, now: { text: now }, worker, hasMail } = context;
      if (body.notify && !await hasMail()) return "mail_not_configured";
      const from = body.at ?? now;
      const publication = { from, notify: body.notify, by: caller.name, at: now };
      const outcome = await publish(storage, param, publication);
      worker?.wake();
      return await outcomeReply(outcome, context);
    },
  }),

  operation("POST", `${ENTRY_PATH}/unpublish`, {
    ...OF_PUBLICATION,
    operationId: "unpublishEntry",
    summary: "Unpublish an entry",
    description:
      "Makes the entry a draft again, and ends its delivery. Without `entries:read`, the " +
      "response has no text of the entry.",
    async run(context) {
      const { storage, param, caller, now: { text: now } } = context;
      const outcome = await unpublish(storage, param, { by: caller.name, at: now });
      return await outcomeReply(outcome, context);
    },
  }),

  operation("POST", `${ENTRY_PATH}/test`, {
    operationId: "testEntry",
    summary: "Mail an entry to one address",
    description:
      "Mails the entry to this address alone, marked as a test. The entry may be a draft.",
    scope: "entries:write",
    body: {
      userEmail: withSchema(SUBSCRIPTION.fields.userEmail, {
        description: "Whom to mail, subscribed or not.",
      }),
    },
    required: ["userEmail"],
    successes: [{ status: 200, schema: TEST_MAIL }],
    problems: ["mail_not_configured"],
    async run({ storage, param: entryId, body: { userEmail }, worker }) {
      const entry = await storage.get(ENTRIES, entryId);
      if (entry === undefined) return "entry_not_found";
      if (worker?.sendTest === undefined) return "mail_not_configured";
      const problem = await problemOf(worker.sendTest(entry, userEmail));
      return jsonReply(200, { entryId, userEmail, sent: problem === null, problem });
    },
  }),
];

async function outcomeReply(
  outcome: EntryOutcome | undefined,
  context: Pick<Context, "storage" | "caller" | "now" | "isGone">,
): Promise<Outcome> {
  if (outcome === undefined) return "entry_not_found";
  const { caller, now } = context;
  return changeReply(showEntry(outcome.entry, now.text), {
    changed: outcome.changed,
    also: await readMore(context, outcome.entry),
    show: (entry) =>
      readablePart(entry, caller, {
        scope: "entries:read",
        fields: ["entryId", "state", "publishedAt", "publishedBy", "updatedAt", "updatedBy"],
      }),
  });
}

/** Returns the reason why a mail was not sent, or `null`. */
async function problemOf(sending: Promise<SendOutcome>): Promise<string | null> {
  try {
    const outcome = await sending;
    return "text" in outcome ? outcome.text : null;
  } catch (error) {
    if (error instanceof Error && error.name === "MailerError") return error.message;
    throw error;
  }
}
