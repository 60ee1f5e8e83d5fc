import { BOARDS, VOTES } from "../../../model/kinds.ts";
import { proofTextsOf } from "../../../model/locales/proof_texts.ts";
import type { Post } from "../../../model/posts/post.ts";
import { mailboxOf, voteIdOf } from "../../../model/posts/vote.ts";
import { type Html, markup } from "../../../model/values/html.ts";
import { type AppPerson, readAppLink, useAppLink } from "../../../services/people/app_links.ts";
import { findPost } from "../../../services/posts/posts.ts";
import { listPosts } from "../../../services/posts/listing.ts";
import { type Context, FOUND_PAGE, type Operation, operation } from "../../_http/operation.ts";
import type { Reply } from "../../_http/reply.ts";
import { createNoteReply } from "../note_reply.ts";
import type { NoteContent } from "../pages/forms/confirm_page.ts";
import { postAddress } from "../pages/forms/vote_form.ts";
import type { PublicSite } from "../pages/site.ts";
import { sealFormTime } from "./form_time.ts";
import { createFormReplies } from "./forms.ts";

const MAX_POSTS = 20;

/** Returns the address of the page that a link of an app leads to. */
export function appPageAddress(
  { publicUrl }: PublicSite,
  { boardId, postId }: Pick<AppPerson, "boardId" | "postId">,
): string {
  const board = `${publicUrl}/boards/${encodeURIComponent(boardId)}`;
  return postId === null ? board : `${board}/${encodeURIComponent(postId)}`;
}

/** Creates the operation of the link by which an app hands a person over. */
export function openOperation(site: PublicSite): Operation {
  const replies = createFormReplies(site, createNoteReply(site));
  const texts = proofTextsOf(site.language);
  type Reading = Pick<Context, "storage" | "now">;

  async function renderVote(
    { storage }: Reading,
    { post, person, userEmail }: {
      readonly post: Post;
      readonly person: string;
      readonly userEmail: string;
    },
  ): Promise<Html | undefined> {
    const { renderVoteForm } = await import("../pages/forms/vote_form.ts");
    const vote = await storage.get(VOTES, voteIdOf(mailboxOf(userEmail), post));
    return renderVoteForm(site, post, { known: { person }, hasVoted: vote !== undefined });
  }

  async function renderBoard(
    context: Reading,
    { boardId, userEmail }: AppPerson,
    person: string,
  ): Promise<NoteContent | undefined> {
    const { storage, now } = context;
    const board = await storage.get(BOARDS, boardId);
    if (board?.visibility !== "public") return undefined;
    const filter = { boards: [board], sort: "votes", state: "public" } as const;
    const { records } = await listPosts(storage, filter, { limit: MAX_POSTS, now: now.text });
    const rows = await Promise.all(records.map(async (post) =>
      markup`
<li><a href="${postAddress(site, post)}" dir="auto">${post.title}</a>${await renderVote(context, {
        ...{ post, person, userEmail },
      })}</li>`
    ));
    const { renderIdeaForm } = await import("../pages/forms/idea_form.ts");
    const opened = await sealFormTime(storage, now);
    const form = renderIdeaForm(site, { boardId, opened, known: { person } });
    return {
      title: board.name,
      rest: markup`
<h2>${texts.newIdea}</h2>${form}
<ul class="items">${rows}
</ul>`,
    };
  }

  async function render(
    context: Reading,
    link: AppPerson,
    person: string,
  ): Promise<NoteContent | undefined> {
    const { boardId, postId, userEmail } = link;
    if (postId === null) return await renderBoard(context, link, person);
    const found = await findPost(context.storage, { boardId, postId });
    if (found?.board.visibility !== "public" || found.post.state !== "public") return undefined;
    const { post } = found;
    const rest = await renderVote(context, { post, person, userEmail });
    return { title: post.title, rest };
  }

  return operation("GET", "/open/:token", {
    isPage: true,
    operationId: "openAppLink",
    summary: "Open a page as the person whom an app hands over",
    description:
      "Once, within 10 minutes; HEAD and prefetching don't use the link up. The forms of the page " +
      "carry the sealed address for an hour. No cookie is set.",
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
      // A browser that looks ahead asks once more when somebody opens the link.
      if (request.method === "HEAD" || isPrefetch) {
        return await replies.show(200, { title: texts.mine, rest: lead });
      }
      const person = await useAppLink(storage, param, now.text);
      if (person === undefined) {
        return await replies.show(410, { title: texts.linkUsed, rest: lead });
      }
      const content = await render(context, link, person);
      return content === undefined ? await replies.missing() : await replies.show(200, content);
    },
  });
}
