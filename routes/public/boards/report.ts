import type { SiteContext } from "../../branded.ts";
import type { Storage } from "../../../adapters/storage.ts";
import type { Board } from "../../../model/board.ts";
import { textsOf } from "../../../model/locales/locales.ts";
import { Refusal } from "../../../model/values/refusal.ts";
import { parseText } from "../../../model/values/text.ts";
import { findPost } from "../../../services/posts/posts.ts";
import { addReport, isReportable } from "../../../services/posts/reports.ts";
import { type Context, FOUND_PAGE, type Operation, operation } from "../../_http/operation.ts";
import type { Reply } from "../../_http/reply.ts";
import {
  describeError,
  LINE_BREAK,
  renderError,
  renderTrap,
  type SentForm,
} from "../_page/address_field.ts";
import { ideaAddress } from "./parts.ts";
import { renderWayToBoard } from "./rows.ts";
import { type PublicSite, TRAP_FIELD } from "../_page/site.ts";
import { createFormReplies, formField } from "../_page/forms.ts";
import { isOwnForm, isTooFast, sealFormTime, SENDS_ORIGIN, TIME_FIELD } from "../_page/visitor.ts";
import { type Html, markup } from "../../../model/values/html.ts";
import type { FormTarget } from "./vote_form.ts";

const PATH = "/boards/:boardId/:postId/report";
const MIN_CODE_POINTS = 3;
const MAX_CODE_POINTS = 1_000;

/** Creates the operations of the form by which readers report a post. */
export function operations({ site }: SiteContext): readonly Operation[] {
  const replies = createFormReplies(site);
  const texts = textsOf(site.language);

  /** Replies that there is no such idea, with the way to its board if anybody can see that. */
  async function showMissing(storage: Storage, board: Board | undefined): Promise<Reply> {
    if (board?.visibility !== "public") return await replies({ storage }).missing();
    const title = texts.notFound;
    return await replies({ storage }).show(404, { title, rest: renderWayToBoard(site, board) });
  }

  async function showForm(
    { storage, params: [boardId, postId], now }: Pick<Context, "storage" | "params" | "now">,
    attempt?: SentForm,
  ): Promise<Reply> {
    const found = await findPost(storage, { boardId, postId });
    if (found?.board.visibility !== "public" || !isReportable(found.post)) {
      return await showMissing(storage, found?.board);
    }
    const opened = await sealFormTime(storage, now);
    const rest = renderReportForm(site, found.post, { opened, attempt });
    const status = attempt === undefined ? 200 : 422;
    const reply = await replies({ storage }).show(status, {
      title: texts.report,
      hint: found.post.title,
      rest,
    });
    return { ...reply, headers: { ...reply.headers, ...SENDS_ORIGIN } };
  }

  return [
    operation("GET", PATH, {
      isPage: true,
      operationId: "getReportPage",
      summary: "Show the form to report a post",
      successes: [
        FOUND_PAGE,
        { status: 404, description: "There is no such post.", schema: "Page" },
      ],
      problems: ["storage_unavailable"],
      run: (context) => showForm(context),
    }),

    operation("POST", PATH, {
      isPage: true,
      operationId: "sendReport",
      summary: "Report a post to the team",
      description: "Tells the team why a post should not stand there. Hides nothing by itself.",
      ignoresUnknown: true,
      body: {
        reason: formField("What is wrong with the post: 3 to 1,000 characters.", "It is spam."),
        [TIME_FIELD]: formField("The sealed time of the page: a form without it is dropped."),
        [TRAP_FIELD]: formField("People don't see this field: a form with it is dropped."),
      },
      successes: [
        FOUND_PAGE,
        { status: 403, description: "Another site has sent the form.", schema: "Page" },
        { status: 404, description: "There is no such post.", schema: "Page" },
        { status: 422, description: "The form, with the field to mend.", schema: "Page" },
      ],
      problems: ["storage_unavailable"],
      async run(context) {
        const { request, storage, params: [boardId, postId], body, now } = context;
        const found = await findPost(storage, { boardId, postId });
        if (found?.board.visibility !== "public" || !isReportable(found.post)) {
          return await showMissing(storage, found?.board);
        }
        if (!isOwnForm(request, site)) {
          return await replies({ storage }).foreign(`${ideaAddress(site, found.post)}/report`);
        }
        const typed = body.reason ?? "";
        const reason = parseText(typed, { maxCodePoints: MAX_CODE_POINTS, multiline: true });
        if (reason instanceof Refusal || [...reason].length < MIN_CODE_POINTS) {
          return await showForm(context, { values: { reason: typed }, refused: ["reason"] });
        }
        const opened = body[TIME_FIELD];
        const isDropped = Boolean(body[TRAP_FIELD]) || !opened ||
          await isTooFast(storage, opened, now);
        if (!isDropped) await addReport(storage, { boardId, postId, reason, at: now.text });
        return await replies({ storage }).show(200, {
          title: texts.reported,
          hint: texts.reportedHint,
        });
      },
    }),
  ];
}

/** Renders the form by which readers report a post to the team. */
export function renderReportForm(
  site: PublicSite,
  target: FormTarget,
  { opened, attempt }: { readonly opened: string; readonly attempt?: SentForm | undefined },
): Html {
  const texts = textsOf(site.language);
  const id = "report";
  return markup`
<form method="post" action="${ideaAddress(site, target)}/report" class="fields">
<input type="hidden" name="opened" value="${opened}">
<label>${texts.reportReason}<textarea name="reason" rows="4" required minlength="3" maxlength="1000" dir="auto"${
    describeError(attempt, "reason", id)
  }>${LINE_BREAK}${attempt?.values.reason}</textarea></label>${
    renderError(attempt, { name: "reason", id, text: texts.badReason })
  }${renderTrap(texts.leaveEmpty)}
<p class="buttons"><button>${texts.report}</button></p>
</form>`;
}
