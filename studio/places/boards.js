/** @import { Visit } from "../router.js" */
/** @import { Child } from "../dom.js" */
import { call, path, send } from "../client.js";
import { ask } from "../dialog.js";
import { h, say } from "../dom.js";
import { form } from "../form.js";
import { listing } from "../listing.js";
import { address } from "../router.js";
import { may } from "../session.js";
import { date, t } from "../texts.js";

/**
 * @param {Visit} visit
 * @returns {Promise<Child>}
 */
export async function showBoards(visit) {
  const [, boardId] = visit.parts;
  if (boardId !== undefined) return await showBoard(visit, boardId);
  return [
    h(
      "div",
      { class: "head" },
      h("h1", null, t("boards")),
      may("boards:write") &&
        h(
          "button",
          { type: "button", class: "primary", click: () => void create(visit) },
          t("newBoard"),
        ),
    ),
    await listing(visit, {
      name: t("boards"),
      path: "boards",
      columns: [
        {
          title: t("name"),
          cell: ({ boardId, name }) =>
            h("a", { class: "title", href: address(["boards", boardId]), dir: "auto" }, name),
        },
        { title: "boardId", wide: true, cell: ({ boardId }) => h("code", null, boardId) },
        { title: t("changed"), wide: true, cell: ({ updatedAt }) => date(updatedAt) },
      ],
      empty: h("p", null, t("noBoards")),
    }),
  ];
}

/** @param {{ name?: string, description?: string | null, url?: string | null }} [board] */
function fieldsOf({ name, description, url } = {}) {
  return [
    { name: "name", label: t("name"), value: name, required: true, attributes: { dir: "auto" } },
    { name: "description", label: t("description"), type: "textarea", value: description },
    { name: "url", label: t("link"), type: "url", value: url },
  ];
}

/** @param {Visit} visit */
async function create(visit) {
  const id = { name: "boardId", label: "boardId", hint: t("aboutId") };
  const done = await ask(t("newBoard"), [...fieldsOf(), id], {
    submit: t("create"),
    act: ({ boardId, description, url, name }) => {
      const json = {
        name,
        description: description || null,
        url: url || null,
        ...boardId && { boardId },
      };
      return call("POST", "boards", { json });
    },
  });
  if (!done) return;
  say(t("done"));
  visit.reload();
}

/**
 * @param {Visit} visit
 * @param {string} boardId
 * @returns {Promise<Child>}
 */
async function showBoard(visit, boardId) {
  const response = await send("GET", path`boards/${boardId}`, { signal: visit.signal });
  const board = await response.json();
  const match = response.headers.get("ETag") ?? "";
  const edit = form(fieldsOf(board), {
    submit: t("save"),
    act: async ({ name, description, url }) => {
      const json = { name, description: description || null, url: url || null };
      await call("PATCH", path`boards/${boardId}`, { json, match });
      say(t("saved"));
      visit.reload();
    },
  });
  async function remove() {
    const act = () => call("DELETE", path`boards/${boardId}`);
    if (
      await ask(t("delete"), [], {
        submit: t("delete"),
        about: t("aboutDelete"),
        danger: true,
        act,
      })
    ) {
      location.hash = "#/boards";
    }
  }
  return [
    h(
      "div",
      { class: "head" },
      h("a", { class: "up", href: "#/boards" }, t("boards")),
      h("h1", { dir: "auto" }, board.name),
      may("boards:write") &&
        h(
          "div",
          { class: "actions" },
          h("button", { type: "button", class: "danger", click: remove }, t("delete")),
        ),
    ),
    h(
      "p",
      { class: "soft" },
      h("code", null, boardId),
      ` · ${t("changed")} ${date(board.updatedAt)}`,
    ),
    may("boards:write")
      ? edit
      : [h("p", { dir: "auto" }, board.description), h("p", null, board.url)],
  ];
}
