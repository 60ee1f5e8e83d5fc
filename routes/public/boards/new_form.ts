import { proofTextsOf } from "../../../model/locales/proof_texts.ts";
import { textsOf } from "../../../model/locales/locales.ts";
import { type Html, markup } from "../../../model/values/html.ts";
import type { PublicSite } from "../_page/site.ts";
import {
  type Attempt,
  describeError,
  renderAddressField,
  renderError,
  renderKept,
  renderTrap,
} from "../_page/address_field.ts";

export interface IdeaFormState {
  readonly boardId: string;
  /** The title from the first step. */
  readonly title?: string | undefined;
  /** The sealed time of the page; see `sealFormTime`. */
  readonly opened: string;
  /** Whether the person is known; the form asks others for an address. */
  readonly isKnown?: boolean | undefined;
  readonly attempt?: Attempt | undefined;
}

/** Renders the form for a new idea; `undefined` if the service sends no mail. */
export function renderIdeaForm(
  site: PublicSite,
  { boardId, title, opened, isKnown = false, attempt }: IdeaFormState,
): Html | undefined {
  if (!site.hasForms) return undefined;
  const texts = proofTextsOf(site.language);
  const id = "idea";
  const address = !isKnown
    ? markup`\n<p>${texts.voteHint}</p>${renderKept(site)}${renderAddressField(site, id, attempt)}`
    : renderTrap(textsOf(site.language).leaveEmpty);
  return markup`
<form method="post" action="${site.publicUrl}/boards/${
    encodeURIComponent(boardId)
  }/new" class="idea fields">
<input type="hidden" name="opened" value="${opened}">
<label>${texts.ideaTitle}<input name="title" value="${
    attempt?.values.title ?? title
  }" required minlength="3" maxlength="120" dir="auto"${
    describeError(attempt, "title", id)
  }></label>${renderError(attempt, { name: "title", id, text: texts.badTitle })}
<label>${texts.ideaBody}<textarea name="body" rows="6" maxlength="8192" dir="auto"${
    describeError(attempt, "body", id)
  }>${lineBreak}${attempt?.values.body}</textarea></label>${
    renderError(attempt, { name: "body", id, text: texts.badBody })
  }${address}
<p class="buttons"><button>${texts.send}</button>
<button class="quiet" name="notify" value="true">${texts.sendAndMail}</button></p>
</form>`;
}

// Browsers drop one line break at the start of a textarea. This one is dropped instead of the
// person's.
const lineBreak: Html = { html: "\n" };
