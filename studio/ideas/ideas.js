/** @import { Child } from "../dom.js" */
/** @import { Visit } from "../main.js" */
import { ApiProblem, call, may, path } from "../client.js";
import { address, count, date, h, head, parse, pill, setAddress, t, titled, word } from "../dom.js";
import { newId } from "../drafts/kept.js";
import { filtered, listing } from "../listing.js";
import { action } from "../task.js";
import { isLost, reconnected } from "../work.js";
import { boardName, readBoards } from "./board_names.js";
import { approval, declining, describeWords, editing, onKeys } from "./deciding.js";

/** @import { Board } from "./board_names.js" */
/** @typedef {import("./deciding.js").Idea} Idea */

const STATUSES = ["considering", "planned", "started", "shipped", "declined"];
const SORTS = ["votes", "hot", "new"];

/**
 * The queries of the API behind the views. @type {Readonly<Record<string, Record<string, string>>>}
 */
const VIEWS = {
  "": { status: "open", answered: "false" },
  held: { state: "held", sort: "new" },
  hidden: { state: "hidden" },
  every: {},
};

/** Shows the ideas of all boards, or of one. @param {Visit} visit @returns {Promise<Child>} */
export async function show(visit) {
  const mayDecide = may("posts:publish");
  const [, boardId] = visit.parts;
  if (boardId !== undefined) {
    setAddress(address(["ideas"], { boardId, view: "every" }));
    Object.assign(visit, parse(location.hash));
  }
  const view = visit.query.get("view") ?? "";
  const sort = visit.query.get("sort") ?? "votes";
  const boards = await readBoards(visit.signal);
  const creating = may("posts:write") && may("boards:read") && creation(visit, boards);
  if (view === "held") onKeys(visit, () => focused(visit));
  const choices = [
    ...mayDecide ? ["held"] : [],
    ...STATUSES,
    ...mayDecide ? ["hidden"] : [],
    "every",
  ];
  return [
    head(t("ideas"), { actions: creating }),
    view === "held" ? h("p", { class: "soft keys" }, t("aboutKeys")) : h(
      "nav",
      { class: "tabs", "aria-label": t("order") },
      SORTS.map((one) =>
        h(
          "a",
          { href: filtered({ sort: one }), "aria-current": one === sort && "true" },
          word(`sort_${one}`),
        )
      ),
    ),
    await listing(visit, {
      name: t("ideas"),
      path: "posts",
      search: ["q", t("findIdeas")],
      tabs: ["view", choices.map((one) => [one, word(`view_${one}`)]), t("unanswered")],
      also: ["sort"],
      filters: [{ name: "boardId", remove: t("allBoards"), nameOf: boardName }],
      toQuery: ({ view, ...given }) => ({ ...VIEWS[view ?? ""] ?? { status: view }, ...given }),
      columns: [
        [t("idea"), (idea) => [
          titled(address(["ideas", idea.boardId, idea.postId]), idea.title),
          originOf(idea),
        ]],
        [t("votes"), ({ votes, importedVotes }) => h("b", null, count(votes + importedVotes))],
        [t("state"), (idea) => statusOf(idea)],
      ],
      show: view === "held" ? (data) => cards(visit, data) : undefined,
      empty: [h("p", null, t(view === "" ? "noIdeas" : "noneHere")), creating],
    }),
  ];
}

/** Says on which board an idea stands, with a link to the others there. @param {Idea} idea */
function originOf({ boardId, createdAt }) {
  const href = filtered({ boardId });
  const board = h("a", { class: "label", href }, h("bdi", null, boardName(boardId)));
  return h("small", null, board, " ", h("span", null, date(createdAt)));
}

/** @param {Idea} idea */
export function statusOf({ status, state }) {
  return state === "public"
    ? pill(status, word(`status_${status}`))
    : pill(state, word(`view_${state}`));
}

/**
 * Shows held ideas whole, each with the buttons that decide on it.
 *
 * @param {Visit} visit
 * @param {readonly Idea[]} ideas
 */
function cards(visit, ideas) {
  return h(
    "ul",
    { class: "cards" },
    ideas.map((idea) =>
      h(
        "li",
        { "data-idea": address(["ideas", idea.boardId, idea.postId]) },
        titled(address(["ideas", idea.boardId, idea.postId]), idea.title),
        describeWords(idea),
        originOf(idea),
        h("div", { class: "actions" }, [
          approval(visit, idea),
          declining(visit, idea),
          editing(visit, idea),
        ]),
      )
    ),
  );
}

/**
 * Returns the held idea that a key press decides on: the focused one, or the first.
 *
 * @param {Visit} visit
 */
function focused(visit) {
  const cards = [...document.querySelectorAll("li[data-idea]")];
  const card = document.activeElement?.closest("li[data-idea]") ?? cards[0];
  return visit.isShown() ? card : undefined;
}

/**
 * Creates the button that adds an idea of the team's own.
 *
 * @param {Visit} visit
 * @param {readonly Board[]} boards
 */
function creation(visit, boards) {
  if (boards.length === 0) {
    return may("boards:write") && h("a", { href: "#/boards" }, t("newBoard"));
  }
  const options = boards.map(({ boardId, name }) => [boardId, name]);
  const value = visit.query.get("boardId") ?? options[0][0];
  return action(visit, t("newIdea"), {
    fields: [
      { name: "boardId", label: t("board"), type: "select", value, options },
      { name: "title", label: t("title"), required: true, attributes: { dir: "auto" } },
      { name: "body", label: t("text"), type: "textarea" },
    ],
    submit: t("create"),
    run: ({ boardId, title, body }) => createIdea(boardId, { title, body: body || null }),
    done: ({ title }) => t("createdIt", { name: title }),
    attributes: { class: "primary" },
  });
}

/**
 * Creates an idea once, even if the answer is lost, because its identifier is made here.
 *
 * @param {string} boardId
 * @param {{ title: string, body: string | null }} words
 */
async function createIdea(boardId, words) {
  const postId = newId().slice(-8);
  try {
    return await call("POST", path`boards/${boardId}/posts`, { json: { postId, ...words } });
  } catch (error) {
    if (!isLost(error)) throw error;
    await reconnected();
    const found = call("GET", path`boards/${boardId}/posts/${postId}`);
    return await found.catch((/** @type {unknown} */ missing) => {
      throw missing instanceof ApiProblem && missing.status === 404 ? error : missing;
    });
  }
}
