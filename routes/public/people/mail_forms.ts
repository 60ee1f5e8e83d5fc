import { textsOf } from "../../../model/locales/locales.ts";
import { type Choices, MAX_OFFERED } from "../../../model/subscriptions/choices.ts";
import { type Html, markup } from "../../../model/values/html.ts";
import { type PublicSite, TRAP_FIELD } from "../_page/site.ts";

/** The values of a sign-up form that had errors. */
export interface SignUpAttempt {
  readonly userEmail: string;
  readonly userName: string;
  /** The fields with errors. */
  readonly refused: readonly string[];
}

/** The URL fragment of the form. */
export const SIGN_UP_ID = "sign-up";

/** Renders the sign-up form; `undefined` if the service sends no mail. */
export function renderSignUpForm(
  site: PublicSite,
  { attempt, level = 2 }: { readonly attempt?: SignUpAttempt; readonly level?: 1 | 2 } = {},
): Html | undefined {
  if (!site.hasSignUp) return undefined;
  const texts = textsOf(site.language);
  const heading = { html: `h${level}` };
  const isRefused = (name: string) => attempt?.refused.includes(name) === true;
  const invalid = (name: string) =>
    isRefused(name)
      ? markup` aria-invalid="true" aria-describedby="${name}-error" autofocus`
      : undefined;
  const error = (name: string, text: string) =>
    isRefused(name) ? markup`\n<p class="error" id="${name}-error">${text}</p>` : undefined;
  return markup`
<form class="sign-up" id="${SIGN_UP_ID}" method="post" action="${site.publicUrl}/subscribe">
<${heading}>${texts.signUp}</${heading}>
<p>${texts.signUpHint}</p>
<div class="fields">
<label>${texts.email}<input type="email" name="userEmail" value="${attempt?.userEmail}" required autocomplete="email" maxlength="254" dir="ltr"${
    invalid("userEmail")
  }></label>
<label>${texts.name}<input name="userName" value="${attempt?.userName}" autocomplete="name" maxlength="200" dir="auto"${
    invalid("userName")
  }></label>
<div class="trap" aria-hidden="true"><label>${texts.leaveEmpty}<input name="${TRAP_FIELD}" tabindex="-1" autocomplete="off"></label></div>
<button>${texts.subscribe}</button>${error("userEmail", texts.badEmail)}${
    error("userName", texts.badName)
  }
</div>
</form>`;
}

/** The choices of a person, and the options of the form. */
export interface OfferedChoices extends Choices {
  /** The address that the form is sent to. */
  readonly action: string;
  /** The entries in this week's mail so far. */
  readonly week: readonly { readonly title: string; readonly url: string }[];
  /** The labels to choose from. */
  readonly offered: readonly string[];
  /** Whether the choice has just been saved. */
  readonly isSaved?: boolean;
  /** The reason why the choice was not saved, in the person's language. */
  readonly problem?: string | undefined;
}

/** Renders the form by which people choose their mails. */
export function renderChoicesForm(
  site: PublicSite,
  { action, offered, labels, pace, week, isSaved = false, problem }: OfferedChoices,
): Html {
  const texts = textsOf(site.language);
  const checked = (is: boolean) => is ? markup` checked` : undefined;
  const radio = (name: string, value: string, label: string, is: boolean) =>
    markup`
<p><label><input type="radio" name="${name}" value="${value}"${checked(is)}> ${label}</label></p>`;
  const all = [...new Set([...labels ?? [], ...offered])].slice(0, MAX_OFFERED);
  const boxes = all.map((label, index) =>
    markup`
<p><label><input type="checkbox" name="label${index + 1}" value="${label}"${
      checked(labels?.includes(label) === true)
    }> <bdi>${label}</bdi></label></p>`
  );
  const byLabel = all.length === 0 ? undefined : markup`
<fieldset><legend>${texts.labels}</legend>${
    radio("choose", "all", texts.everything, labels === null)
  }${radio("choose", "some", texts.onlyLabels, labels !== null)}${boxes}
</fieldset>`;
  const isWeekShown = week.length > 0 && (pace === "weekly" || isSaved);
  const items = week.map(({ title, url }) =>
    markup`
<li dir="auto"><a href="${url}">${title}</a></li>`
  );
  const soFar = isWeekShown
    ? markup`
<h2>${texts.weekSoFar}</h2>
<ul>${items}
</ul>`
    : undefined;
  return markup`
<form method="post" action="${action}" class="choices">
<h2>${texts.choose}</h2>${isSaved ? markup`\n<p role="status">${texts.saved}</p>` : undefined}${
    problem === undefined ? undefined : markup`\n<p role="alert">${problem}</p>`
  }${byLabel}
<fieldset><legend>${texts.howOften}</legend>${
    radio("pace", "each", texts.paceEach, pace === "each")
  }${radio("pace", "weekly", texts.paceWeekly, pace === "weekly")}
</fieldset>
<p><button>${texts.save}</button></p>
</form>${soFar}`;
}
