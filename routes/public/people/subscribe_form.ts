import { textsOf } from "../../../model/locales/locales.ts";
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
