import { textsOf } from "../../../model/locales/locales.ts";
import { type Html, markup } from "../../../model/values/html.ts";
import { isClosing, type Post, type ShownPost } from "../../../model/posts/post.ts";
import { type PublicSite, renderWay } from "../_page/site.ts";
import { renderAddressField, renderKept, type SentForm } from "../_page/address_field.ts";
import type { NoteContent } from "./confirm_page.ts";
import { renderRow } from "../boards/rows.ts";
import type { Storage } from "../../../adapters/storage.ts";
import type { Mine } from "../../../services/people/mine.ts";
import { showPosts } from "../../../services/posts/posts.ts";

/** A post of a person, and whether they may read it. */
interface OwnPost {
  readonly post: Post;
  readonly isShown: boolean;
}

/** The content of a person's own page. */
export interface MyPage {
  readonly votes: readonly (OwnPost & { readonly isTold: boolean })[];
  readonly ideas: readonly OwnPost[];
  /** The posts among them that the person may read, as pages show them. */
  readonly shown: ShownPosts;
  /** Whether there are more votes or ideas than these. */
  readonly hasMore: boolean;
  /** The token of the link that identifies the person; absent if the cookie does. */
  readonly link?: string | undefined;
}

/** Renders a person's own page: their votes and ideas, and how to end them. */
export function renderMine(site: PublicSite, { votes, ideas, shown, hasMore, link }: MyPage): Html {
  const texts = textsOf(site.language);
  const proof = link === undefined
    ? undefined
    : markup`<input type="hidden" name="link" value="${link}">`;
  const form = (path: string, button: string, more?: Html) =>
    markup`
<form method="post" action="${site.publicUrl}/me/${path}">${proof}${more}<button class="quiet">${button}</button></form>`;
  const votedFor = new Set(votes.map(({ post }) => post.postId));
  const visitor = { name: undefined, votedFor, toldOf: new Set<string>() };
  const titled = ({ post: { postId } }: OwnPost) => {
    const post = shown.get(postId);
    return post === undefined
      ? markup`${texts.notShown}`
      : markup`<div class="listed">${renderRow(site, post, { visitor })}</div>`;
  };
  const postField = ({ postId }: Post) =>
    markup`<input type="hidden" name="postId" value="${postId}">`;
  const ask = (post: Post, isWanted: boolean) =>
    form(
      "withdraw",
      isWanted ? texts.askMail : texts.endMail,
      markup`${postField(post)}<input type="hidden" name="notify" value="${`${isWanted}`}">`,
    );
  const canAsk = ({ post, isShown }: OwnPost) =>
    isShown && site.hasForms && !isClosing(post.status);
  const rows = votes.map(({ isTold, ...vote }) =>
    markup`
<li>${titled(vote)}${isTold ? markup`\n<small>${texts.isTold}</small>` : undefined}${
      form("withdraw", texts.withdraw, postField(vote.post))
    }${isTold || canAsk(vote) ? ask(vote.post, !isTold) : undefined}</li>`
  );
  const more = hasMore ? markup`\n<p>${texts.moreMine}</p>` : undefined;
  const voted = votes.length === 0 ? undefined : markup`
<h2>${texts.myVotes}</h2>
<ul class="items">${rows}
</ul>`;
  const wrote = ideas.length === 0 ? undefined : markup`
<h2>${texts.myIdeas}</h2>
<ul class="items">${ideas.map((idea) => markup`\n<li>${titled(idea)}</li>`)}
</ul>`;
  const forget = link === undefined
    ? markup`
<form method="post" action="${site.publicUrl}/forget-browser" class="aside"><button class="quiet">${texts.forgetBrowser}</button></form>`
    : undefined;
  return markup`${voted}${wrote}${more}
<section class="aside">${renderKept(site)}
<p>${texts.stopHint}</p>${form("stop", texts.stop)}
<p>${texts.forgetMeHint}</p>${form("forget", texts.forgetMe)}</section>${forget}`;
}

/** Asks for confirmation before everything about a person is deleted. */
export function renderForgetQuestion(site: PublicSite, link: string | undefined): NoteContent {
  const texts = textsOf(site.language);
  const proof = link === undefined
    ? undefined
    : markup`<input type="hidden" name="link" value="${link}">`;
  return {
    title: texts.forgetMeQuestion,
    hint: texts.forgetMeHint,
    rest: markup`
<form method="post" action="${site.publicUrl}/me/forget">${proof}<input type="hidden" name="sure" value="true"><button>${texts.forgetMe}</button></form>${
      renderWay(
        link === undefined ? `${site.publicUrl}/me` : `${site.publicUrl}/confirm/${link}`,
        texts.keepEverything,
      )
    }`,
  };
}

/** Renders the form by which people request a link to their own page. */
export function renderMyForm(site: PublicSite, attempt?: SentForm): NoteContent {
  const texts = textsOf(site.language);
  return {
    title: texts.mine,
    hint: texts.mineHint,
    rest: markup`
<form method="post" action="${site.publicUrl}/me" class="fields">${
      renderAddressField(site, "me", attempt)
    }
<button>${texts.sendLink}</button>
</form>${renderKept(site)}`,
  };
}

/** Posts as pages show them, by `postId`. */
export type ShownPosts = ReadonlyMap<string, ShownPost>;

/** Returns the posts that a person voted for or wrote, and may read, as pages show them. */
export async function showOwn(
  storage: Storage,
  { votes, ideas }: Pick<Mine, "votes" | "ideas">,
  now: string,
): Promise<ShownPosts> {
  const readable = [...votes, ...ideas].filter(({ isShown }) => isShown).map(({ post }) => post);
  return await showById(storage, readable, now);
}

/** Returns posts as pages show them. */
export async function showById(
  storage: Storage,
  posts: readonly Post[],
  now: string,
): Promise<ShownPosts> {
  const shown = await showPosts(storage, posts, now);
  return new Map(shown.map((post) => [post.postId, post]));
}
