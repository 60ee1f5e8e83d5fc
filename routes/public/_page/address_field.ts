import { formatDuration } from "../../../model/locales/language.ts";
import { textsOf } from "../../../model/locales/locales.ts";
import { type Html, markup } from "../../../model/values/html.ts";
import { type PublicSite, TRAP_FIELD } from "./site.ts";

/** The texts of a sent form, and the fields with errors. */
export interface SentForm {
  readonly values: Readonly<Record<string, string>>;
  readonly refused: readonly string[];
}

/**
 * Stands before the text of a text area. Browsers drop one line break there: this one, instead of
 * the person's.
 */
export const LINE_BREAK: Html = { html: "\n" };

/** Renders the address field, and the hidden field that only scripts fill in. */
export function renderAddressField(
  { language }: PublicSite,
  id: string,
  attempt: SentForm | undefined,
): Html {
  const texts = textsOf(language);
  return markup`
<label>${texts.email}<input type="email" name="userEmail" value="${attempt?.values.userEmail}" required autocomplete="email" maxlength="254" dir="ltr"${
    describeError(attempt, "userEmail", id)
  }></label>${renderError(attempt, { name: "userEmail", id, text: texts.badEmail })}${
    renderTrap(texts.leaveEmpty)
  }`;
}

/** Renders how long an address is kept with votes and ideas. */
export function renderKept({ language, voteRetentionMs = false }: PublicSite): Html {
  const { kept, keptAfterwards } = textsOf(language);
  const afterwards = voteRetentionMs === false
    ? undefined
    : markup` ${keptAfterwards(formatDuration(voteRetentionMs, language))}`;
  return markup`\n<p>${kept}${afterwards}</p>`;
}

/** Renders the field that people don't see. */
export function renderTrap(label: string): Html {
  return markup`
<div class="trap" aria-hidden="true"><label>${label}<input name="${TRAP_FIELD}" tabindex="-1" autocomplete="off"></label></div>`;
}

/** Returns the attributes of a field with an error. */
export function describeError(
  attempt: SentForm | undefined,
  name: string,
  id: string,
): Html | undefined {
  return attempt?.refused.includes(name)
    ? markup` aria-invalid="true" aria-describedby="${id}-${name}-error" autofocus`
    : undefined;
}

/** Renders the error of a field. */
export function renderError(
  attempt: SentForm | undefined,
  { name, id, text }: { readonly name: string; readonly id: string; readonly text: string },
): Html | undefined {
  return attempt?.refused.includes(name)
    ? markup`\n<p class="error" id="${id}-${name}-error">${text}</p>`
    : undefined;
}
