import type { SiteContext } from "../../branded.ts";
import { text } from "../../../model/declare.ts";
import type { Storage } from "../../../adapters/storage.ts";
import { POSTS, SUBSCRIPTIONS } from "../../../model/kinds.ts";
import { textsOf } from "../../../model/locales/locales.ts";
import type { PendingItem } from "../../../model/proof/pending.ts";
import type { Html } from "../../../model/values/html.ts";
import { findOwnVotes } from "../../../services/people/own_votes.ts";
import { findPost, followMerges, isShownTo, showPosts } from "../../../services/posts/posts.ts";
import { mailboxOf } from "../../../model/posts/vote.ts";
import { sealBrowser } from "../../../services/people/browser.ts";
import { listMine } from "../../../services/people/mine.ts";
import { closeMailbox } from "../../../services/proof/closing.ts";
import { isLinkValid, openLink, type ProofLink } from "../../../services/proof/links.ts";
import { confirmPending, listPending } from "../../../services/proof/pending.ts";
import { signUpState } from "../../../services/proof/sign_ups.ts";
import { createUnsubscribeLink } from "../../../services/subscriptions/unsubscribe_links.ts";
import { type Context, FOUND_PAGE, type Operation, operation } from "../../_http/operation.ts";
import type { Reply } from "../../_http/reply.ts";
import { createNoteReply } from "../_page/note_reply.ts";
import {
  readTicks,
  renderConfirmed,
  renderWaiting,
  type ShownItem,
  TICK_FIELDS,
  tickOf,
} from "./confirm_page.ts";
import { renderMine, showOwn } from "./me_page.ts";
import { addressOf, renderWay } from "../_page/site.ts";
import { renderRows } from "../boards/rows.ts";
import { createOffer } from "./unsubscribe.ts";
import { createFormReplies } from "../_page/forms.ts";
import { isOwnForm, keepCookie } from "../_page/visitor.ts";
import { createCipherCache } from "../../../services/privacy/sealed.ts";

const PATH = "/confirm/:token";
const COMMON = {
  isPage: true,
  successes: [
    FOUND_PAGE,
    { status: 404, description: "The link is not complete.", schema: "Page" },
    { status: 410, description: "The link is not valid any more.", schema: "Page" },
  ],
  problems: ["storage_unavailable"],
} as const;

const accept = (text: string) => text;

/** Creates the operations of the link by which people prove their address. */
export async function operations(
  { site, snapshots }: SiteContext,
): Promise<readonly Operation[]> {
  const openUnsubscribeLinks = createCipherCache("unsubscribe");
  const offer = createOffer(site, await snapshots());
  const show = createNoteReply(site);
  const actionOf = (token: string) => `${site.publicUrl}/confirm/${token}`;

  /** Opens the link in the path. Replies with a note if it is unknown or has expired. */
  async function follow(
    { storage, param, now }: Pick<Context, "storage" | "param" | "now">,
    use: (link: ProofLink) => Promise<Reply>,
  ): Promise<Reply> {
    const link = await openLink(storage, param);
    if (link === undefined) return await show(storage, 404, ({ unknown }) => unknown);
    if (!await isLinkValid(storage, link, now.text)) {
      return await show(storage, 410, ({ expired }) => expired);
    }
    return await use(link);
  }

  async function showWaiting(context: Pick<Context, "storage" | "param" | "now">, link: ProofLink) {
    const { storage, param, now } = context;
    const { userEmail } = link;
    const listed = await listPending(storage, userEmail, now.text);
    const subscription = await storage.get(SUBSCRIPTIONS, userEmail);
    const items = listed.filter(({ item }) =>
      item.type !== "sign-up" || subscription?.subscribed !== true
    );
    const hasOptedOut = subscription?.subscribed !== true &&
      await signUpState(storage, userEmail) !== link.state;
    const mine = await listMine(storage, userEmail);
    const hasMine = mine.votes.length > 0 || mine.ideas.length > 0;
    const isSubscribed = subscription?.subscribed === true;
    const more = hasMine || (isSubscribed && items.length === 0)
      ? renderMine(site, { ...mine, shown: await showOwn(storage, mine, now.text), link: param })
      : undefined;
    if (items.length === 0 && !hasMine) {
      if (hasOptedOut) return await show(storage, 410, ({ expired }) => expired);
      if (isSubscribed) return await showConfirmed(context, link, [], more);
    }
    const page = renderWaiting(site, {
      userEmail,
      action: actionOf(param),
      items: (await describeItems(storage, userEmail, items.map(({ item }) => item)))
        .map((shown, at) => ({
          ...shown,
          name: tickOf(items[at]),
          isTicked: items[at].pendingId === link.itemId,
        })),
      until: items.at(-1)?.createdAt ?? "",
      more,
    });
    return await show(storage, 200, ({ note }) => note(page));
  }

  /** Renders the ideas that a person has just voted for or posted, and may read, as rows. */
  async function renderDone(
    { storage, now }: Pick<Context, "storage" | "now">,
    userEmail: string,
    done: readonly { readonly item: PendingItem }[],
  ): Promise<{ readonly ids: ReadonlySet<string>; readonly rows: Html | undefined }> {
    const found = await Promise.all(done.map(async ({ item }) => {
      if (item.type === "sign-up") return undefined;
      const placed = await findPost(storage, item);
      const post = placed && await followMerges(storage, placed.post);
      const isShown = post?.state === "public" &&
        isShownTo(mailboxOf(userEmail), { ...placed!, post });
      return isShown ? { ...placed!, post } : undefined;
    }));
    const shown = found.filter((one) => one !== undefined);
    if (shown.length === 0) return { ids: new Set<string>(), rows: undefined };
    const posts = shown.map(({ post }) => post);
    const visitor = { name: undefined, ...await findOwnVotes(storage, userEmail, posts) };
    const rows = await showPosts(storage, posts, now.text);
    return {
      ids: new Set(
        done.flatMap(({ item }, at) => found[at] && "postId" in item ? item.postId : []),
      ),
      rows: renderRows(site, rows, { board: shown[0].board, visitor }),
    };
  }

  async function showConfirmed(
    context: Pick<Context, "storage" | "param" | "now">,
    { userEmail }: ProofLink,
    outcomes: readonly { readonly item: PendingItem; readonly isDone: boolean }[],
    more?: Html,
  ): Promise<Reply> {
    const { storage, param, now } = context;
    const subscription = await storage.get(SUBSCRIPTIONS, userEmail);
    const cipher = await openUnsubscribeLinks(storage);
    const url = createUnsubscribeLink(cipher, site.publicUrl, userEmail);
    const choices = subscription?.subscribed
      ? await offer({ storage, now }, subscription, url)
      : undefined;
    const pick = (wanted: boolean) =>
      describeItems(
        storage,
        userEmail,
        outcomes.filter(({ isDone }) => isDone === wanted).map(({ item }) => item),
      );
    const done = outcomes.filter(({ isDone }) => isDone);
    const { ids, rows } = await renderDone(context, userEmail, done);
    const page = renderConfirmed(site, {
      done: (await pick(true)).filter(({ item }) => !("postId" in item && ids.has(item.postId))),
      rows,
      refused: await pick(false),
      choices,
      isHeld: await isAnyHeld(storage, outcomes.map(({ item }) => item)),
      isSignUp: choices !== undefined && outcomes.every(({ item }) => item.type === "sign-up"),
      action: actionOf(param),
      more,
    });
    return await show(storage, 200, ({ note }) => note(page));
  }

  const reloads = ["remember", "never"].map((last) =>
    operation("GET", `${PATH}/${last}`, {
      isPage: true,
      operationId: `reload${last}`,
      summary: "Go back to the page of the link",
      successes: [{ status: 303, description: "The browser goes there.", headers: ["Location"] }],
      run: ({ param }) => ({ status: 303, headers: { Location: actionOf(param) } }),
    })
  );

  return [
    ...reloads,
    operation("GET", PATH, {
      ...COMMON,
      operationId: "getConfirmationPage",
      summary: "Show what waits for confirmation",
      description: "Returns a page with one button. Changes nothing, however often it is fetched.",
      run: (context) => follow(context, (link) => showWaiting(context, link)),
    }),

    operation("POST", PATH, {
      ...COMMON,
      operationId: "confirmForms",
      summary: "Confirm what waits",
      description:
        "Confirms the sign-up, votes and ideas that are ticked; a request without a form confirms " +
        "all. The link is valid for 7 days. An erasure ends it, and an opt-out ends the sign-up.",
      ignoresUnknown: true,
      bodyOptional: true,
      body: {
        until: text(
          "The creation of the newest item that was shown; absent: all are confirmed.",
          undefined,
          { parse: accept },
        ),
        ...TICK_FIELDS,
      },
      run: (context) =>
        follow(context, async (link) => {
          const { storage, now, body } = context;
          const until = body.until ?? undefined;
          const ticked = readTicks(body);
          const waiting = await listPending(storage, link.userEmail, now.text);
          const only = until === undefined && ticked.size === 0
            ? undefined
            : new Set(waiting.filter((one) => ticked.has(tickOf(one))).map((one) => one.pendingId));
          const outcomes = await confirmPending(storage, link, { at: now.text, until, only });
          if (outcomes === undefined) return await show(storage, 410, ({ expired }) => expired);
          const rest = await listPending(storage, link.userEmail, now.text);
          const subscription = await storage.get(SUBSCRIPTIONS, link.userEmail);
          const state = await signUpState(storage, link.userEmail);
          const isEnded = rest.length === 0 && !subscription?.subscribed && state !== link.state &&
            outcomes.every(({ item, isDone }) => item.type === "sign-up" && !isDone);
          if (isEnded) return await show(storage, 410, ({ expired }) => expired);
          return await showConfirmed(context, link, outcomes);
        }),
    }),

    operation("POST", `${PATH}/remember`, {
      ...COMMON,
      operationId: "rememberBrowser",
      summary: "Remember somebody in their browser",
      description:
        "Sets the cookie `__Host-boardcast`, if the public URL is https and a page of this " +
        "server sent the form.",
      successes: [
        ...COMMON.successes,
        { status: 403, description: "Another site has sent the form.", schema: "Page" },
      ],
      run: (context) =>
        follow(context, async ({ userEmail }) => {
          const { request, storage, now, param } = context;
          const replies = createFormReplies(site, show);
          if (!site.publicUrl.startsWith("https:")) return await replies({ storage }).missing();
          if (!isOwnForm(request, site)) return await replies({ storage }).foreign(actionOf(param));
          const cookie = keepCookie(await sealBrowser(storage, userEmail, now.text));
          const { remembered: title, rememberedHint: hint, mine } = textsOf(site.language);
          const rest = renderWay(`${site.publicUrl}/me`, mine);
          const reply = await replies({ storage }).show(200, { title, hint, rest });
          return { ...reply, cookies: [cookie] };
        }),
    }),

    operation("POST", `${PATH}/never`, {
      ...COMMON,
      operationId: "closeMailbox",
      summary: "Say that it was somebody else",
      description:
        "Drops what waits, ends the subscription, and keeps every form from mailing this " +
        "mailbox again.",
      run: (context) =>
        follow(context, async ({ userEmail }) => {
          const { storage, now } = context;
          await closeMailbox(storage, userEmail, now.text);
          const { neverDone: title, neverDoneHint: hint } = textsOf(site.language);
          const rest = renderWay(addressOf(site), textsOf(site.language).whatIsNew);
          return await show(storage, 200, ({ note }) => note({ title, hint, rest }));
        }),
    }),
  ];
}

/** Adds the titles of the posts that a person may read to items. */
function describeItems(
  storage: Storage,
  userEmail: string,
  items: readonly PendingItem[],
): Promise<readonly ShownItem[]> {
  return Promise.all(items.map(async (item) => {
    if (item.type !== "vote") return { item, title: "" };
    const found = await findPost(storage, item);
    const last = found && await followMerges(storage, found.post);
    const isShown = last && isShownTo(mailboxOf(userEmail), { ...found, post: last });
    return { item, title: isShown ? found.post.title : "" };
  }));
}

async function isAnyHeld(storage: Storage, items: readonly PendingItem[]): Promise<boolean> {
  for (const item of items) {
    if (item.type !== "idea") continue;
    if ((await storage.get(POSTS, item.postId))?.state === "held") return true;
  }
  return false;
}
