import { SUBSCRIPTIONS } from "../../model/kinds.ts";
import { entryAddress } from "../../model/public_site.ts";
import { getPublished } from "../../services/entries/catalogue.ts";
import { listWeekSoFar } from "../../services/deliveries/weekly.ts";
import { EPOCH } from "../../model/values/time.ts";
import {
  type Choices,
  CHOSEN_LABELS,
  CHOSEN_PACE,
  MAX_OFFERED,
  wants,
} from "../../model/subscriptions/choices.ts";
import { Refusal } from "../../model/values/refusal.ts";
import type { Editions } from "./pages/cache.ts";
import type { OfferedChoices } from "./pages/choices_form.ts";
import { optional } from "../_http/fields.ts";
import { unsubscribe, updateSubscription } from "../../services/subscriptions/subscriptions.ts";
import { createCipherCache } from "../../services/subscriptions/unsubscribe_links.ts";
import type { PublicSite } from "./pages/site.ts";
import type { Notes } from "./pages/notes.ts";
import { createNoteReply } from "./note_reply.ts";
import { type Context, FOUND_PAGE, type Operation, operation } from "../_http/operation.ts";
import type { Reply } from "../_http/reply.ts";

const PATH = "/unsubscribe/:token";
const COMMON = {
  successes: [
    FOUND_PAGE,
    { status: 404, description: "The link is not complete.", schema: "Page" },
  ],
  isPage: true,
  problems: ["storage_unavailable"],
} as const;

// What is wrong is left as it is, and not a problem.
const accept = (text: string) => text;
const LABEL_FIELDS = Object.fromEntries(
  Array.from({ length: MAX_OFFERED }, (_, index) => [
    `label${index + 1}`,
    optional(accept, { description: "A label to get.", examples: ["new"] }),
  ]),
) as Record<"label1", ReturnType<typeof optional<string>>>;

/** Creates what tells which choices somebody has, by their link to unsubscribe. */
export function createOffer(site: PublicSite): (
  context: Pick<Context, "storage" | "now">,
  choices: Choices,
  url: string,
) => Promise<OfferedChoices> {
  let editions: Editions | undefined;
  return async ({ storage, now }, { labels, pace }, url) => {
    const { createEditions } = await import("./pages/cache.ts");
    editions ??= createEditions(EPOCH);
    const { catalogue } = await editions(storage, now.text);
    const entries = await getPublished(storage, await listWeekSoFar(storage), now.text);
    const week = entries.filter((entry) => wants({ labels }, entry.labels))
      .map((entry) => ({ title: entry.title, url: entryAddress(site, entry) }));
    return { action: `${url}/choices`, offered: catalogue.labels, labels, pace, week };
  };
}

/** Creates the operations of the link to unsubscribe. */
export function unsubscribeOperations(site: PublicSite): readonly Operation[] {
  const getCipher = createCipherCache();
  const reply = createNoteReply(site);
  const offer = createOffer(site);

  /** Shows a page; `use` receives the address that the token carries. */
  async function show(
    { storage, param }: Context,
    use: (userEmail: string, notes: Notes) => Promise<string>,
  ): Promise<Reply> {
    const userEmail = await (await getCipher(storage)).decrypt(param);
    return userEmail === undefined
      ? await reply(404, ({ unknown }) => unknown)
      : await reply(200, (notes) => use(userEmail, notes));
  }

  /** Shows the question and, to who is subscribed, what they may choose. */
  async function ask(context: Context, isSaved = false): Promise<Reply> {
    return await show(context, async (userEmail, { unsubscribe }) => {
      const subscription = await context.storage.get(SUBSCRIPTIONS, userEmail);
      if (!subscription?.subscribed) return unsubscribe();
      const url = `${site.publicUrl}/unsubscribe/${context.param}`;
      return unsubscribe({ ...await offer(context, subscription, url), isSaved });
    });
  }

  return [
    operation("GET", PATH, {
      ...COMMON,
      operationId: "getUnsubscribePage",
      summary: "Ask whether to unsubscribe",
      description:
        "Returns a page with a button and, below it, a form to choose what to get. Changes " +
        "nothing, however often it is fetched.",
      run: (context) => ask(context),
    }),

    operation("POST", PATH, {
      ...COMMON,
      operationId: "unsubscribeByLink",
      summary: "Unsubscribe by the link of a mail",
      description:
        "Unsubscribes the owner of the link, in one click (RFC 8058). What the body holds " +
        "does not matter.",
      run: (context) => {
        const link = { source: "link", at: context.now.text } as const;
        return show(context, async (userEmail, { unsubscribed }) => {
          await unsubscribe(context.storage, userEmail, link);
          return unsubscribed;
        });
      },
    }),

    operation("GET", `${PATH}/choices`, {
      ...COMMON,
      operationId: "getChoicesPage",
      summary: "Come back to what was chosen",
      description: "Returns the same page, to who opens the address of one that was saved again.",
      run: (context) => ask(context),
    }),

    operation("POST", `${PATH}/choices`, {
      ...COMMON,
      operationId: "chooseByLink",
      summary: "Choose what to get by the link of a mail",
      description:
        "Has the owner of the link get only entries with some labels, or one mail a week.",
      ignoresUnknown: true,
      body: {
        choose: optional(accept, {
          description: "`some` for the labels below.",
          examples: ["all"],
        }),
        pace: optional(accept, { description: "`each` or `weekly`.", examples: ["each"] }),
        ...LABEL_FIELDS,
      },
      async run(context) {
        const { body, storage, now } = context;
        const chosen = Object.keys(LABEL_FIELDS).map((name) => body[name as "label1"] ?? "");
        const userEmail = await (await getCipher(storage)).decrypt(context.param);
        const current = userEmail && await storage.get(SUBSCRIPTIONS, userEmail);
        // Who had everything and ticks a label wants it, whichever button above stays pressed.
        const isSome = body.choose !== "all" || current && current.labels === null;
        const labels = CHOSEN_LABELS.parse(isSome ? chosen.join(" ") : "");
        const pace = CHOSEN_PACE.parse(body.pace ?? "");
        const change = {
          ...!(labels instanceof Refusal) && { labels },
          ...!(pace instanceof Refusal) && { pace },
        };
        if (userEmail !== undefined) {
          await updateSubscription(storage, userEmail, { change, at: now.text });
        }
        // More labels than may be chosen are not saved.
        return await ask(context, !(labels instanceof Refusal));
      },
    }),
  ];
}
