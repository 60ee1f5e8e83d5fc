import { SETTINGS, SUBSCRIPTIONS } from "../../model/kinds.ts";
import { parseEmailAddress } from "../../model/values/email_address.ts";
import { parseUserName } from "../../model/values/text.ts";
import { Refusal } from "../../model/values/refusal.ts";
import {
  CONFIRM_KEY,
  type Confirmation,
  confirmSignUp,
  isConfirmable,
} from "../../services/subscriptions/sign_ups.ts";
import {
  createCipherCache,
  createUnsubscribeLink,
} from "../../services/subscriptions/unsubscribe_links.ts";
import { createNoteReply } from "./note_reply.ts";
import type { Notes } from "./pages/notes.ts";
import { createOffer } from "./unsubscribe.ts";
import { type PublicSite, TRAP_FIELD } from "./pages/site.ts";
import { type Context, FOUND_PAGE, type Operation, operation } from "../_http/operation.ts";
import type { Reply } from "../_http/reply.ts";
import { SUBSCRIPTION } from "../../model/subscriptions/subscription.ts";

const PATH = "/subscribe";
const CONFIRM_PATH = "/confirm/:token";
const CONFIRMING = {
  isPage: true,
  successes: [
    FOUND_PAGE,
    { status: 404, description: "The link is not complete.", schema: "Page" },
    { status: 410, description: "The link is not valid any more.", schema: "Page" },
  ],
  problems: ["storage_unavailable"],
} as const;
// What is wrong is said in the form, and not as a problem.
const accept = (text: string) => text;

/** The pages by which people ask for the changelog by mail, and confirm that it was them. */
export function signUpOperations(site: PublicSite): readonly Operation[] {
  const openConfirmations = createCipherCache(CONFIRM_KEY);
  const openUnsubscribeLinks = createCipherCache();
  const offer = createOffer(site);
  const show = createNoteReply(site);

  async function confirm(
    { storage, param }: Context,
    use: (confirmation: Confirmation) => Promise<boolean>,
    render: (notes: Notes, confirmation: Confirmation) => string | Promise<string>,
  ): Promise<Reply> {
    const text = await (await openConfirmations(storage)).decrypt(param);
    if (text === undefined) return await show(404, ({ unknown }) => unknown);
    const confirmation: Confirmation = JSON.parse(text);
    if (!await use(confirmation)) return await show(410, ({ expired }) => expired);
    return await show(200, (notes) => render(notes, confirmation));
  }

  return [
    operation("GET", PATH, {
      isPage: true,
      operationId: "getSignUpPage",
      summary: "Ask for the changelog by mail",
      successes: [FOUND_PAGE],
      run: () => show(200, ({ form }) => form()),
    }),

    operation("POST", PATH, {
      isPage: true,
      operationId: "signUp",
      summary: "Send the form",
      description:
        "Has a link mailed by which the person confirms. The answer is the same, and as " +
        "fast, whatever is known of the address.",
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
          return await show(422, ({ form }) => form({ ...attempt, refused }));
        }
        // Where storage can't be read, no mail would come.
        await storage.get(SETTINGS, CONFIRM_KEY);
        if (!body[TRAP_FIELD]) worker?.signUp?.({ userEmail, userName: userName || null });
        return await show(200, ({ sent }) => sent);
      },
    }),

    operation("GET", CONFIRM_PATH, {
      ...CONFIRMING,
      operationId: "getConfirmationPage",
      summary: "Ask whether to subscribe",
      description: "Returns a page with one button. Changes nothing, however often it is fetched.",
      run: (context) =>
        confirm(
          context,
          (confirmation) => isConfirmable(context.storage, confirmation, context.now.text),
          ({ confirm }, { userEmail }) => confirm(userEmail),
        ),
    }),

    operation("POST", CONFIRM_PATH, {
      ...CONFIRMING,
      operationId: "confirmSignUp",
      summary: "Subscribe by the link of a mail",
      description:
        "Subscribes the owner of the link, which is valid for 7 days, and not beyond a later " +
        "opt-out or erasure. What the body holds does not matter.",
      run: (context) =>
        confirm(
          context,
          (confirmation) => confirmSignUp(context.storage, confirmation, context.now.text),
          async ({ confirmed }, { userEmail }) => {
            const cipher = await openUnsubscribeLinks(context.storage);
            const url = await createUnsubscribeLink(cipher, site.publicUrl, userEmail);
            const known = await context.storage.get(SUBSCRIPTIONS, userEmail);
            return confirmed(await offer(context, known ?? { labels: null, pace: "each" }, url));
          },
        ),
    }),
  ];
}
