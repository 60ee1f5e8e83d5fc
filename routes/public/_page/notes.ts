import { textsOf } from "../../../model/locales/locales.ts";
import { type Html, markup } from "../../../model/values/html.ts";
import {
  type OfferedChoices,
  renderChoicesForm,
  renderSignUpForm,
  type SignUpAttempt,
} from "../people/mail_forms.ts";
import type { NoteContent } from "../people/confirm_page.ts";
import { renderPage } from "./layout.ts";
import { addressOf, type PublicSite, renderWay } from "./site.ts";

/** Pages for one reader, each with one heading and the next step. */
export interface Notes {
  /** The sign-up form, with errors of an attempt. */
  form(attempt?: SignUpAttempt): string;
  /** The page that asks people to look for the mail. */
  sent(more?: NotePart): string;
  /** Renders a note page with any content. */
  note(content: NoteContent): string;
  /** Asks whether to unsubscribe by `action`. Subscribers may choose fewer mails instead. */
  unsubscribe(action: string, choices?: OfferedChoices): string;
  readonly unsubscribed: string;
  /** Asks whether to end all that a person asked to be told of, by `action`. */
  endAsks(action: string): string;
  readonly asksEnded: string;
  /** The page for an expired link. */
  readonly expired: string;
  /** The page for a link that this service did not create. */
  readonly unknown: string;
  /** Renders the page that replaces a problem with this status. */
  problem(status: number): string;
}

/** A part of a note page below its heading. */
export type NotePart = Html | undefined;

export function createNotes(site: PublicSite): Notes {
  const texts = textsOf(site.language);
  const toChangelog = renderWay(addressOf(site), texts.whatIsNew);
  const note = (title: string, hint?: string, rest?: Html) =>
    renderPage(
      site,
      { title, isNote: true },
      markup`
<div class="note"><h1>${title}</h1>${
        hint === undefined ? undefined : markup`\n<p>${hint}</p>`
      }${rest}</div>`,
    );
  return {
    form: (attempt) =>
      renderPage(
        site,
        { title: texts.signUp, isNote: true },
        renderSignUpForm(site, { ...attempt && { attempt }, level: 1 })!,
      ),
    sent: (more) => note(texts.lookForMail, texts.lookForMailHint, more ?? toChangelog),
    note: ({ title, hint, rest }) => note(title, hint, rest),
    unsubscribe: (action, choices) =>
      note(
        texts.unsubscribeQuestion,
        texts.unsubscribeHint,
        markup`
<form method="post" action="${action}"><button>${texts.unsubscribe}</button></form>${
          choices && renderChoicesForm(site, choices)
        }`,
      ),
    // The sign-up form helps people who unsubscribed by mistake.
    unsubscribed: note(
      texts.unsubscribed,
      texts.unsubscribedHint,
      renderSignUpForm(site) ?? toChangelog,
    ),
    endAsks: (action) =>
      note(
        texts.unsubscribeQuestion,
        undefined,
        markup`
<form method="post" action="${action}"><button>${texts.endAsks}</button></form>`,
      ),
    asksEnded: note(texts.unsubscribed, texts.asksEnded, toChangelog),
    expired: note(texts.expired, texts.expiredHint, renderSignUpForm(site)),
    unknown: note(texts.badLink, texts.badLinkHint, toChangelog),
    problem(status) {
      if (status === 404) return note(texts.notFound, texts.notFoundHint, toChangelog);
      return status < 500
        ? note(texts.unreadable, texts.unreadableHint, toChangelog)
        : note(texts.unavailable, texts.unavailableHint, toChangelog);
    },
  };
}
