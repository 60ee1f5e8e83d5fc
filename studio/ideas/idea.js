/** @import { Child } from "../dom.js" */
/** @import { Visit } from "../main.js" */
/** @import { Board } from "./board_names.js" */
/** @import { Idea } from "./deciding.js" */
import { ApiProblem, call, may, path, readRecord, send } from "../client.js";
import {
  address,
  count,
  date,
  download,
  entryAddress,
  facts,
  h,
  head,
  menu,
  t,
  table,
  titled,
  word,
} from "../dom.js";
import { action, deletion } from "../task.js";
import { boardName, readBoards } from "./board_names.js";
import {
  answering,
  approval,
  declining,
  describeWords,
  editing,
  onKeys,
  pathOf,
  visibility,
} from "./deciding.js";
import { deliveryOfIdea, watchDelivery } from "../places/delivery.js";
import { statusOf } from "./ideas.js";
import { merging, unmerging } from "./merging.js";

const { changelog: CHANGELOG } = document.documentElement.dataset;
const SHOWN_VOTERS = 100;

/** Shows one idea. @param {Visit} visit @returns {Promise<Child>} */
export async function show(visit) {
  const [, boardId, postId] = visit.parts;
  const { signal } = visit;
  const base = pathOf({ boardId, postId });
  const mayDecide = may("posts:publish");
  const maySeeVoters = may("subscriptions:read");
  /** @type {[Idea, readonly Board[], any, any]} */
  const [idea, boards, votes, reported] = await Promise.all([
    readRecord(base, signal),
    readBoards(signal),
    maySeeVoters ? readVotes(base, signal) : undefined,
    maySeeVoters && mayDecide ? call("GET", `${base}/reports`, { signal }) : undefined,
  ]);
  const { entryId, mergedInto } = idea;
  const [shippedBy, other] = await Promise.all([
    entryId === null || !may("entries:read")
      ? entryId
      : readTitle(path`changelogs/entries/${entryId}`, entryId, signal),
    mergedInto && readTitle(pathOf({ boardId, postId: mergedInto }), mergedInto, signal),
  ]);
  const board = h("bdi", null, boardName(boardId));
  const isOnPage = idea.state === "public" && mergedInto === null &&
    boards.some((one) => one.boardId === boardId && one.visibility === "public");
  const delivery = h("section", { class: "delivery", hidden: true });
  void watchDelivery(delivery, deliveryOfIdea(idea), signal);
  if (idea.state === "held" && mayDecide) {
    onKeys(visit, () => document.querySelector("main") ?? undefined);
  }
  return [
    head(idea.title, {
      up: ["#/ideas", t("ideas")],
      actions: mayDecide && actions(visit, idea, isOnPage && seeIdea(idea)),
    }),
    idea.state === "held" && mayDecide && h("p", { class: "soft keys" }, t("aboutKeys")),
    mergedInto !== null && h(
      "p",
      { class: "note" },
      t("mergedInto"),
      " ",
      h("a", { href: address(["ideas", boardId, mergedInto]) }, h("bdi", null, other)),
    ),
    describeWords(idea),
    facts("facts", [
      [t("state"), statusOf(idea)],
      [t("votes"), [
        count(idea.votes + idea.importedVotes),
        idea.importedVotes > 0 && ` (${t("importedVotes", { n: idea.importedVotes })})`,
      ]],
      [
        t("board"),
        may("boards:read") ? h("a", { href: address(["boards", boardId]) }, board) : board,
      ],
      [t("since"), date(idea.createdAt)],
      [t("source"), word(`from_${idea.source}`)],
      ...entryId === null ? [] : [
        /** @type {const} */ ([t("shippedBy"), titled(entryAddress(entryId), shippedBy)]),
      ],
    ]),
    idea.answer &&
    [h("h2", null, t("answer")), h("p", { class: "words", dir: "auto" }, idea.answer)],
    delivery,
    h("h2", null, t("history")),
    h(
      "ul",
      null,
      idea.history.map(({ at, status }) =>
        h("li", null, word(`status_${status}`), " · ", date(at))
      ),
    ),
    // The voters of a merged idea stand beside the other.
    votes && mergedInto === null && voters(visit, idea, votes),
    reported && reports(reported.data),
  ];
}

/**
 * Reads the voters of an idea, by source, by domain, and one by one.
 *
 * @param {string} base
 * @param {AbortSignal} signal
 */
async function readVotes(base, signal) {
  const query = { limit: `${SHOWN_VOTERS}` };
  const [summary, { data }] = await Promise.all([
    call("GET", `${base}/votes/summary?asked=true`, { signal }),
    call("GET", `${base}/votes`, { query, signal }),
  ]);
  return { ...summary, data };
}

/**
 * Reads the title of a record; its identifier if it is gone.
 *
 * @param {string} path
 * @param {string} id
 * @param {AbortSignal} signal
 * @returns {Promise<string>}
 */
async function readTitle(path, id, signal) {
  const found = await call("GET", path, { signal }).catch((error) => {
    if (!(error instanceof ApiProblem && error.status === 404)) throw error;
  });
  return found?.title ?? id;
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

/** @param {Visit} visit @param {Idea} idea @param {Child} page The link to its public page. */
function actions(visit, idea, page) {
  if (idea.mergedInto !== null) return unmerging(visit, idea);
  const rest = [
    page,
    editing(visit, idea),
    idea.state === "public" && merging(visit, idea),
    idea.state !== "held" && visibility(visit, idea),
    deletion(visit, idea.title, { path: pathOf(idea), to: "#/ideas", about: t("aboutDeleteIdea") }),
  ];
  const first = idea.state === "held"
    ? [approval(visit, idea), declining(visit, idea)]
    : answering(visit, idea);
  return [first, menu(rest)];
}

/**
 * Shows whose votes they are.
 *
 * @param {Visit} visit
 * @param {Idea} idea
 * @param {Awaited<ReturnType<typeof readVotes>>} read
 */
function voters(visit, idea, { bySource, byDomain, asked, data: votes }) {
  const base = pathOf(idea);
  const all = byDomain.reduce(
    (/** @type {number} */ sum, /** @type {{ votes: number }} */ { votes }) => sum + votes,
    0,
  );
  const saving = action(visit, t("export"), {
    name: t("voters"),
    async run() {
      const response = await send("GET", `${base}/votes`, { accept: "text/csv" });
      download(`${idea.postId}-votes.csv`, await response.blob(), "text/csv");
    },
    done: t("exportedThem"),
  });
  /** @type {readonly import("../dom.js").Column[]} */
  const reasons = votes.some((/** @type {{ why: string | null }} */ { why }) => why !== null)
    ? [[t("why"), ({ why }) => why && h("span", { class: "words", dir: "auto" }, why), "reason"]]
    : [];
  if (byDomain.length === 0) return undefined;
  const sources = /** @type {[string, number][]} */ (Object.entries(bySource));
  return [
    h("h2", null, t("voters")),
    facts("numbers", [
      ...sources.map((
        [source, votes],
      ) => /** @type {const} */ ([word(`from_${source}`), count(votes)])),
      [t("wantsMail"), count(asked)],
    ]),
    table(t("byDomain"), [
      [t("domain"), ({ domain }) => h("bdi", null, domain)],
      [t("votes"), ({ votes }) => count(votes)],
      [t("firstVote"), ({ firstAt }) => date(firstAt), "wide"],
      [t("lastVote"), ({ lastAt }) => date(lastAt), "wide"],
      [t("actions"), (row) => may("posts:publish") && aside(visit, idea, row)],
    ], byDomain),
    table(t("voters"), [
      [t("address"), ({ userEmail, userName, isAuthor }) => [
        h("bdi", { class: "title" }, userEmail),
        h("small", null, [userName, isAuthor && t("author")].filter(Boolean).join(" · ")),
      ]],
      ...reasons,
      [t("wantsMail"), ({ notify }) => notify ? t("yes") : "–", "wide"],
      [t("date"), ({ at }) => date(at), "wide"],
    ], votes),
    all > votes.length && h("p", { class: "soft" }, t("andMore", { n: all - votes.length })),
    h("div", { class: "actions" }, saving),
  ];
}

/**
 * The button that sets the votes of a domain aside, or counts them again.
 *
 * @param {Visit} visit
 * @param {Idea} idea
 * @param {{ domain: string, aside: boolean }} row
 */
function aside(visit, idea, { domain, aside }) {
  const set = (/** @type {boolean} */ aside) =>
    call("PUT", `${pathOf(idea)}/${path`domains/${domain}`}`, { json: { aside } });
  return action(visit, t(aside ? "countAgain" : "setAside"), {
    name: domain,
    about: aside ? undefined : t("aboutAside"),
    run: () => set(!aside),
    done: t(aside ? "countedIt" : "asideIt", { name: domain }),
  });
}

/** Shows why visitors reported an idea. @param {readonly unknown[]} data */
function reports(data) {
  return data.length > 0 && [
    h("h2", null, t("reports")),
    table(t("reports"), [
      [t("reason"), ({ reason }) => h("span", { class: "words", dir: "auto" }, reason), "reason"],
      [t("date"), ({ at }) => date(at)],
    ], data),
  ];
}
