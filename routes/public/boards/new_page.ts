import type { Board } from "../../../model/board.ts";
import { textsOf } from "../../../model/locales/locales.ts";
import { type ShownPost, TITLE_MAX_CODE_POINTS } from "../../../model/posts/post.ts";
import { type Html, markup } from "../../../model/values/html.ts";
import { renderPage } from "../_page/layout.ts";
import type { PublicSite } from "../_page/site.ts";
import { boardAddress } from "./parts.ts";
import { renderIdea } from "./rows.ts";
import type { ShownVisitor } from "../_page/visitor.ts";
import {
  describeError,
  LINE_BREAK,
  renderAddressField,
  renderError,
  renderKept,
  renderTrap,
  type SentForm,
} from "../_page/address_field.ts";

/** The content of a step of adding an idea. */
export interface NewContent {
  readonly board: Board;
  /** Whether the board takes no more ideas. */
  readonly isFull: boolean;
  /** The title; empty in the first step, which asks for it. */
  readonly title: string;
  /** Ideas with a similar title. */
  readonly similar: readonly ShownPost[];
  readonly visitor?: ShownVisitor | undefined;
  /** The rest of the form, in the second step. */
  readonly form: Html | undefined;
}

/**
 * Renders a step of adding an idea: first the title, then similar ideas and the rest of the form.
 */
export function renderNew(site: PublicSite, content: NewContent): string {
  const { board, title, isFull } = content;
  const texts = textsOf(site.language);
  const step = isFull
    ? markup`<h1>${texts.boardFull}</h1>`
    : title === ""
    ? renderFirstStep(site, board)
    : renderSecondStep(site, content);
  const page = markup`
<div class="note">${step}
</div>
<nav class="pages" aria-label="${board.name}">
<a class="all" href="${boardAddress(site, board)}">${texts.allIdeasOf(board.name)}</a>
</nav>`;
  return renderPage(site, {
    title: `${texts.addIdea} · ${board.name}`,
    who: content.visitor?.name,
    boards: {},
  }, page);
}

function renderFirstStep(site: PublicSite, board: Board): Html {
  const texts = textsOf(site.language);
  return markup`<h1>${texts.whatIsIt}</h1>
<p dir="auto">${board.name}</p>
<form class="stack" action="${boardAddress(site, board)}/new">
<label>${texts.ideaTitle}<input name="title" required minlength="3" maxlength="${TITLE_MAX_CODE_POINTS}" autocomplete="off" dir="auto" autofocus></label>
<div class="buttons"><button>${texts.goOn}</button></div>
</form>`;
}

function renderSecondStep(site: PublicSite, { similar, visitor, form }: NewContent): Html {
  const texts = textsOf(site.language);
  if (similar.length === 0) return markup`<h1>${texts.noneSimilar}</h1>${form}`;
  return markup`<h1>${texts.isItOne}</h1>
<p>${texts.isItOneHint}</p>
<ol class="ideas">${similar.map((post) => renderIdea(site, post, { visitor, opensTab: true }))}
</ol>
<h2>${texts.noneOfThese}</h2>${form}`;
}

export interface IdeaFormState {
  readonly boardId: string;
  /** The title from the first step. */
  readonly title?: string | undefined;
  /** The sealed time of the page; see `sealFormTime`. */
  readonly opened: string;
  /** Whether the person is known; the form asks others for an address. */
  readonly isKnown?: boolean | undefined;
  readonly attempt?: SentForm | undefined;
}

/** Renders the form for a new idea; `undefined` if the service sends no mail. */
export function renderIdeaForm(
  site: PublicSite,
  { boardId, title, opened, isKnown = false, attempt }: IdeaFormState,
): Html | undefined {
  if (!site.hasForms) return undefined;
  const texts = textsOf(site.language);
  const id = "idea";
  const address = !isKnown
    ? markup`\n<p>${texts.voteHint}</p>${renderKept(site)}${renderAddressField(site, id, attempt)}`
    : renderTrap(texts.leaveEmpty);
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
  }>${LINE_BREAK}${attempt?.values.body}</textarea></label>${
    renderError(attempt, { name: "body", id, text: texts.badBody })
  }${address}
<p class="buttons"><button>${texts.send}</button>
<button class="quiet" name="notify" value="true">${texts.sendAndMail}</button></p>
</form>`;
}
