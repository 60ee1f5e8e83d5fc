import { formatDuration } from "../../../../model/locales/language.ts";
import { proofTextsOf } from "../../../../model/locales/proof_texts.ts";
import { textsOf } from "../../../../model/locales/locales.ts";
import { type Html, markup } from "../../../../model/values/html.ts";
import { type PublicSite, TRAP_FIELD } from "../site.ts";

/** The texts that somebody has sent with a form, and the fields that can't be accepted. */
export interface Attempt {
  readonly values: Readonly<Record<string, string>>;
  readonly refused: readonly string[];
}

/** A person who needs no proof: a browser remembers them, or a page that an app has opened. */
export interface KnownPerson {
  /** The text that forms of an app's page carry; absent: the cookie says who it is. */
  readonly person?: string | undefined;
}

/** Renders the field of an address, and the one that only machines fill in. */
export function renderAddressField(
  { language }: PublicSite,
  id: string,
  attempt: Attempt | undefined,
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
  const { kept, keptAfterwards } = proofTextsOf(language);
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

/** Returns the attributes of a field whose value can't be accepted. */
export function describeError(
  attempt: Attempt | undefined,
  name: string,
  id: string,
): Html | undefined {
  return attempt?.refused.includes(name)
    ? markup` aria-invalid="true" aria-describedby="${id}-${name}-error" autofocus`
    : undefined;
}

/** Renders what to mend in a field. */
export function renderError(
  attempt: Attempt | undefined,
  { name, id, text }: { readonly name: string; readonly id: string; readonly text: string },
): Html | undefined {
  return attempt?.refused.includes(name)
    ? markup`\n<p class="error" id="${id}-${name}-error">${text}</p>`
    : undefined;
}

/** Renders the hidden fields of a form that a page of an app has. */
export function renderPerson(known: KnownPerson | undefined): Html | undefined {
  return known?.person === undefined
    ? undefined
    : markup`<input type="hidden" name="person" value="${known.person}">`;
}
