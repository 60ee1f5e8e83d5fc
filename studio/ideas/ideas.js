/** @import { Child } from "../dom.js" */
/** @import { Column } from "../parts.js" */
/** @import { Visit } from "../places.js" */
/** @import { Board } from "./board_names.js" */
/** @import { Idea } from "./saving.js" */
/** @import { Voter } from "./voters.js" */
import { ApiProblem, call, path } from "../client.js";
import { may } from "../session.js";
import { address, age, count, h, nodes, parse, setAddress, t, word } from "../dom.js";
import { head, pill, titled } from "../parts.js";
import { newId } from "../drafts/kept.js";
import { filtered, listing } from "../listing.js";
import { action } from "../task.js";
import { isLost, reconnected } from "../work.js";
import { boardName, hasManyBoards, readBoards } from "./board_names.js";
import { approval, declining, isDecidable, onKeys, statusChoice, visibility } from "./deciding.js";
import { dealing, maySeeReports, reasons } from "./reports.js";
import { pathOf, STATUSES } from "./saving.js";
import { nameOf, PERSON_FIELDS } from "./voters.js";
import { describeWords, editing } from "./words.js";

const SORTS = ["votes", "hot", "new"];

/**
 * The queries of the API behind the views. @type {Readonly<Record<string, Record<string, string>>>}
 */
const VIEWS = {
  "": { status: "open", answered: "false" },
  held: { state: "held", sort: "new" },
  reported: { reported: "true" },
  hidden: { state: "hidden" },
  every: {},
};

/** The place of the card that was decided on by a key; the next one gets the focus. */
let decidedAt = -1;

/** Shows the ideas of all boards, or of one. @param {Visit} visit @returns {Promise<Child>} */
export async function show(visit) {
  const mayDecide = may("posts:publish");
  const [, boardId] = visit.parts;
  if (boardId !== undefined) {
    setAddress(address(["ideas"], { boardId, view: "every" }));
    Object.assign(visit, parse(location.hash));
  }
  const view = visit.query.get("view") ?? "";
  const [boards, waiting] = await Promise.all([readBoards(visit.signal), visit.counted]);
  const creating = may("posts:write") && may("boards:read") && creation(visit, boards);
  const cards = { held: heldCard, reported: reportedCard }[view];
  /** @type {readonly (readonly [string, string, number?])[]} */
  const choices = [
    ...mayDecide ? [/** @type {const} */ (["held", t("view_held"), waiting.held])] : [],
    ...maySeeReports()
      ? [/** @type {const} */ (["reported", t("view_reported"), waiting.reported])]
      : [],
    ["every", t("all")],
  ];
  const kinds = [
    ...STATUSES.map((status) => /** @type {const} */ ([status, word(`status_${status}`)])),
    ...mayDecide ? [/** @type {const} */ (["hidden", t("view_hidden")])] : [],
  ];
  return [
    head(t("ideas"), { actions: creating }),
    view === "held" && h("p", { class: "soft keys" }, t("aboutKeys")),
    await listing(visit, {
      name: t("ideas"),
      path: "posts",
      search: ["q", t("findIdeas")],
      tabs: ["view", choices, t("unanswered")],
      kinds: [t("state"), kinds],
      // Held ideas are few, and the newest come first.
      order: view === "held" ? undefined : ["sort", SORTS.map((one) => [one, word(`sort_${one}`)])],
      filters: [{ name: "boardId", remove: t("allBoards"), nameOf: boardName }],
      toQuery: ({ view, ...given }) => ({ ...VIEWS[view ?? ""] ?? { status: view }, ...given }),
      columns: columnsOf(visit, view),
      show: cards && ((data) => cardsOf(data, (idea) => cards(visit, idea))),
      empty: [h("p", null, t(view === "" ? "noIdeas" : "noneHere")), creating],
    }),
  ];
}

/**
 * The columns of a view, without one that would say the same in each row.
 *
 * @param {Visit} visit
 * @param {string} view
 */
function columnsOf(visit, view) {
  /** @type {Column[]} */
  const columns = [
    [
      t("votes"),
      ({ votes, importedVotes }) => h("b", null, count(votes + importedVotes)),
      "number",
    ],
    [
      t("idea"),
      (idea) => titled(address(["ideas", idea.boardId, idea.postId]), idea.title),
      "main",
    ],
  ];
  /** @param {Idea} idea */
  const choice = (idea) =>
    statusChoice(visit, idea, () => {
      location.hash = address(["ideas", idea.boardId, idea.postId], { decline: "true" });
    });
  if (view === "every") {
    const mayDecide = may("posts:publish");
    columns.push([
      t("state"),
      (idea) => mayDecide && isDecidable(idea) ? choice(idea) : statusOfIdea(idea),
    ]);
  }
  if (hasManyBoards()) columns.push([t("board"), boardOfIdea, "wide"]);
  columns.push([t("since"), ({ createdAt }) => age(createdAt)]);
  return columns;
}

/** Names the board of an idea, with a link to the others there. @param {Idea} idea */
function boardOfIdea({ boardId }) {
  return h(
    "a",
    { class: "label", href: filtered({ boardId }) },
    h("bdi", null, boardName(boardId)),
  );
}

/** @param {Idea} idea */
export function statusOfIdea({ status, state }) {
  return state === "public"
    ? h("span", { class: `status ${status}` }, word(`status_${status}`))
    : pill(state, word(`view_${state}`));
}

/**
 * Shows ideas whole, each with the buttons that decide on it.
 *
 * @param {readonly Idea[]} ideas
 * @param {(idea: Idea) => Child} content
 */
function cardsOf(ideas, content) {
  const next = Math.min(decidedAt, ideas.length - 1);
  decidedAt = -1;
  return h(
    "ul",
    { class: "cards" },
    ideas.map((idea, index) => {
      const place = address(["ideas", idea.boardId, idea.postId]);
      const title = h("a", {
        class: "title",
        href: place,
        dir: "auto",
        "data-next": index === next,
      });
      title.append(idea.title);
      const card = h("li", { "data-idea": place }, h("div", null, title), content(idea));
      onKeys(card);
      card.addEventListener("keydown", () => decidedAt = index);
      card.addEventListener("pointerdown", () => decidedAt = -1);
      return card;
    }),
  );
}

/** @param {Visit} visit @param {Idea} idea */
function heldCard(visit, idea) {
  return [
    describeWords(idea, visit.signal),
    originOf(idea, visit.signal),
    h("div", { class: "actions" }, [
      approval(visit, idea),
      declining(visit, idea),
      editing(visit, idea),
    ]),
  ];
}

/** @param {Visit} visit @param {Idea} idea */
function reportedCard(visit, idea) {
  return [
    describeWords(idea, visit.signal),
    reasons(visit, idea),
    originOf(idea, visit.signal),
    h("div", { class: "actions" }, [
      dealing(visit, idea),
      visibility(visit, idea),
      editing(visit, idea),
    ]),
  ];
}

/** Says on which board an idea stands, since when, and whose it is. */
function originOf(/** @type {Idea} */ idea, /** @type {AbortSignal} */ signal) {
  const by = h("span");
  const origin = h("small", null, hasManyBoards() && [boardOfIdea(idea), " "], [
    age(idea.createdAt),
    " ",
    by,
  ]);
  if (may("subscriptions:read")) {
    void call("GET", `${pathOf(idea)}/votes`, { query: { limit: "50" }, signal })
      .then(({ data }) => {
        const author = data.find((/** @type {Voter} */ { isAuthor }) => isAuthor);
        if (author) by.replaceChildren(...nodes(["· ", nameOf(author)]));
      }).catch(() => {});
  }
  return origin;
}

/**
 * Creates the button that adds an idea of the team's own, or on behalf of somebody.
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
  const [email, ...person] = PERSON_FIELDS;
  return action(visit, t("newIdea"), {
    fields: [
      { name: "boardId", label: t("board"), type: "select", value, options },
      { name: "title", label: t("title"), required: true, attributes: { dir: "auto" } },
      { name: "body", label: t("text"), type: "textarea" },
      { ...email, label: t("onBehalfOf"), hint: t("aboutOnBehalfOf") },
      ...person,
    ],
    submit: t("create"),
    run: ({ boardId, title, body, userEmail, userName, notify }) =>
      createIdea(boardId, {
        title,
        body: body || null,
        ...userEmail && { userEmail, userName: userName || null, notify: notify === "true" },
      }),
    done: ({ title }) => t("createdIt", { name: title }),
    attributes: { class: "primary" },
  });
}

/**
 * Creates an idea once, even if the response is lost, because its identifier is made here.
 *
 * @param {string} boardId
 * @param {{ title: string, body: string | null, userEmail?: string, userName?: string | null,
 *   notify?: boolean }} fields
 */
async function createIdea(boardId, fields) {
  const postId = newId().slice(-8);
  try {
    return await call("POST", path`boards/${boardId}/posts`, { json: { postId, ...fields } });
  } catch (error) {
    if (!isLost(error)) throw error;
    await reconnected();
    const found = call("GET", path`boards/${boardId}/posts/${postId}`);
    return await found.catch((/** @type {unknown} */ missing) => {
      throw missing instanceof ApiProblem && missing.status === 404 ? error : missing;
    });
  }
}
