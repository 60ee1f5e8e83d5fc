/** @import { Child } from "../dom.js" */
/** @import { Visit } from "../main.js" */
import { call, may, path } from "../client.js";
import { action, deletion } from "../dialog.js";
import { address, date, facts, h, head, t, titled } from "../dom.js";
import { listing } from "../listing.js";

/** @param {{ name?: string, description?: string | null, url?: string | null }} [board] */
function fieldsOf({ name, description, url } = {}) {
  return [
    { name: "name", label: t("name"), value: name, required: true, attributes: { dir: "auto" } },
    { name: "description", label: t("description"), type: "textarea", value: description },
    { name: "url", label: t("link"), type: "url", value: url },
  ];
}

/** Shows the boards, or one of them. @param {Visit} visit @returns {Promise<Child>} */
export async function show(visit) {
  const [, boardId] = visit.parts;
  if (boardId !== undefined) return await showBoard(visit, boardId);
  const create = action(visit, t("newBoard"), {
    fields: [...fieldsOf(), { name: "boardId", label: t("id"), hint: t("aboutId") }],
    submit: t("create"),
    run: (_, json) => call("POST", "boards", { json }),
    attributes: { class: "primary" },
  });
  return [
    head(t("boards"), { actions: may("boards:write") && create }),
    await listing(visit, {
      name: t("boards"),
      path: "boards",
      columns: [
        [t("name"), ({ boardId, name }) => titled(address(["boards", boardId]), name)],
        [t("id"), ({ boardId }) => h("code", null, boardId), "wide"],
        [t("changed"), ({ updatedAt }) => date(updatedAt), "wide"],
      ],
      empty: t("noBoards"),
    }),
  ];
}

/** @param {Visit} visit @param {string} boardId @returns {Promise<Child>} */
async function showBoard(visit, boardId) {
  const base = path`boards/${boardId}`;
  const board = await call("GET", base, { signal: visit.signal });
  const { name, description, url, updatedAt } = board;
  return [
    head(name, {
      up: ["#/boards", t("boards")],
      actions: may("boards:write") && [
        action(visit, t("change"), {
          fields: fieldsOf(board),
          submit: t("save"),
          run: (_, json) => call("PATCH", base, { json }),
        }),
        deletion(visit, name, { path: base, to: "#/boards" }),
      ],
    }),
    facts("facts", [
      [t("id"), h("code", null, boardId)],
      [t("description"), h("span", { dir: "auto" }, description ?? "–")],
      [
        t("link"),
        url ? h("a", { href: url, dir: "ltr", target: "_blank", rel: "noopener" }, url) : "–",
      ],
      [t("changed"), date(updatedAt)],
    ]),
  ];
}
