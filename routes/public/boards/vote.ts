import type { SiteContext } from "../../branded.ts";
import type { Board } from "../../../model/board.ts";
import { textsOf } from "../../../model/locales/locales.ts";
import { isClosing, type Post } from "../../../model/posts/post.ts";
import { ENTRIES } from "../../../model/kinds.ts";
import { changeAsk, withdrawOwnVote } from "../../../services/people/mine.ts";
import { findPost, followMerges, showPost, statusAt } from "../../../services/posts/posts.ts";
import { castVote } from "../../../services/posts/votes/votes.ts";
import { type Context, FOUND_PAGE, type Operation, operation } from "../../_http/operation.ts";
import type { Reply } from "../../_http/reply.ts";
import type { NoteContent } from "../people/confirm_page.ts";
import { ideaAddress } from "./parts.ts";
import { renderRows, rowId } from "./rows.ts";
import { renderVoteForm } from "./vote_form.ts";
import { type PublicSite, renderWay, TRAP_FIELD } from "../_page/site.ts";
import {
  askForProof,
  createFormReplies,
  FORM_FIELDS,
  formField,
  readFormAddress,
  readNotify,
} from "../_page/forms.ts";
import { identify, showVisitor, type Visitor } from "../_page/visitor.ts";

export function operations({ site }: SiteContext): readonly Operation[] {
  const replies = createFormReplies(site);
  const texts = textsOf(site.language);

  /** Shows the result of a vote, with the idea and the way to its board. */
  async function done(
    { storage, now }: Pick<Context, "storage" | "now">,
    { title, board, post, person, status = 200 }: {
      readonly title: string;
      readonly board: Board;
      readonly post: Post;
      readonly person?: Visitor | undefined;
      readonly status?: number;
    },
  ): Promise<Reply> {
    const visitor = person && await showVisitor(storage, person, [post]);
    const rows = [await showPost(storage, post, now.text)];
    const rest = renderRows(site, rows, { board, visitor });
    return await replies({ storage }).show(status, { title, rest });
  }

  async function voteAs(
    { storage, now }: Pick<Context, "storage" | "now">,
    { person, board, post, vote, notify, back }: {
      readonly person: Visitor;
      readonly board: Board;
      readonly post: Post;
      readonly vote: boolean;
      readonly notify: boolean | undefined;
      readonly back: string;
    },
  ): Promise<Reply> {
    const { userEmail, userName, keyId, erasedAt, isOfApp } = person;
    const outcome = await castVote(storage, {
      postId: post.postId,
      userEmail,
      userName,
      vote,
      keyId,
      erasedAt,
      at: now.text,
      notify: vote ? notify : undefined,
      source: isOfApp ? "api" : "form",
    });
    const page = { board, post, person };
    if (outcome === "post_closed") {
      return await done({ storage, now }, { ...page, title: texts.votingEnded, status: 409 });
    }
    if (typeof outcome === "string") return await replies({ storage }).missing();
    const isEnd = !vote || notify === false;
    if (isEnd) {
      const title = vote ? texts.endMail : texts.withdrawn;
      return await done({ storage, now }, { ...page, title, post: outcome.post });
    }
    return { status: 303, headers: { Location: pageAfter(site, outcome.post, back) } };
  }

  function form(post: Post, userEmail: string): NoteContent {
    const attempt = { values: { userEmail }, refused: ["userEmail"] };
    return { title: post.title, rest: renderVoteForm(site, post, { attempt }) };
  }

  return [operation("POST", "/boards/:boardId/:postId", {
    isPage: true,
    operationId: "sendVote",
    summary: "Send the form to vote",
    description: "Keeps the vote until the person confirms the address by mail. If the browser " +
      "remembers the person, or an app has handed them over, the vote counts at once.",
    ignoresUnknown: true,
    bodyOptional: true,
    body: {
      ...FORM_FIELDS,
      vote: formField("`false` withdraws the vote of a known person."),
      back: formField("The page with the pressed button: its path and query."),
    },
    successes: [
      { ...FOUND_PAGE, description: "The vote waits for confirmation, or it ended." },
      {
        status: 303,
        description: "The vote counts: the browser goes back to where it was pressed.",
        headers: ["Location"],
      },
      { status: 403, description: "Another site has sent the form.", schema: "Page" },
      { status: 404, description: "There is no such post.", schema: "Page" },
      { status: 409, description: "The voting has ended.", schema: "Page" },
      { status: 422, description: "The form, with the field to mend.", schema: "Page" },
    ],
    problems: ["storage_unavailable"],
    async run(context) {
      const { storage, params: [boardId, postId], body, now } = context;
      const found = await findPost(storage, { boardId, postId });
      const isShown = found?.board.visibility === "public" && found.post.state === "public";
      const notify = readNotify(body.notify);
      const vote = body.vote !== "false";
      // A known person may end a vote or a request for a post that nobody sees any more.
      const isEnding = !body.userEmail && (!vote || notify === false);
      if (found === undefined || (!isShown && !isEnding)) {
        return await replies({ storage }).missing();
      }
      const { board, post } = found;
      if (!body.userEmail) {
        const person = await identify(context, site);
        if (person === "foreign") {
          return await replies({ storage }).foreign(ideaAddress(site, post));
        }
        if (person !== undefined && !isShown) {
          if (vote) await changeAsk(storage, { ...person, postId, notify: false }, now.text);
          else await withdrawOwnVote(storage, { ...person, postId }, now.text);
          return await replies({ storage }).show(200, {
            title: vote ? texts.endMail : texts.withdrawn,
            rest: renderWay(`${site.publicUrl}/me`, texts.mine),
          });
        }
        if (person !== undefined) {
          const back = body.back ?? "";
          return await voteAs(context, { person, board, post, vote, notify, back });
        }
      }
      if (!isShown) return await replies({ storage }).missing();
      const userEmail = readFormAddress(body.userEmail);
      if (userEmail === undefined) {
        return await replies({ storage }).show(422, form(post, body.userEmail ?? ""));
      }
      const last = await followMerges(storage, post) ?? post;
      const entry = last.entryId === null ? undefined : await storage.get(ENTRIES, last.entryId);
      if (isClosing(statusAt(last, entry, now.text))) {
        return await done(context, { title: texts.votingEnded, board, post, status: 409 });
      }
      const item = { type: "vote", boardId, postId, notify } as const;
      const isDropped = Boolean(body[TRAP_FIELD]);
      const rows = [await showPost(storage, last, now.text)];
      const page = await replies({ storage }).sent(renderRows(site, rows, { board }));
      await askForProof(context, { userEmail, item, boardId, isDropped });
      return page;
    },
  })];
}

/** Returns the page to which a vote leads back: the row of the list in which it was pressed. */
function pageAfter(site: PublicSite, post: Post, back: string): string {
  const isList = /^\/boards[/?][!-~]*$/.test(back) && !back.includes("#");
  return isList ? `${site.publicUrl}${back}#${rowId(post)}` : ideaAddress(site, post);
}
