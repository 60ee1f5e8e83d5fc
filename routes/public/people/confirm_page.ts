import { textsOf } from "../../../model/locales/locales.ts";
import { MAX_PENDING_OF_MAILBOX, type PendingItem } from "../../../model/proof/pending.ts";
import { type Html, markup } from "../../../model/values/html.ts";
import { type OfferedChoices, renderChoicesForm } from "./mail_forms.ts";
import { addressOf, type PublicSite, renderWay } from "../_page/site.ts";
import { text } from "../../../model/declare.ts";
import type { ListedItem } from "../../../services/proof/pending.ts";

/** An item with the title of its post. */
export interface ShownItem {
  readonly item: PendingItem;
  /** The title; empty if the person may not read the post, or it no longer exists. */
  readonly title: string;
}

/** A waiting item with its tick. */
export interface TickedItem extends ShownItem {
  /** The value by which the form names the item. */
  readonly name: string;
  /** Whether it is ticked: the mail was sent for it. */
  readonly isTicked: boolean;
}

/** The content of a note page. */
export interface NoteContent {
  readonly title: string;
  readonly hint?: string | undefined;
  readonly rest?: Html | undefined;
}

/** The page behind the link in a mail. */
export interface WaitingPage {
  readonly userEmail: string;
  readonly items: readonly TickedItem[];
  /**
   * When the newest item was created. The button confirms nothing later, because nobody has seen
   * it.
   */
  readonly until: string;
  readonly action: string;
  /** The rest of the page, such as the person's votes. */
  readonly more?: Html | undefined;
}

/** Renders the pending items, and the button that confirms them. */
export function renderWaiting(
  site: PublicSite,
  { userEmail, items, until, action, more }: WaitingPage,
): NoteContent {
  const texts = textsOf(site.language);
  const isSignUp = items.every(({ item }) => item.type === "sign-up");
  const never = renderNever(site, action);
  if (items.length === 0) {
    const title = more === undefined ? texts.nothingWaits : texts.mine;
    return { title, rest: markup`${more}${never}` };
  }
  const button = isSignUp ? texts.subscribe : texts.confirm;
  return {
    title: isSignUp ? texts.confirmSignUp : texts.waiting,
    hint: isSignUp ? texts.confirmSignUpHint(userEmail) : texts.waitingHint(userEmail),
    rest: markup`
<form method="post" action="${action}"><input type="hidden" name="until" value="${until}">${
      renderTicks(site, items)
    }
<button>${button}</button></form>${more}${never}`,
  };
}

function renderNever({ language }: PublicSite, action: string): Html {
  const texts = textsOf(language);
  return markup`
<section class="aside"><h2>${texts.notMe}</h2>
<p>${texts.notMeHint}</p>
<form method="post" action="${action}/never"><button class="quiet">${texts.never}</button></form></section>`;
}

/**
 * Renders the waiting items, each with a tick. A single one for which the mail was sent needs no
 * tick, as the button is about nothing else.
 */
function renderTicks(site: PublicSite, items: readonly TickedItem[]): Html {
  const [only] = items;
  const isOnly = items.length === 1 && only.isTicked;
  const rows = items.map((shown, at) => {
    const { item, name, isTicked } = shown;
    const field = `item${at + 1}`;
    const words = item.type === "idea" && item.body !== null
      ? markup`\n<blockquote dir="auto">${item.body}</blockquote>`
      : undefined;
    const label = markup`<span dir="auto">${describe(site, shown)}${renderTold(site, item)}</span>`;
    const tick = isOnly
      ? markup`${label}<input type="hidden" name="${field}" value="${name}">`
      : markup`<label><input type="checkbox" name="${field}" value="${name}"${
        isTicked ? markup` checked` : undefined
      }> ${label}</label>`;
    return markup`\n<li>${tick}${words}</li>`;
  });
  return isOnly && only.item.type === "sign-up"
    ? markup`<input type="hidden" name="item1" value="${only.name}">`
    : markup`\n<ul class="items">${rows}\n</ul>`;
}

function describe(site: PublicSite, { item, title }: ShownItem): string {
  const texts = textsOf(site.language);
  switch (item.type) {
    case "sign-up":
      return texts.ofSignUp(site.title);
    case "vote":
      return texts.ofVote(title || texts.notShown);
    case "idea":
      return texts.ofIdea(item.title);
  }
}

function renderTold({ language }: PublicSite, item: PendingItem): Html | undefined {
  return item.type !== "sign-up" && item.notify
    ? markup`<br><small>${textsOf(language).withMail}</small>`
    : undefined;
}

function renderItems(site: PublicSite, items: readonly ShownItem[]): Html {
  const rows = items.map((shown) =>
    markup`\n<li dir="auto">${describe(site, shown)}${renderTold(site, shown.item)}</li>`
  );
  return markup`\n<ul class="items">${rows}\n</ul>`;
}

/** The page after a confirmation. */
export interface ConfirmedPage {
  /** The confirmed items that have no row. */
  readonly done: readonly ShownItem[];
  /** The ideas voted for or posted, as rows; `undefined` if none can be read. */
  readonly rows: Html | undefined;
  /** The items that could no longer be carried out. */
  readonly refused: readonly ShownItem[];
  /** Whether an idea waits for approval. */
  readonly isHeld: boolean;
  /** The choices of a subscriber; `undefined` for others. */
  readonly choices: OfferedChoices | undefined;
  /**
   * Whether the link confirmed a sign-up, or a subscriber followed it and nothing else was pending.
   */
  readonly isSignUp: boolean;
  readonly action: string;
  /** The rest of the page: how to end all that is kept of the person. */
  readonly more: Html | undefined;
}

/**
 * Renders the page after a confirmation, with the button that lets the browser remember the person.
 */
export function renderConfirmed(site: PublicSite, page: ConfirmedPage): NoteContent {
  const { done, rows, refused, isHeld, choices, isSignUp, action, more } = page;
  const texts = textsOf(site.language);
  const { whatIsNew, unsubscribe } = texts;
  const list = done.length === 0 || (isSignUp && done.length < 2)
    ? undefined
    : renderItems(site, done);
  const ended = refused.length === 0
    ? undefined
    : markup`\n<p>${texts.ended}</p>${renderItems(site, refused)}`;
  const held = isHeld ? markup`\n<p>${texts.held}</p>` : undefined;
  const choose = choices === undefined ? undefined : markup`${renderChoicesForm(site, choices)}
<p><a href="${addressOf(site)}">${whatIsNew}</a></p>
<p><a href="${choices.action.replace(/\/choices$/, "")}">${unsubscribe}</a></p>`;
  return {
    title: isSignUp
      ? texts.subscribed
      : done.length > 0 || rows !== undefined
      ? texts.confirmed
      : texts.nothingWaits,
    hint: isSignUp ? texts.subscribedHint : undefined,
    rest: markup`${list}${rows}${held}${ended}${choose}${
      rows === undefined && choose === undefined ? renderWay(addressOf(site), whatIsNew) : undefined
    }${renderRemember(site, action)}${more}`,
  };
}

/**
 * Renders the button that lets the browser remember the person. Only https keeps the cookie secret.
 */
export function renderRemember(
  { language, publicUrl }: PublicSite,
  action: string,
): Html | undefined {
  if (!publicUrl.startsWith("https:")) return undefined;
  const texts = textsOf(language);
  return markup`
<form method="post" action="${action}/remember" class="aside">
<p>${texts.rememberHint}</p>
<button class="quiet">${texts.remember}</button></form>`;
}

// More items than a mailbox may have, as two forms at once can exceed the limit.
const TICKS = Array.from({ length: 2 * MAX_PENDING_OF_MAILBOX }, (_, at) => `item${at + 1}`);
const TICK_FIELD = text("A ticked item.", undefined, { parse: (text: string) => text });
/** The fields of the ticks in a form. */
export const TICK_FIELDS: Readonly<Record<string, typeof TICK_FIELD>> = Object.fromEntries(
  TICKS.map((name) => [name, TICK_FIELD]),
);

/** Returns the items that are ticked in a form. */
export function readTicks(
  body: Readonly<Partial<Record<string, string | null>>>,
): ReadonlySet<string> {
  return new Set(TICKS.map((name) => body[name] ?? "").filter((tick) => tick !== ""));
}

/** Returns the value by which a form names a waiting item. */
export function tickOf({ pendingId }: ListedItem): string {
  return pendingId.slice(pendingId.indexOf("!") + 1);
}
