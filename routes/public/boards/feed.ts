import type { Board } from "../../../model/board.ts";
import { withDirections, withoutControls } from "../../../model/entries/markdown.ts";
import { textsOf } from "../../../model/locales/locales.ts";
import type { ShownPost } from "../../../model/posts/post.ts";
import { type Html, markup } from "../../../model/values/html.ts";
import { NOT_XML } from "../changelog/feeds.ts";
import { renderMarkdown } from "../_page/rendered.ts";
import { addressOf, FEED_TYPES, logoOf, type Site } from "../_page/site.ts";
import { boardAddress, boardFeedAddress, ideaAddress, statusText } from "./parts.ts";

/** Writes the newest ideas of a board as an Atom feed (RFC 4287), and pauses after each. */
export function* writeBoardFeed(
  site: Site,
  board: Board,
  posts: readonly ShownPost[],
): Generator<void, string> {
  const updated = posts.reduce(
    (latest, { updatedAt }) => updatedAt > latest ? updatedAt : latest,
    posts[0]?.updatedAt ?? board.createdAt,
  );
  const write = ({ html }: Html) => html.replace(NOT_XML, "\ufffd");
  const parts = [write(markup`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${site.language}">
<id>${site.tag}boards/${board.boardId}/${Date.parse(board.createdAt).toString(36)}</id>
<title>${board.name}</title>
<updated>${updated}</updated>
<author><name>${site.title}</name></author>
<icon>${logoOf(site).url}</icon>
<link rel="self" type="${FEED_TYPES.atom}" href="${boardFeedAddress(site, board)}"/>
<link rel="alternate" type="text/html" href="${boardAddress(site, board)}"/>
`)];
  for (const post of posts) {
    yield;
    const id = `posts/${post.postId}/${Date.parse(post.createdAt).toString(36)}`;
    parts.push(write(markup`<entry>
<id>${site.tag}${id}</id>
<title>${post.title}</title>
<published>${post.createdAt}</published>
<updated>${post.updatedAt}</updated>
<link rel="alternate" type="text/html" href="${ideaAddress(site, post)}"/>
<category term="${post.status}" label="${statusText(site, post.status)}"/>
<content type="html">${contentOf(site, post)}</content>
</entry>
`));
  }
  return `${parts.join("")}</feed>\n`;
}

/** Returns the idea and the team's answer as HTML. */
function contentOf(site: Site, { body, answer }: ShownPost): string {
  const write = (text: string) =>
    withDirections(withoutControls(renderMarkdown(text, addressOf(site, "/")).html));
  const words = body === null
    ? ""
    : write(body).replaceAll("<a href=", '<a rel="nofollow ugc noopener" href=');
  const { answer: heading } = textsOf(site.language);
  return answer === null ? words : `${words}${markup`<h3>${heading}</h3>`.html}${write(answer)}`;
}
