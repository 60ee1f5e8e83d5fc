import type { Board } from "../../../model/board.ts";
import { textsOf } from "../../../model/locales/locales.ts";
import { markup } from "../../../model/values/html.ts";
import { renderPage } from "../_page/layout.ts";
import { describeList } from "../_page/meta.ts";
import { addressOf, type PublicSite } from "../_page/site.ts";
import { boardAddress } from "./addresses.ts";
import { formatNumber, renderEmpty } from "./parts.ts";

/** A public board with the number of its open ideas. */
export interface ListedBoard {
  readonly board: Board;
  readonly open: number;
}

/** Renders the list of public boards. */
export function renderBoards(
  site: PublicSite,
  { boards, viewer }: {
    readonly boards: readonly ListedBoard[];
    readonly viewer?: string | undefined;
  },
): string {
  const texts = textsOf(site.language);
  const hint = site.hasForms ? texts.boardsHint : undefined;
  const cards = boards.map(({ board, open }) =>
    markup`
<li>
<h2 dir="auto"><a href="${boardAddress(site, board)}">${board.name}</a></h2>${
      board.description === null ? undefined : markup`\n<p dir="auto">${board.description}</p>`
    }
<div class="facts">${texts.openIdeas(formatNumber(site, open))}</div>
</li>`
  );
  const whatIsNew = markup`
<p><a href="${addressOf(site)}">${texts.whatIsNew}</a></p>`;
  const content = markup`
<div class="hero">
<div><h1>${texts.ideas}</h1>${hint && markup`\n<p>${hint}</p>`}</div>
</div>
${
    cards.length === 0
      ? renderEmpty(texts.noBoards, texts.noBoardsHint, whatIsNew)
      : markup`<ul class="cards">${cards}\n</ul>`
  }`;
  return renderPage(site, {
    title: texts.ideas,
    description: hint ?? texts.ideas,
    canonical: boardAddress(site),
    isList: true,
    who: viewer,
    more: describeList(site),
    boards: { current: "ideas" },
  }, content);
}
