import type { SiteContext } from "../../branded.ts";
import { SETTINGS } from "../../../model/kinds.ts";
import { parseEmailAddress } from "../../../model/values/email_address.ts";
import { parseUserName } from "../../../model/values/text.ts";
import { Refusal } from "../../../model/values/refusal.ts";
import { FORM_MAIL_COUNT } from "../../../services/proof/rate.ts";
import { createNoteReply } from "../_page/note_reply.ts";
import { TRAP_FIELD } from "../_page/site.ts";
import { FOUND_PAGE, type Operation, operation } from "../../_http/operation.ts";
import { SUBSCRIPTION } from "../../../model/subscriptions/subscription.ts";

const PATH = "/subscribe";
// The form itself shows errors, instead of a problem.
const accept = (text: string) => text;

/** Creates the operations of the sign-up form. */
export function operations({ site }: SiteContext): readonly Operation[] {
  const show = createNoteReply(site);

  return [
    operation("GET", PATH, {
      isPage: true,
      operationId: "getSignUpPage",
      summary: "Ask for the changelog by mail",
      successes: [FOUND_PAGE],
      run: ({ storage }) => show(storage, 200, ({ form }) => form()),
    }),

    operation("POST", PATH, {
      isPage: true,
      operationId: "signUp",
      summary: "Send the form",
      description:
        "Mails a link that confirms the sign-up. The response is the same, and takes the same " +
        "time, whatever is known of the address.",
      ignoresUnknown: true,
      body: {
        userEmail: { ...SUBSCRIPTION.fields.userEmail, parse: accept },
        userName: { ...SUBSCRIPTION.fields.userName, parse: accept },
        [TRAP_FIELD]: {
          schema: {
            description: "People don't see this field: no mail is sent where it is filled in.",
            type: "string",
          },
          parse: accept,
        },
      },
      successes: [
        { status: 200, description: "A page that says to look for the mail.", schema: "Page" },
        { status: 422, description: "The form, with what to mend.", schema: "Page" },
      ],
      problems: ["storage_unavailable"],
      async run({ body, storage, worker }) {
        const attempt = { userEmail: body.userEmail ?? "", userName: body.userName ?? "" };
        const userEmail = parseEmailAddress(attempt.userEmail);
        const userName = parseUserName(attempt.userName);
        if (userEmail instanceof Refusal || userName instanceof Refusal) {
          const refused = Object.entries({ userEmail, userName })
            .filter(([, value]) => value instanceof Refusal).map(([name]) => name);
          return await show(storage, 422, ({ form }) => form({ ...attempt, refused }));
        }
        // Fails if storage can't be read, because then no mail would come.
        await storage.get(SETTINGS, FORM_MAIL_COUNT);
        const page = await show(storage, 200, ({ sent }) => sent());
        if (!body[TRAP_FIELD]) {
          const item = { type: "sign-up", userName: userName || null } as const;
          worker?.askForProof?.({ userEmail, item, boardId: null });
        }
        return page;
      },
    }),
  ];
}
