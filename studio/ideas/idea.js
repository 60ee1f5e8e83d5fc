/** @import { Child } from "../dom.js" */
/** @import { Visit } from "../places.js" */
/** @import { Board } from "./board_names.js" */
/** @import { Idea } from "./saving.js" */
/** @import { Votes } from "./voters.js" */
import { ApiProblem, call, path, readRecord } from "../client.js";
import { may } from "../session.js";
import { address, count, date, entryAddress, h, setAddress, t, word } from "../dom.js";
import { facts, head, menu, pill, titled } from "../parts.js";
import { deletion } from "../task.js";
import { boardName, readBoards } from "./board_names.js";
import { createAnswer } from "./answering.js";
import { approval, declining, isDecidable, statusChoice, visibility } from "./deciding.js";
import { deliveryOfIdea, watchDelivery } from "../places/delivery.js";
import { statusOfIdea } from "./ideas.js";
import { merging, showMerged, unmerging } from "./merging.js";
import { maySeeReports, readReports, showReports } from "./reports.js";
import { pathOf } from "./saving.js";
import { lineOf, nameOf, readVotes, voters } from "./voters.js";
import { describeWords, editing } from "./words.js";

const { changelog: CHANGELOG } = document.documentElement.dataset;

/** Shows one idea. @param {Visit} visit @returns {Promise<Child>} */
export async function show(visit) {
  const [, boardId, postId] = visit.parts;
  const { signal } = visit;
  const base = pathOf({ boardId, postId });
  const mayDecide = may("posts:publish");
  const asked = /** @type {Idea} */ ({ boardId, postId });
  /** @type {[Idea, readonly Board[], Votes | undefined, any]} */
  const [idea, boards, votes, reported] = await Promise.all([
    readRecord(base, signal),
    readBoards(signal),
    may("subscriptions:read") ? readVotes(base, signal) : undefined,
    maySeeReports() ? readReports(asked, signal) : undefined,
  ]);
  const { entryId, mergedInto } = idea;
  const [shippedBy, other, merged] = await Promise.all([
    entryId === null || !may("entries:read")
      ? undefined
      : readNamed(path`changelogs/entries/${entryId}`, signal),
    mergedInto ? readNamed(pathOf({ boardId, postId: mergedInto }), signal) : undefined,
    showMerged(visit, idea),
  ]);
  const isOnPage = idea.state === "public" && mergedInto === null &&
    boards.some((one) => one.boardId === boardId && one.visibility === "public");
  const delivery = h("section", { class: "delivery", hidden: true });
  void watchDelivery(delivery, deliveryOfIdea(idea), signal);
  const answer = createAnswer(visit, idea);
  // The list of ideas leads here to decline one, because that needs an answer.
  if (visit.query.has("decline") && mayDecide) {
    setAddress(address(visit.parts));
    answer.decline();
  }
  return [
    head(idea.title, {
      up: ["#/ideas", t("ideas")],
      actions: mayDecide && actions(visit, idea, {
        begin: answer.begin,
        page: isOnPage && seeIdea(idea),
      }),
    }),
    mergedInto !== null && h(
      "p",
      { class: "note" },
      t("mergedInto"),
      " ",
      h("a", { href: address(["ideas", boardId, mergedInto]) }, [
        h("bdi", null, other?.title ?? mergedInto),
      ]),
    ),
    h(
      "div",
      { class: "idea" },
      h("div", null, [
        describeWords(idea, signal),
        answer.element,
        delivery,
        reported && showReports(visit, idea, reported),
        merged,
      ]),
      h("aside", { "aria-label": t("facts") }, [
        factsOf(idea, {
          votes,
          shippedBy,
          choosing: mayDecide && isDecidable(idea) && statusChoice(visit, idea, answer.decline),
        }),
        h("h2", null, t("history")),
        h(
          "ul",
          null,
          idea.history.map(({ at, status }) =>
            h("li", null, word(`status_${status}`), " · ", date(at))
          ),
        ),
      ]),
    ),
    // The voters of a merged idea stand beside the other.
    votes && mergedInto === null &&
    voters(visit, idea, votes, {
      // A held idea is decided on without an answer, or declined with one.
      quote: mayDecide && idea.state !== "held" ? answer.quote : undefined,
    }),
  ];
}

/**
 * Shows what is known of an idea.
 *
 * @param {Idea} idea
 * @param {{ votes: Votes | undefined, shippedBy: any, choosing: Child }} parts `choosing` changes
 *   the status.
 */
function factsOf(idea, { votes, shippedBy, choosing }) {
  const { boardId, postId, entryId } = idea;
  const author = votes?.data.find(({ isAuthor }) => isAuthor);
  const board = h("bdi", null, boardName(boardId));
  const mayShip = may("entries:write") && idea.state === "public" && idea.mergedInto === null &&
    !["shipped", "declined"].includes(idea.status);
  return facts("facts", [
    [t("state"), choosing || statusOfIdea(idea)],
    [t("votes"), [
      h("b", null, count(idea.votes + idea.importedVotes)),
      idea.importedVotes > 0 && ` (${t("importedVotes", { n: idea.importedVotes })})`,
      votes && idea.votes > 0 && lineOf(votes.byDay),
    ]],
    ...author ? [/** @type {const} */ ([t("author"), nameOf(author)])] : [],
    [
      t("board"),
      may("boards:read") ? h("a", { href: address(["boards", boardId]) }, board) : board,
    ],
    [t("since"), date(idea.createdAt)],
    [t("source"), word(`from_${idea.source}`)],
    ...entryId !== null
      ? [
        /** @type {const} */ ([t("shippedBy"), [
          titled(entryAddress(entryId), shippedBy?.title ?? entryId),
          shippedBy && [" ", pill(shippedBy.state, word(shippedBy.state))],
        ]]),
      ]
      : mayShip
      ? [
        /** @type {const} */ ([
          t("shippedBy"),
          h("a", { href: address(["entries", "new"], { ships: postId }) }, t("shipIt")),
        ]),
      ]
      : [],
  ]);
}

/**
 * Reads a record; nothing if it is gone.
 *
 * @param {string} path
 * @param {AbortSignal} signal
 * @returns {Promise<any>}
 */
async function readNamed(path, signal) {
  return await call("GET", path, { signal }).catch((error) => {
    if (!(error instanceof ApiProblem && error.status === 404)) throw error;
  });
}

/**
 * The link to the public page of an idea.
 *
 * @param {Idea} idea
 */
function seeIdea({ boardId, postId }) {
  const href = `${CHANGELOG}/../${path`boards/${boardId}/${postId}`}`;
  return CHANGELOG && h("a", { href, target: "_blank", rel: "noopener" }, t("seePage"));
}

/**
 * @param {Visit} visit
 * @param {Idea} idea
 * @param {{ begin: Child, page: Child }} parts The button that begins an answer, and the link to
 *   its public page.
 */
function actions(visit, idea, { begin, page }) {
  if (idea.mergedInto !== null) return unmerging(visit, idea);
  const rest = [
    page,
    editing(visit, idea),
    idea.state === "public" && merging(visit, idea),
    idea.state !== "held" && visibility(visit, idea),
    deletion(visit, idea.title, { path: pathOf(idea), to: "#/ideas", about: t("aboutDeleteIdea") }),
  ];
  const first = idea.state === "held" ? [approval(visit, idea), declining(visit, idea)] : begin;
  return [first, menu(rest)];
}
