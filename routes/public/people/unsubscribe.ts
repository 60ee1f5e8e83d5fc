import type { SiteContext } from "../../branded.ts";
import { text } from "../../../model/declare.ts";
import { SUBSCRIPTIONS } from "../../../model/kinds.ts";
import { textsOf } from "../../../model/locales/locales.ts";
import { entryAddress } from "../../../model/public_site.ts";
import { getPublished } from "../../../services/entries/catalogue.ts";
import { listWeekSoFar } from "../../../services/deliveries/weekly.ts";
import {
  type Choices,
  CHOSEN_LABELS,
  CHOSEN_PACE,
  MAX_LABELS,
  MAX_OFFERED,
  wants,
} from "../../../model/subscriptions/choices.ts";
import { Refusal } from "../../../model/values/refusal.ts";
import type { Snapshots } from "../changelog/snapshots.ts";
import type { OfferedChoices } from "./mail_forms.ts";
import { unsubscribe, updateSubscription } from "../../../services/subscriptions/subscriptions.ts";
import {
  type LinkOwner,
  openUnsubscribeToken,
} from "../../../services/subscriptions/unsubscribe_links.ts";
import { endAsks } from "../../../services/posts/votes/asks.ts";
import type { PublicSite } from "../_page/site.ts";
import type { Notes } from "../_page/notes.ts";
import { createNoteReply } from "../_page/note_reply.ts";
import { type Context, FOUND_PAGE, type Operation, operation } from "../../_http/operation.ts";
import type { Reply } from "../../_http/reply.ts";
import { createCipherCache } from "../../../services/privacy/sealed.ts";

const PATH = "/unsubscribe/:token";
const COMMON = {
  successes: [
    FOUND_PAGE,
    { status: 404, description: "The link is not complete.", schema: "Page" },
  ],
  isPage: true,
  problems: ["storage_unavailable"],
} as const;

// A bad value counts as absent, because the page shows no errors for single fields.
const accept = (text: string) => text;
const LABEL_NAMES = Array.from({ length: MAX_OFFERED }, (_, index) => `label${index + 1}`);
const LABEL_FIELD = text("A label to get.", "new", { parse: accept });
const LABEL_FIELDS: Readonly<Record<string, typeof LABEL_FIELD>> = Object.fromEntries(
  LABEL_NAMES.map((name) => [name, LABEL_FIELD]),
);

/** The labels in a form: `all` for every entry, `undefined` for no choice. */
type LabelChoice = "all" | readonly string[] | undefined;

/** The result of a form, for the page to show. */
interface ChoiceResult {
  readonly isSaved?: boolean;
  /** The choices that were not saved. */
  readonly refused?: Choices;
  /** The reason why they were not saved. */
  readonly problem?: string;
}

/**
 * Creates a function that returns a person's choices and the options, by the token of their link.
 */
export function createOffer(site: PublicSite, snapshots: Snapshots): (
  context: Pick<Context, "storage" | "now">,
  choices: Choices,
  url: string,
) => Promise<OfferedChoices> {
  return async ({ storage, now }, { labels, pace }, url) => {
    const { lists } = await snapshots(storage, now.text);
    const entries = await getPublished(storage, await listWeekSoFar(storage), now.text);
    const week = entries.filter((entry) => wants({ labels }, entry.labels))
      .map((entry) => ({ title: entry.title, url: entryAddress(site, entry) }));
    return { action: `${url}/choices`, offered: lists.labels, labels, pace, week };
  };
}

/** Creates the operations of the unsubscribe link. */
export async function operations(context: SiteContext): Promise<readonly Operation[]> {
  const { site } = context;
  const snapshots = await context.snapshots();
  const texts = textsOf(site.language);
  const getCipher = createCipherCache("unsubscribe");
  const reply = createNoteReply(site);
  const offer = createOffer(site, snapshots);

  /** Returns the owner of the link that a request opens. */
  async function openToken({ storage, param }: Pick<Context, "storage" | "param">) {
    return openUnsubscribeToken(await getCipher(storage), param);
  }

  /** Shows a page. `use` receives the owner of the link. */
  async function show(
    context: Context,
    use: (owner: LinkOwner, notes: Notes) => Promise<string>,
    status = 200,
  ): Promise<Reply> {
    const owner = await openToken(context);
    return owner === undefined
      ? await reply(context.storage, 404, ({ unknown }) => unknown)
      : await reply(context.storage, status, (notes) => use(owner, notes));
  }

  /**
   * Asks whether to unsubscribe. Subscribers also get the form of choices; `result` is that of the
   * form they have just sent.
   */
  async function ask(context: Context, result: ChoiceResult = {}): Promise<Reply> {
    const { refused, ...shown } = result;
    return await show(context, async ({ userEmail, endsAsksOnly }, notes) => {
      const { unsubscribe } = notes;
      const url = `${site.publicUrl}/unsubscribe/${context.param}`;
      if (endsAsksOnly) return notes.endAsks(url);
      const subscription = await context.storage.get(SUBSCRIPTIONS, userEmail);
      if (!subscription?.subscribed) return unsubscribe(url);
      const choices = await offer(context, refused ?? subscription, url);
      return unsubscribe(url, { ...choices, ...shown });
    }, refused === undefined ? 200 : 422);
  }

  /** Returns the reason why labels can't be saved. */
  function problemOf(chosen: LabelChoice): string | undefined {
    if (chosen === "all" || chosen === undefined) return undefined;
    if (chosen.length === 0) return texts.noLabel;
    return chosen.length > MAX_LABELS ? texts.tooManyLabels(MAX_LABELS) : undefined;
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
        "Unsubscribes the owner of the link, in one click (RFC 8058). People who got the mail " +
        "because they asked, and not as subscribers, have another link: it ends all that they " +
        "asked to be told of. The body of the request does not matter.",
      run: (context) => {
        const link = { source: "link", at: context.now.text } as const;
        return show(context, async ({ userEmail, endsAsksOnly }, { unsubscribed, asksEnded }) => {
          if (endsAsksOnly) {
            await endAsks(context.storage, userEmail);
            return asksEnded;
          }
          await unsubscribe(context.storage, userEmail, link);
          return unsubscribed;
        });
      },
    }),

    operation("GET", `${PATH}/choices`, {
      ...COMMON,
      operationId: "getChoicesPage",
      summary: "Show the choices again",
      description:
        "Returns the page of the link, for a browser that opens the address of the sent form again.",
      run: (context) => ask(context),
    }),

    operation("POST", `${PATH}/choices`, {
      ...COMMON,
      operationId: "chooseByLink",
      summary: "Choose what to get by the link of a mail",
      description:
        "Limits what the owner of the link gets to entries with some labels, or to one mail a " +
        "week. A form without a choice changes nothing.",
      successes: [
        ...COMMON.successes,
        { status: 422, description: "The form as it was sent, with the error.", schema: "Page" },
      ],
      ignoresUnknown: true,
      body: {
        choose: {
          schema: {
            description: "`all` for every entry, `some` for the labels below.",
            type: "string",
            examples: ["all"],
          },
          parse: accept,
        },
        pace: {
          schema: { description: "`each` or `weekly`.", type: "string", examples: ["each"] },
          parse: accept,
        },
        ...LABEL_FIELDS,
      },
      async run(context) {
        const { body, storage, now } = context;
        const { userEmail, endsAsksOnly } = await openToken(context) ?? {};
        const current = endsAsksOnly || userEmail === undefined
          ? undefined
          : await storage.get(SUBSCRIPTIONS, userEmail);
        if (userEmail === undefined || !current?.subscribed) return await ask(context);
        const chosen = readLabels(body, current.labels);
        const pace = CHOSEN_PACE.parse(body.pace ?? "");
        const newPace = pace instanceof Refusal ? {} : { pace };
        const problem = problemOf(chosen);
        if (problem !== undefined) {
          const labels = chosen === "all" ? null : chosen ?? current.labels;
          return await ask(context, { problem, refused: { ...current, ...newPace, labels } });
        }
        const labels = CHOSEN_LABELS.parse(chosen === "all" ? "" : chosen?.join(" ") ?? "");
        const isChoice = chosen !== undefined && !(labels instanceof Refusal);
        const change = isChoice ? { ...newPace, labels } : newPace;
        await updateSubscription(storage, userEmail, { change, at: now.text });
        return await ask(context, { isSaved: Object.keys(change).length > 0 });
      },
    }),
  ];
}

/** Reads the labels in a form, for a person whose choice was `known`. */
function readLabels(
  body: Readonly<Partial<Record<string, string | null>>>,
  known: Choices["labels"],
): LabelChoice {
  const ticked = LABEL_NAMES.map((name) => body[name] ?? "").filter((label) => label !== "");
  const labels = [...new Set(ticked)];
  // A person who had everything and ticks a label wants that label, even if the button above stays
  // pressed.
  const isAll = body.choose === "all" && (known !== null || labels.length === 0);
  if (isAll) return "all";
  return body.choose || labels.length > 0 ? labels : undefined;
}
