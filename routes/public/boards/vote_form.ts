import { textsOf } from "../../../model/locales/locales.ts";
import { type Html, markup } from "../../../model/values/html.ts";
import { ideaAddress } from "./parts.ts";
import type { PublicSite } from "../_page/site.ts";
import { renderAddressField, type SentForm } from "../_page/address_field.ts";

export interface FormTarget {
  readonly boardId: string;
  readonly postId: string;
}

export interface VoteFormState {
  /** Whether the person is known; the form asks others for an address. */
  readonly isKnown?: boolean | undefined;
  /** Whether the known person has voted. If so, the form withdraws the vote. */
  readonly hasVoted?: boolean | undefined;
  /** Whether the known person wants mail about the post. */
  readonly isTold?: boolean | undefined;
  /** Whether the post takes votes, and requests for mail. */
  readonly canVote?: boolean | undefined;
  readonly attempt?: SentForm | undefined;
}

/**
 * Renders the form to vote for a post. Its second button also requests mail about news. Returns
 * `undefined` if the service sends no mail.
 */
export function renderVoteForm(
  site: PublicSite,
  target: FormTarget,
  { isKnown = false, hasVoted = false, isTold = false, canVote = true, attempt }: VoteFormState =
    {},
): Html | undefined {
  if (!site.hasForms) return undefined;
  const texts = textsOf(site.language);
  const action = ideaAddress(site, target);
  if (isKnown && hasVoted) {
    const mail = isTold
      ? markup`<button class="quiet" name="notify" value="false">${texts.endMail}</button>`
      : canVote
      ? markup`<button class="quiet" name="notify" value="true">${texts.askMail}</button>`
      : undefined;
    return markup`
<form method="post" action="${action}" class="vote"><input type="hidden" name="vote" value="false"><button class="quiet">${texts.withdraw}</button></form>${
      mail && markup`
<form method="post" action="${action}" class="vote">${mail}</form>`
    }`;
  }
  const buttons = markup`<button>${texts.vote}</button>
<button class="quiet" name="notify" value="true">${texts.voteAndMail}</button>`;
  if (isKnown) {
    return markup`
<form method="post" action="${action}" class="vote">${buttons}</form>`;
  }
  return markup`
<form method="post" action="${action}" class="vote fields">
<p>${texts.voteHint}</p>${renderAddressField(site, `vote-${target.postId}`, attempt)}
<p class="buttons">${buttons}</p>
</form>`;
}
