import { textsOf } from "../../../model/locales/locales.ts";
import { markup } from "../../../model/values/html.ts";
import { type OfferedChoices, renderChoicesForm } from "./choices_form.ts";
import { createPrivateHeaders, linkToChangelog, renderNote } from "./layout.ts";
import { renderSignUpForm } from "./sign_up_form.ts";
import type { PublicSite } from "./site.ts";

/** The pages of the unsubscribe link, and their headers. */
export interface UnsubscribePages {
  readonly headers: Readonly<Record<string, string>>;
  /** Asks whether to unsubscribe; who is subscribed may choose what to get instead. */
  question(choices?: OfferedChoices): string;
  readonly done: string;
  /** Stands where a link is not one of ours. */
  readonly unknown: string;
}

/** Makes the pages of the link to unsubscribe. */
export async function renderUnsubscribePages(site: PublicSite): Promise<UnsubscribePages> {
  const texts = textsOf(site.language);
  return {
    headers: await createPrivateHeaders(site),
    question: (choices) =>
      renderNote(site, {
        title: texts.unsubscribeQuestion,
        hint: texts.unsubscribeHint,
        rest: markup`
<form method="post" action="${
          choices?.action.replace(/\/choices$/, "") ?? ""
        }"><button>${texts.unsubscribe}</button></form>${
          choices && renderChoicesForm(site, choices)
        }`,
      }),
    done: renderNote(site, {
      title: texts.unsubscribed,
      hint: texts.unsubscribedHint,
      // The way back for whoever pressed it by mistake.
      rest: renderSignUpForm(site) ?? linkToChangelog(site),
    }),
    unknown: renderNote(site, {
      title: texts.badLink,
      hint: texts.badLinkHint,
      rest: linkToChangelog(site),
    }),
  };
}
