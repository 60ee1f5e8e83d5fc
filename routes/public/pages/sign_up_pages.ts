import { textsOf } from "../../../model/locales/locales.ts";
import { markup } from "../../../model/values/html.ts";
import { type OfferedChoices, renderChoicesForm } from "./choices_form.ts";
import { createPrivateHeaders, linkToChangelog, renderNote, renderPage } from "./layout.ts";
import { renderSignUpForm, type SignUpAttempt } from "./sign_up_form.ts";
import type { PublicSite } from "./site.ts";

/** The pages of a sign-up, and their headers. */
export interface SignUpPages {
  readonly headers: Readonly<Record<string, string>>;
  /** The form, with what to mend in an attempt. */
  form(attempt?: SignUpAttempt): string;
  /** Says to look for the mail. */
  readonly sent: string;
  /** Asks whether to subscribe. */
  question(userEmail: string): string;
  /** Says that the person is subscribed, and lets them choose what to get. */
  done(choices: OfferedChoices): string;
  /** Stands where a link is not valid any more. */
  readonly expired: string;
  /** Stands where a link is not one of ours. */
  readonly unknown: string;
}

export async function createSignUpPages(site: PublicSite): Promise<SignUpPages> {
  const texts = textsOf(site.language);
  return {
    headers: await createPrivateHeaders(site),
    form: (attempt) =>
      renderPage(
        site,
        { title: texts.signUp },
        renderSignUpForm(site, { ...attempt && { attempt }, level: 1 })!,
      ),
    sent: renderNote(site, { title: texts.lookForMail, hint: texts.lookForMailHint }),
    question: (userEmail) =>
      renderNote(site, {
        title: texts.confirm,
        hint: texts.confirmHint(userEmail),
        rest: markup`
<form method="post"><button>${texts.subscribe}</button></form>`,
      }),
    done: (choices) =>
      renderNote(site, {
        title: texts.confirmed,
        hint: texts.confirmedHint,
        rest: markup`${renderChoicesForm(site, choices)}${linkToChangelog(site)}
<p><a href="${choices.action.replace(/\/choices$/, "")}">${texts.unsubscribe}</a></p>`,
      }),
    expired: renderNote(site, {
      title: texts.expired,
      hint: texts.expiredHint,
      rest: renderSignUpForm(site)!,
    }),
    unknown: renderNote(site, { title: texts.badLink, hint: texts.badLinkHint }),
  };
}
