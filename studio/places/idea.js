/** @import { Child } from "../dom.js" */
/** @import { Visit } from "../main.js" */
/** @import { Idea } from "./deciding.js" */
import { ApiProblem, call, may, path, readRecord, send } from "../client.js";
import { action, deletion } from "../dialog.js";
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
import { deliveryOfIdea, watchDelivery } from "./delivery.js";
import { statusOf } from "./ideas.js";
import { merging, unmerging } from "./merging.js";

const SHOWN_VOTERS = 100;

/** Shows one idea. @param {Visit} visit @returns {Promise<Child>} */
export async function show(visit) {
  const [, boardId, postId] = visit.parts;
  const { signal } = visit;
  /** @type {Idea} */
  const idea = await readRecord(pathOf({ boardId, postId }), signal);
  const { entryId, mergedInto } = idea;
  const mayDecide = may("posts:publish");
  const [shippedBy, other] = await Promise.all([
    entryId === null || !may("entries:read")
      ? entryId
      : readTitle(path`changelogs/entries/${entryId}`, entryId, signal),
    mergedInto && readTitle(pathOf({ boardId, postId: mergedInto }), mergedInto, signal),
    readBoards(signal),
  ]);
  const board = h("bdi", null, boardName(boardId));
  const delivery = h("section", { class: "delivery", hidden: true });
  void watchDelivery(delivery, deliveryOfIdea(idea), signal);
  if (idea.state === "held" && mayDecide) {
    onKeys(visit, () => document.querySelector("main") ?? undefined);
  }
  return [
    head(idea.title, {
      up: ["#/ideas", t("ideas")],
      actions: mayDecide && actions(visit, idea),
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
    may("subscriptions:read") &&
    [await voters(visit, idea), mayDecide && await reports(visit, idea)],
  ];
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

/** @param {Visit} visit @param {Idea} idea */
function actions(visit, idea) {
  if (idea.mergedInto !== null) return unmerging(visit, idea);
  const rest = [
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
 * Shows whose votes they are: by source, by domain, and one by one. @param {Visit} visit @param
 * {Idea} idea
 */
async function voters(visit, idea) {
  const base = pathOf(idea);
  const { signal } = visit;
  const [{ bySource, byDomain, asked }, { data: votes }] = await Promise.all([
    call("GET", `${base}/votes/summary?asked=true`, { signal }),
    call("GET", `${base}/votes`, { query: { limit: `${SHOWN_VOTERS}` }, signal }),
  ]);
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

/** Shows why visitors reported an idea. @param {Visit} visit @param {Idea} idea */
async function reports({ signal }, idea) {
  const { data } = await call("GET", `${pathOf(idea)}/reports`, { signal });
  return data.length > 0 && [
    h("h2", null, t("reports")),
    table(t("reports"), [
      [t("reason"), ({ reason }) => h("span", { class: "words", dir: "auto" }, reason), "reason"],
      [t("date"), ({ at }) => date(at)],
    ], data),
  ];
}
