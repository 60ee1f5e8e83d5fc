import type { SiteContext } from "../../branded.ts";
import { BOARDS } from "../../../model/kinds.ts";
import { BOARD_TALLIES } from "../../../model/posts/records.ts";
import { textsOf } from "../../../model/locales/locales.ts";
import { MAX_OPEN_POSTS, POST, POST_BODY_MAX_BYTES } from "../../../model/posts/post.ts";
import { generateId } from "../../../model/values/record_id.ts";
import { Refusal } from "../../../model/values/refusal.ts";
import type { Board } from "../../../model/board.ts";
import { createIdea } from "../../../services/posts/create.ts";
import { showPost, showPosts } from "../../../services/posts/posts.ts";
import { findSimilar } from "../../../services/posts/similar.ts";
import { type Context, FOUND_PAGE, type Operation, operation } from "../../_http/operation.ts";
import type { Reply } from "../../_http/reply.ts";
import { createBoardViews } from "./views.ts";
import type { SentForm } from "../_page/address_field.ts";
import { renderRows, renderWayToBoard } from "./rows.ts";
import { renderIdeaForm, renderNew } from "./new_page.ts";
import { TRAP_FIELD } from "../_page/site.ts";
import {
  askForProof,
  createFormReplies,
  FORM_FIELDS,
  formField,
  readFormAddress,
  readNotify,
} from "../_page/forms.ts";
import {
  identify,
  isTooFast,
  sealFormTime,
  showVisitor,
  TIME_FIELD,
  type Visitor,
} from "../_page/visitor.ts";

/** A validated idea from a form. */
interface Idea {
  readonly boardId: string;
  readonly title: string;
  readonly body: string | null;
  readonly notify: boolean | undefined;
}

// Spammers put links into titles, which lists show.
const URL_IN_TITLE = /:\/\/|www\./i;
const POST_ID_LENGTH = 8;
const PATH = "/boards/:boardId/new";

/** Creates the operations of the form for a new idea. */
export async function operations(
  { site, documents }: SiteContext,
): Promise<readonly Operation[]> {
  const replies = createFormReplies(site);
  const views = createBoardViews(site, await documents());
  const texts = textsOf(site.language);

  async function showForm(
    { storage, now }: Pick<Context, "storage" | "now">,
    { boardId, attempt, isKnown }: {
      readonly boardId: string;
      readonly attempt: SentForm;
      readonly isKnown: boolean;
    },
  ): Promise<Reply> {
    const opened = await sealFormTime(storage, now);
    return await replies({ storage }).show(422, {
      title: texts.newIdea,
      rest: renderIdeaForm(site, { boardId, opened, isKnown, attempt }),
    });
  }

  async function createAs(
    { storage, now }: Pick<Context, "storage" | "now">,
    person: Visitor,
    { notify, board, ...idea }: Idea & { readonly board: Board },
  ): Promise<Reply> {
    const { userEmail, userName, keyId, erasedAt } = person;
    const way = renderWayToBoard(site, board);
    const author = { userEmail, userName, notify: notify === true };
    const post = await createIdea(storage, {
      ...idea,
      author,
      source: "form",
      keyId,
      erasedAt,
      at: now.text,
    });
    if (post === "board_full") {
      return await replies({ storage }).show(409, { title: texts.boardFull, rest: way });
    }
    // An idea beyond a limit gets the same reply.
    if (post === "too_many_held" || post === "too_many_today") {
      return await replies({ storage }).show(200, { title: texts.held, rest: way });
    }
    if (typeof post === "string") return await replies({ storage }).missing();
    const isHeld = post.state === "held";
    const shown = isHeld ? [] : [await showPost(storage, post, now.text)];
    const visitor = await showVisitor(storage, person, [post]);
    return await replies({ storage }).show(200, {
      title: isHeld ? texts.held : texts.voteCounts,
      rest: renderRows(site, shown, { board, visitor }),
    });
  }

  async function showStep(context: Context, board: Board, typed: string): Promise<Reply> {
    const { storage, now } = context;
    const { boardId } = board;
    const title = typed.trim();
    const tally = await storage.get(BOARD_TALLIES, board.instanceId);
    const isFull = (tally?.open ?? 0) >= MAX_OPEN_POSTS;
    const found = title === "" || isFull
      ? []
      : await findSimilar(storage, board, { q: title, now: now.text });
    const view = await views(context);
    const visitor = view.visitor && await showVisitor(storage, view.visitor, found);
    const form = renderIdeaForm(site, {
      boardId,
      title,
      opened: await sealFormTime(storage, now),
      isKnown: visitor !== undefined,
    });
    const similar = await showPosts(storage, found, now.text);
    return await view.replyOnce((site) =>
      renderNew(site, { board, isFull, title, similar, visitor, form })
    );
  }

  const page = operation("GET", PATH, {
    isPage: true,
    operationId: "getNewIdeaPage",
    summary: "Add an idea",
    description: "Asks for a title, then shows similar ideas and the rest of the form.",
    query: { title: formField("The title of the idea.") },
    successes: [
      FOUND_PAGE,
      { status: 404, description: "There is no such board.", schema: "Page" },
    ],
    problems: ["storage_unavailable"],
    async run(context) {
      const board = await context.storage.get(BOARDS, context.param);
      if (board?.visibility !== "public") return await replies(context).missing();
      return await showStep(context, board, context.query.title ?? "");
    },
  });

  const form = operation("POST", PATH, {
    isPage: true,
    operationId: "sendIdea",
    summary: "Send the form for a new idea",
    description: "Keeps the idea until the person confirms the address by mail. If the browser " +
      "remembers the person, or an app has handed them over, the idea is posted at once, or " +
      "held for approval.",
    ignoresUnknown: true,
    maxBodyBytes: POST_BODY_MAX_BYTES,
    body: {
      title: formField("The title: 3 to 120 characters, without a URL.", "Dark mode"),
      body: formField(
        "The text, in Markdown, up to 8 KiB, without images.",
        "At night the white hurts.",
      ),
      [TIME_FIELD]: formField(
        "The sealed time of the page: who is as fast as a script is dropped.",
      ),
      ...FORM_FIELDS,
    },
    successes: [
      {
        ...FOUND_PAGE,
        description: "The idea is posted, held, or waits for confirmation.",
      },
      { status: 403, description: "Another site has sent the form.", schema: "Page" },
      { status: 404, description: "There is no such board.", schema: "Page" },
      { status: 409, description: "The board takes no more ideas.", schema: "Page" },
      { status: 422, description: "The form, with the fields to mend.", schema: "Page" },
    ],
    problems: ["storage_unavailable"],
    async run(context) {
      const { storage, param: boardId, body, now } = context;
      const board = await storage.get(BOARDS, boardId);
      if (board?.visibility !== "public") return await replies({ storage }).missing();
      const tally = await storage.get(BOARD_TALLIES, board.instanceId);
      if ((tally?.open ?? 0) >= MAX_OPEN_POSTS) {
        const rest = renderWayToBoard(site, board);
        return await replies({ storage }).show(409, { title: texts.boardFull, rest });
      }
      const values = {
        title: body.title ?? "",
        body: body.body ?? "",
        userEmail: body.userEmail ?? "",
      };
      const person = values.userEmail === "" ? await identify(context, site) : undefined;
      if (person === "foreign") {
        return await replies({ storage }).foreign(
          `${site.publicUrl}/boards/${encodeURIComponent(boardId)}/new`,
        );
      }
      const title = POST.fields.title.parse(values.title);
      const text = POST.fields.body.parse(values.body);
      const userEmail = readFormAddress(values.userEmail);
      const refused = [
        ...title instanceof Refusal || URL_IN_TITLE.test(title) ? ["title"] : [],
        ...text instanceof Refusal ? ["body"] : [],
        ...person === undefined && userEmail === undefined ? ["userEmail"] : [],
      ];
      if (title instanceof Refusal || text instanceof Refusal || refused.length > 0) {
        const attempt = { values, refused };
        return await showForm(context, { boardId, attempt, isKnown: person !== undefined });
      }
      const idea = { boardId, title, body: text, notify: readNotify(body.notify) };
      const isTrapped = Boolean(body[TRAP_FIELD]);
      if (person !== undefined && !isTrapped) {
        return await createAs(context, person, { ...idea, board });
      }
      if (userEmail === undefined) {
        return await replies({ storage }).sent(renderWayToBoard(site, board));
      }
      const isDropped = isTrapped || await isTooFast(storage, body[TIME_FIELD] ?? undefined, now);
      const item = { type: "idea", ...idea, postId: generateId(POST_ID_LENGTH) } as const;
      const page = await replies({ storage }).sent(renderWayToBoard(site, board));
      await askForProof(context, { userEmail, item, boardId, isDropped });
      return page;
    },
  });

  return [page, form];
}
