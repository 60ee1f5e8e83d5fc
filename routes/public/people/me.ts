import type { SiteContext } from "../../branded.ts";
import { textsOf } from "../../../model/locales/locales.ts";
import { forgetPerson } from "../../../services/privacy/erasure.ts";
import { changeAsk, listMine, stopMail, withdrawOwnVote } from "../../../services/people/mine.ts";
import { isLinkValid, openLink } from "../../../services/proof/links.ts";
import { markup } from "../../../model/values/html.ts";
import { type Context, FOUND_PAGE, type Operation, operation } from "../../_http/operation.ts";
import type { Reply } from "../../_http/reply.ts";
import type { SentForm } from "../_page/address_field.ts";
import { boardAddress } from "../boards/parts.ts";
import { renderForgetQuestion, renderMine, renderMyForm, showOwn } from "./me_page.ts";
import { renderWay, TRAP_FIELD } from "../_page/site.ts";
import {
  askForProof,
  createFormReplies,
  FORM_FIELDS,
  formField,
  readFormAddress,
  readNotify,
} from "../_page/forms.ts";
import {
  dropCookies,
  hasCookie,
  isOwnForm,
  readRemembered,
  SENDS_ORIGIN,
  type Visitor,
} from "../_page/visitor.ts";

const PATH = "/me";
const LINK = { link: formField("The token of the link that proves who it is.") } as const;
const OWN = {
  isPage: true,
  ignoresUnknown: true,
  bodyOptional: true,
  successes: [
    FOUND_PAGE,
    { status: 403, description: "Another site has sent the form.", schema: "Page" },
  ],
  problems: ["storage_unavailable"],
} as const;

/**
 * Creates the operations of a person's own page. The cookie or the link in a mail identifies the
 * person.
 */
export function operations({ site }: SiteContext): readonly Operation[] {
  const replies = createFormReplies(site);
  const texts = textsOf(site.language);
  const url = `${site.publicUrl}${PATH}`;
  const toBoards = renderWay(boardAddress(site), texts.ideas);
  type Own = Pick<Context, "request" | "storage" | "now"> & {
    readonly body: { readonly link?: string | null | undefined };
  };

  async function showForm(
    { storage }: Pick<Context, "storage">,
    status: number,
    attempt?: SentForm,
  ): Promise<Reply> {
    return await replies({ storage }).show(status, renderMyForm(site, attempt));
  }

  async function showMine(
    { storage, now }: Pick<Context, "storage" | "now">,
    { userEmail }: Pick<Visitor, "userEmail">,
    link?: string,
  ): Promise<Reply> {
    const mine = await listMine(storage, userEmail);
    const shown = await showOwn(storage, mine, now.text);
    const isEmpty = mine.votes.length === 0 && mine.ideas.length === 0;
    const reply = await replies({ storage }).show(200, {
      title: texts.mine,
      hint: isEmpty ? texts.nothingMine : undefined,
      rest: markup`${renderMine(site, { ...mine, shown, link })}${isEmpty ? toBoards : undefined}`,
    });
    return { ...reply, headers: { ...reply.headers, ...SENDS_ORIGIN } };
  }

  /** Identifies the sender of a form on this page, and does what they request. */
  async function act(
    context: Own,
    use: (
      visitor: Pick<Visitor, "userEmail" | "erasedAt">,
      link: string | undefined,
    ) => Promise<Reply>,
  ): Promise<Reply> {
    const { request, storage, now, body } = context;
    if (body.link) {
      const link = await openLink(storage, body.link);
      const holds = link !== undefined && await isLinkValid(storage, link, now.text);
      return holds ? await use(link, body.link) : await showForm(context, 200);
    }
    const visitor = await readRemembered(context);
    if (visitor === undefined) return await showForm(context, 200);
    return isOwnForm(request, site)
      ? await use(visitor, undefined)
      : await replies({ storage }).foreign(url);
  }

  const reloads = [`${PATH}/withdraw`, `${PATH}/stop`, `${PATH}/forget`, "/forget-browser"]
    .map((path) => reloadOperation(path, url));

  return [
    ...reloads,
    operation("GET", PATH, {
      isPage: true,
      operationId: "getMyPage",
      summary: "Show a person's votes and ideas",
      description: "Without the cookie, shows a form that mails a link to this page.",
      successes: [FOUND_PAGE],
      problems: ["storage_unavailable"],
      async run(context) {
        const visitor = await readRemembered(context);
        return visitor === undefined
          ? await showForm(context, 200)
          : await showMine(context, visitor);
      },
    }),

    operation("POST", PATH, {
      isPage: true,
      operationId: "sendMyLink",
      summary: "Mail a link to a person's own page",
      ignoresUnknown: true,
      body: { userEmail: FORM_FIELDS.userEmail, [TRAP_FIELD]: FORM_FIELDS[TRAP_FIELD] },
      successes: [
        FOUND_PAGE,
        { status: 422, description: "The form, with the field to mend.", schema: "Page" },
      ],
      problems: ["storage_unavailable"],
      async run(context) {
        const { body } = context;
        const typed = body.userEmail ?? "";
        const userEmail = readFormAddress(typed);
        if (userEmail === undefined) {
          return await showForm(context, 422, {
            values: { userEmail: typed },
            refused: ["userEmail"],
          });
        }
        const isDropped = Boolean(body[TRAP_FIELD]);
        const page = await replies(context).sent(toBoards);
        await askForProof(context, { userEmail, item: undefined, boardId: null, isDropped });
        return page;
      },
    }),

    operation("POST", `${PATH}/withdraw`, {
      ...OWN,
      operationId: "withdrawMyVote",
      summary: "Withdraw one's vote, or a request for mail",
      body: {
        ...LINK,
        postId: formField("The post."),
        notify: formField("`false`: only the mail about the post ends; `true`: it begins."),
      },
      run: (context) =>
        act(context, async (visitor, link) => {
          const { storage, now, body: { postId } } = context;
          const notify = readNotify(context.body.notify);
          if (postId && notify === undefined) {
            await withdrawOwnVote(storage, { ...visitor, postId }, now.text);
          } else if (postId && notify !== undefined) {
            await changeAsk(storage, { ...visitor, postId, notify }, now.text);
          }
          return await showMine(context, visitor, link);
        }),
    }),

    operation("POST", `${PATH}/stop`, {
      ...OWN,
      operationId: "stopMyMail",
      summary: "Stop all mail",
      description: "Ends what the person asked to be told of, and their subscription.",
      body: LINK,
      run: (context) =>
        act(context, async ({ userEmail }) => {
          await stopMail(context.storage, userEmail, context.now.text);
          return await replies(context).show(200, {
            title: texts.stopped,
            hint: texts.stopHint,
            rest: toBoards,
          });
        }),
    }),

    operation("POST", `${PATH}/forget`, {
      ...OWN,
      operationId: "forgetMe",
      summary: "Delete everything about oneself",
      description: "Asks once more unless `sure` is `true`.",
      body: { ...LINK, sure: formField("`true`: the person has been asked.") },
      run: (context) =>
        act(context, async ({ userEmail }, link) => {
          const { storage, now, body: { sure } } = context;
          if (sure !== "true") {
            return await replies({ storage }).show(200, renderForgetQuestion(site, link));
          }
          await forgetPerson(storage, userEmail, now.text);
          const { forgotten: title, forgottenHint: hint } = texts;
          const reply = await replies({ storage }).show(200, { title, hint, rest: toBoards });
          return { ...reply, cookies: dropCookies(site) };
        }),
    }),

    operation("POST", "/forget-browser", {
      ...OWN,
      operationId: "forgetBrowser",
      summary: "Forget the person in this browser",
      description: "Removes the cookies by which the browser votes and posts for a person.",
      async run(context) {
        const { request } = context;
        if (hasCookie(request, site) && !isOwnForm(request, site)) {
          return await replies(context).foreign(url);
        }
        const reply = await replies(context).show(200, {
          title: texts.browserForgotten,
          rest: toBoards,
        });
        return { ...reply, cookies: dropCookies(site) };
      },
    }),
  ];
}

/** Leads a browser that opens the address of a sent form again to one's own page. */
function reloadOperation(path: string, url: string): Operation {
  const name = path.replace(/\W(\w)/g, (_, letter) => letter.toUpperCase());
  return operation("GET", path, {
    isPage: true,
    operationId: `reload${name}`,
    summary: "Go to one's own page",
    successes: [{ status: 303, description: "The browser goes there.", headers: ["Location"] }],
    run: () => ({ status: 303, headers: { Location: url } }),
  });
}
