import { textsOf } from "../../../model/locales/locales.ts";
import { type Html, markup } from "../../../model/values/html.ts";
import { type OfferedChoices, renderChoicesForm } from "./choices_form.ts";
import type { NoteContent } from "./forms/confirm_page.ts";
import { createPrivateHeaders, renderPage } from "./layout.ts";
import { renderSignUpForm, type SignUpAttempt } from "./sign_up_form.ts";
import { addressOf, type PublicSite } from "./site.ts";

/** Pages with one heading and the next step, each for one reader. */
export interface Notes {
  readonly headers: Readonly<Record<string, string>>;
  /** The form to sign up, with the faults of an attempt. */
  form(attempt?: SignUpAttempt): string;
  /** Says to look for the mail. */
  readonly sent: string;
  /** A page of other content. */
  note(content: NoteContent): string;
  /** Asks whether to unsubscribe by `action`; subscribers may choose what to get instead. */
  unsubscribe(action: string, choices?: OfferedChoices): string;
  readonly unsubscribed: string;
  /** Stands where a link is not valid any more. */
  readonly expired: string;
  /** Stands where a link is not one of ours. */
  readonly unknown: string;
  /** Stands in place of a problem that has this status. */
  problem(status: number): string;
}

/** Makes the notes of a site. */
export async function createNotes(site: PublicSite): Promise<Notes> {
  const texts = textsOf(site.language);
  const toChangelog = markup`\n<p><a href="${addressOf(site)}">${texts.whatIsNew}</a></p>`;
  const note = (title: string, hint?: string, rest?: Html) =>
    renderPage(
      site,
      { title },
      markup`
<div class="note"><h1>${title}</h1>${
        hint === undefined ? undefined : markup`\n<p>${hint}</p>`
      }${rest}</div>`,
    );
  return {
    headers: await createPrivateHeaders(site),
    form: (attempt) =>
      renderPage(
        site,
        { title: texts.signUp },
        renderSignUpForm(site, { ...attempt && { attempt }, level: 1 })!,
      ),
    sent: note(texts.lookForMail, texts.lookForMailHint),
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
    // The way back for whoever pressed it by mistake.
    unsubscribed: note(
      texts.unsubscribed,
      texts.unsubscribedHint,
      renderSignUpForm(site) ?? toChangelog,
    ),
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
