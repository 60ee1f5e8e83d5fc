/** @import { Child } from "../dom.js" */
/** @import { Draft } from "../drafts/draft.js" */
/** @import { Keeper } from "../keeper.js" */
import { may } from "../session.js";
import { address, button, h, say, setAddress, t } from "../dom.js";
import { isLive } from "../drafts/draft.js";
import { wordsOf } from "../drafts/words.js";
import { describe } from "../form.js";
import { titlesOf } from "../ideas/shipping.js";

/** @type {Readonly<Record<string, import("../dom.js").TextKey>>} */
export const STATUS_TEXTS = {
  saved: "saved",
  saving: "saving",
  live: "unsavedLive",
  incomplete: "incomplete",
  offline: "keptHere",
  conflict: "conflict",
  // The note below explains the rest.
  gone: "notSaved",
  failed: "notSaved",
  partly: "savedPartly",
  held: "notSaved",
};

/** Shows where the words are stored. @param {Draft} draft @param {string} now */
export function statusText(draft, now) {
  if (now === "offline" && draft.isUnkept) return t("notKeptHere");
  return t(STATUS_TEXTS[now]);
}

/**
 * Shows why the words of an editor are not stored, with the possible remedies.
 *
 * @param {{ keeper: Keeper, now: string, title: HTMLElement, body: HTMLElement }} editor
 * @returns {Child}
 */
export function noteOf({ keeper, now, title, body }) {
  const { draft } = keeper;
  const note = (/** @type {string} */ text, /** @type {Child} */ actions) =>
    h("div", { class: "note" }, h("p", null, text), h("div", { class: "actions" }, actions));
  switch (now) {
    case "conflict":
      return showConflict(keeper);
    case "gone":
      return note(t("isDeleted"), [
        button(t("keepBoth"), () => {
          keeper.again();
          setAddress(address(["entries", "new"]));
        }),
        button(t("discard"), () => {
          keeper.discard();
          location.hash = address(["entries"]);
        }),
      ]);
    case "held":
      return note(t("restored"), [
        button(t("goOn"), () => {
          keeper.accept();
          body.focus();
        }),
        button(t("discard"), () => {
          keeper.discard();
          title.focus();
        }),
      ]);
    default:
      return [
        draft.fault && h("p", { class: "error" }, describe(draft.fault)),
        draft.isUnkept && note(t("cannotKeep"), undefined),
      ];
  }
}

/** Returns the scope that writing needs. @param {Draft} draft */
export function lacking(draft) {
  return may("entries:write") && isLive(draft) ? "entries:publish" : "entries:write";
}

/**
 * Shows the changes that another person has stored meanwhile, and asks how to go on.
 *
 * @param {Keeper} keeper
 */
function showConflict({ draft: { theirs: found, words: mine }, resolve }) {
  if (found === undefined) return undefined;
  const theirs = wordsOf(found.entry);
  const named = /** @type {const} */ ([
    ["title", t("title")],
    ["body", t("text")],
    ["labels", t("labels")],
    ["url", t("link")],
    ["posts", t("ships")],
  ]);
  const shown = named.filter(([name]) => theirs[name] !== mine[name]).map(([name, label]) => [
    h("h2", null, label),
    name === "posts"
      ? showMarked(titlesOf(theirs.posts), titlesOf(mine.posts))
      : showMarked(theirs[name], mine[name]),
  ]);
  const choices = /** @type {const} */ ([
    ["mine", "keepMine"],
    ["theirs", "takeTheirs"],
    ["both", "keepBoth"],
  ]);
  const act = async (/** @type {"mine" | "theirs" | "both"} */ choice) => {
    const isSaved = await resolve(choice);
    if (choice === "both") say(t(isSaved ? "savedAsDraft" : "keptHere"));
  };
  const { updatedBy } = found.entry;
  return h(
    "section",
    { class: "conflict", "aria-label": t("conflict") },
    h("p", null, h("strong", null, t("conflict")), updatedBy && [": ", h("bdi", null, updatedBy)]),
    h("p", null, t("theirVersion")),
    shown,
    h(
      "div",
      { class: "actions" },
      choices.map(([choice, label]) => button(t(label), () => act(choice))),
    ),
  );
}

/**
 * Shows a text, marks the lines that the other text lacks, and scrolls to the first of them.
 *
 * @param {string} text
 * @param {string} other
 */
function showMarked(text, other) {
  const known = new Set(other.split("\n"));
  const mark = (/** @type {string} */ line) => known.has(line) ? line : h("mark", null, line);
  const lines = text.split("\n").map((line) => [mark(line), "\n"]);
  const shown = h("pre", { dir: "auto", tabindex: "0" }, lines);
  requestAnimationFrame(() => {
    const first = shown.querySelector("mark");
    if (first) shown.scrollTop = first.offsetTop - shown.offsetTop - shown.clientHeight / 3;
  });
  return shown;
}
