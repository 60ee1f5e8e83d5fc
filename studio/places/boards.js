/** @import { Child } from "../dom.js" */
/** @import { Board } from "../ideas/board_names.js" */
/** @import { Visit } from "../places.js" */
import { ApiProblem, call, path, send } from "../client.js";
import { may } from "../session.js";
import { address, date, download, h, t, word } from "../dom.js";
import { facts, head, titled } from "../parts.js";
import { newId } from "../drafts/kept.js";
import { slug } from "../drafts/words.js";
import { emptyList, listing } from "../listing.js";
import { action, deletion } from "../task.js";
import { isLost, reconnected } from "../work.js";

const { changelog: CHANGELOG } = document.documentElement.dataset;
const VISIBILITIES = ["private", "public"];
const MODERATIONS = ["first", "all", "none"];

/** @param {Partial<Board>} [board] */
function fieldsOf({ name, description, url, visibility, moderation } = {}) {
  return [
    { name: "name", label: t("name"), value: name, required: true, attributes: { dir: "auto" } },
    { name: "description", label: t("description"), type: "textarea", value: description },
    { name: "url", label: t("link"), type: "url", value: url },
    {
      name: "visibility",
      label: t("visibility"),
      type: "select",
      value: visibility ?? "private",
      hint: t("aboutVisibility"),
      options: VISIBILITIES.map((one) => [one, word(`visible_${one}`)]),
    },
    {
      name: "moderation",
      label: t("moderation"),
      type: "select",
      value: moderation ?? "first",
      options: MODERATIONS.map((one) => [one, word(`approve_${one}`)]),
    },
  ];
}

/**
 * The button that creates a board.
 *
 * @param {Visit} visit
 * @param {{ isHere?: boolean }} [options] `isHere`: the visitor stays.
 */
export function creation(visit, { isHere = false } = {}) {
  return action(visit, t("newBoard"), {
    fields: [...fieldsOf(), { name: "boardId", label: t("id"), hint: t("aboutId") }],
    submit: t("create"),
    run: (_, json) => createBoard(json),
    done: ({ name }) => t("createdIt", { name }),
    to: isHere ? undefined : ({ boardId }) => address(["boards", boardId]),
    attributes: { class: isHere ? undefined : "primary" },
  });
}

/** Shows the boards, or one of them. @param {Visit} visit @returns {Promise<Child>} */
export async function show(visit) {
  const [, boardId, part] = visit.parts;
  if (part === "import") return await (await import("../importing/posts.js")).show(visit);
  if (boardId !== undefined) return await showBoard(visit, boardId);
  const create = may("boards:write") && creation(visit);
  return [
    head(t("boards"), { actions: create }),
    await listing(visit, {
      name: t("boards"),
      path: "boards",
      columns: [
        [t("name"), ({ boardId, name }) => titled(address(["boards", boardId]), name)],
        [t("visibility"), ({ visibility }) => word(`visible_${visibility}`)],
        [t("id"), ({ boardId }) => h("code", null, boardId), "wide"],
      ],
      empty: emptyList(t("noBoards"), create),
    }),
  ];
}

/**
 * Creates a board once, also where a response is lost, or the browser sends the request twice: it
 * has an identifier of this page, which nobody else has.
 *
 * @param {Record<string, string | null>} json
 */
async function createBoard({ boardId: typed, ...json }) {
  const read = (/** @type {string} */ id) =>
    call("GET", path`boards/${id}`).catch((error) => {
      if (error instanceof ApiProblem && error.status === 404) return undefined;
      throw error;
    });
  const isFree = async (/** @type {string} */ id) => await read(id) === undefined;
  const letters = newId().slice(-8);
  const named = slug(json.name ?? "");
  const boardId = typed ?? (named && await isFree(named) ? named : `board-${letters}`);
  if (typed && !await isFree(typed)) throw new ApiProblem({ status: 409, code: "board_exists" });
  try {
    return await call("POST", "boards", { json: { ...json, boardId } });
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status !== 409 && !isLost(error)) throw error;
    await reconnected();
    const found = await read(boardId);
    if (found === undefined) throw error;
    return found;
  }
}

/** @param {Visit} visit @param {string} boardId @returns {Promise<Child>} */
async function showBoard(visit, boardId) {
  const base = path`boards/${boardId}`;
  const board = await call("GET", base, { signal: visit.signal });
  const { name, description, url, visibility, moderation, updatedAt } = board;
  const isShown = visibility === "public" && CHANGELOG !== undefined;
  return [
    head(name, {
      up: ["#/boards", t("boards")],
      actions: [
        exporting(visit, boardId),
        may("posts:publish") && may("subscriptions:write") &&
        h("a", { class: "button", href: address(["boards", boardId, "import"]) }, t("import")),
        may("boards:write") && action(visit, t("change"), {
          fields: fieldsOf(board),
          submit: t("save"),
          run: (_, json) => call("PATCH", base, { json }),
          done: t("changedIt"),
        }),
        may("boards:write") && deletion(visit, name, { path: base, to: "#/boards" }),
      ],
    }),
    facts("facts", [
      [t("id"), h("code", null, boardId)],
      [t("description"), h("span", { dir: "auto" }, description ?? "–")],
      [
        t("link"),
        url ? h("a", { href: url, dir: "ltr", target: "_blank", rel: "noopener" }, url) : "–",
      ],
      [t("visibility"), [
        word(`visible_${visibility}`),
        isShown &&
        [" · ", h("a", { href: pageOf(boardId), target: "_blank", rel: "noopener" }, t("seePage"))],
      ]],
      [t("moderation"), word(`approve_${moderation}`)],
      [t("ideas"), h("a", { href: address(["ideas"], { boardId, view: "every" }) }, t("show"))],
      [t("changed"), date(updatedAt)],
    ]),
  ];
}

/**
 * The button that downloads the ideas of a board: all with their votes, or a table.
 *
 * @param {Visit} visit
 * @param {string} boardId
 */
function exporting(visit, boardId) {
  if (!may("posts:read") || !may("subscriptions:read")) return undefined;
  return action(visit, t("export"), {
    fields: [{
      name: "type",
      label: t("format"),
      type: "radio",
      value: "application/x-ndjson",
      options: [
        ["application/x-ndjson", t("asLines"), t("aboutLines")],
        ["text/csv", t("asTable"), t("aboutTable")],
      ],
    }],
    async run({ type }) {
      const response = await send("GET", path`boards/${boardId}/posts/export`, { accept: type });
      const ending = type === "text/csv" ? "csv" : "ndjson";
      download(`${boardId}.${ending}`, await response.blob(), type);
    },
    done: t("exportedThem"),
  });
}

/** The address of the public page of a board. @param {string} boardId */
function pageOf(boardId) {
  return `${CHANGELOG}/../boards/${encodeURIComponent(boardId)}`;
}
