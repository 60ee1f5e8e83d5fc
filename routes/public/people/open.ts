import { proofTextsOf } from "../../../model/locales/proof_texts.ts";
import { isClosing } from "../../../model/posts/post.ts";
import { markup } from "../../../model/values/html.ts";
import { type AppPerson, readAppLink, useAppLink } from "../../../services/people/app_links.ts";
import { listPosts } from "../../../services/posts/listing.ts";
import {
  findPost,
  followMerges,
  isShippedByEntry,
  readEntriesOf,
  showPosts,
  showPostWith,
} from "../../../services/posts/posts.ts";
import { getPublicBoard } from "../../../services/posts/public_boards.ts";
import { type Context, FOUND_PAGE, type Operation, operation } from "../../_http/operation.ts";
import type { Reply } from "../../_http/reply.ts";
import { createBoardViews } from "../boards/views.ts";
import { createNoteReply } from "../_page/note_reply.ts";
import { renderIdeaForm } from "../boards/new_form.ts";
import { renderVoteForm } from "../boards/vote_form.ts";
import type { PublicSite } from "../_page/site.ts";
import { sealFormTime } from "../_page/form_time.ts";
import { createFormReplies } from "../_page/forms.ts";
import { readKnownViewer } from "../_page/known.ts";

const MAX_POSTS = 20;

/** Returns the address of the page that an app's link leads to. */
export function appPageAddress(
  { publicUrl }: PublicSite,
  { boardId, postId }: Pick<AppPerson, "boardId" | "postId">,
): string {
  const board = `${publicUrl}/boards/${encodeURIComponent(boardId)}`;
  return postId === null ? board : `${board}/${encodeURIComponent(postId)}`;
}

/** Creates the operation of the link by which an app identifies a person. */
export function openOperation(site: PublicSite): Operation {
  const replies = createFormReplies(site, createNoteReply(site));
  const texts = proofTextsOf(site.language);
  const views = createBoardViews(site);

  /** Shows a board's page, where the person can vote and post. */
  async function showBoard(context: Context, { boardId, userEmail }: AppPerson, person: string) {
    const { storage, now } = context;
    const board = await getPublicBoard(storage, boardId);
    if (board === undefined) return await replies.missing();
    const filter = { boards: [board], sort: "votes", state: "public" } as const;
    const { records } = await listPosts(storage, filter, { limit: MAX_POSTS, now: now.text });
    const opened = await sealFormTime(storage, now);
    const content = {
      board,
      query: {},
      next: undefined,
      posts: await showPosts(storage, records, now.text),
      viewer: await readKnownViewer(storage, { userEmail, person }, records),
      form: renderIdeaForm(site, { boardId, opened, known: { person } }),
    };
    return await (await views(context)).replyOnce((make) => make.board(content));
  }

  /** Shows a post's page, where the person can vote; of a merged post, where it went. */
  async function showPost(
    context: Context,
    { boardId, userEmail }: AppPerson,
    { postId, person }: { readonly postId: string; readonly person: string },
  ): Promise<Reply> {
    const { storage, now } = context;
    const found = await findPost(storage, { boardId, postId });
    if (found?.board.visibility !== "public") return await replies.missing();
    const { board } = found;
    const post = await followMerges(storage, found.post);
    if (post?.state !== "public") return await replies.missing();
    const entry = (await readEntriesOf(storage, [post])).get(`${post.entryId}`);
    const viewer = await readKnownViewer(storage, { userEmail, person }, [post]);
    const shown = showPostWith(post, entry, now.text);
    const hasVoted = viewer.votedFor.has(post.postId);
    const canVote = !isClosing(shown.status);
    const isTold = viewer.toldOf.has(post.postId);
    const form = hasVoted || canVote
      ? renderVoteForm(site, post, { known: { person }, hasVoted, isTold, canVote })
      : undefined;
    const content = {
      board,
      post: shown,
      viewer,
      form,
      entry: isShippedByEntry(post, entry, now.text) ? entry : undefined,
    };
    return await (await views(context)).replyOnce((make) => make.idea(content));
  }

  return operation("GET", "/open/:token", {
    isPage: true,
    operationId: "openAppLink",
    summary: "Open a page as the person whom an app hands over",
    description:
      "Works once, within 10 minutes. HEAD requests and prefetching don't use the link up. " +
      "The forms of the page carry the sealed address for an hour. No cookie is set.",
    successes: [
      FOUND_PAGE,
      { status: 404, description: "The link is not complete.", schema: "Page" },
      { status: 410, description: "The link was used, or has expired.", schema: "Page" },
    ],
    problems: ["storage_unavailable"],
    async run(context): Promise<Reply> {
      const { request, storage, param, now } = context;
      const link = await readAppLink(storage, param);
      if (link === undefined) return await replies.missing();
      const page = appPageAddress(site, link);
      const lead = markup`\n<p><a href="${page}">${page}</a></p>`;
      const isPrefetch = /prefetch|prerender/.test(request.headers.get("sec-purpose") ?? "");
      // A browser that prefetched the link requests it again when the person opens it.
      if (request.method === "HEAD" || isPrefetch) {
        return await replies.show(200, { title: texts.mine, rest: lead });
      }
      const person = await useAppLink(storage, param, now.text);
      if (person === undefined) {
        return await replies.show(410, { title: texts.linkUsed, rest: lead });
      }
      const { postId } = link;
      const reply = postId === null
        ? await showBoard(context, link, person)
        : await showPost(context, link, { postId, person });
      return { ...reply, headers: { ...reply.headers, "Referrer-Policy": "no-referrer" } };
    },
  });
}
