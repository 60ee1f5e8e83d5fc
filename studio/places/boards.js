/** @import { Child } from "../dom.js" */
/** @import { Visit } from "../main.js" */
import { call, may, path, send } from "../client.js";
import { deleting, doing, task } from "../dialog.js";
import { address, button, date, h, head, t } from "../dom.js";
import { form } from "../form.js";
import { listing } from "../listing.js";

/**
 * @param {Visit} visit
 * @returns {Promise<Child>}
 */
export async function showBoards(visit) {
  const [, boardId] = visit.parts;
  if (boardId !== undefined) return await showBoard(visit, boardId);
  return [
    head(t("boards"), {
      actions: may("boards:write") &&
        button(t("newBoard"), () => create(visit), { class: "primary" }),
    }),
    await listing(visit, {
      name: t("boards"),
      path: "boards",
      columns: [
        {
          title: t("name"),
          cell: ({ boardId, name }) =>
            h("a", { class: "title", href: address(["boards", boardId]), dir: "auto" }, name),
        },
        { title: t("id"), wide: true, cell: ({ boardId }) => h("code", null, boardId) },
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
function create(visit) {
  return task(visit, t("newBoard"), {
    fields: [...fieldsOf(), { name: "boardId", label: t("id"), hint: t("aboutId") }],
    submit: t("create"),
    act: async ({ boardId, description, url, name }) => {
      const json = { name, description: description || null, url: url || null };
      await call("POST", "boards", { json: { ...json, ...boardId && { boardId } } });
    },
  });
}

/**
 * @param {Visit} visit
 * @param {string} boardId
 * @returns {Promise<Child>}
 */
async function showBoard(visit, boardId) {
  const base = path`boards/${boardId}`;
  const response = await send("GET", base, { signal: visit.signal });
  const board = await response.json();
  const match = response.headers.get("ETag") ?? "";
  const mayWrite = may("boards:write");
  const remove = () =>
    deleting(visit, board.name, { act: () => call("DELETE", base), to: "#/boards" });
  return [
    head(board.name, {
      up: ["#/boards", t("boards")],
      actions: mayWrite && button(t("delete"), remove, { class: "danger" }),
    }),
    h(
      "p",
      { class: "soft" },
      h("code", null, boardId),
      ` · ${t("changed")} ${date(board.updatedAt)}`,
    ),
    mayWrite
      ? form(fieldsOf(board), {
        submit: t("save"),
        async act({ name, description, url }) {
          const json = { name, description: description || null, url: url || null };
          await call("PATCH", base, { json, match });
          await doing(visit, () => {}, t("saved"));
        },
      })
      : [h("p", { dir: "auto" }, board.description), h("p", null, board.url)],
  ];
}
