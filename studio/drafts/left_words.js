/** @import { Child } from "../dom.js" */
// Unsaved words that can only be copied. Those of a key or member that the server no longer accepts
// stand on the page that signs in, under their owner's name. Those about a deleted record stand in
// its place.

import { BASE, browserStore, draftNames, ownDrafts, parseStored, whoami } from "../session.js";
import { button, copy, h, say, t } from "../dom.js";
import { forgetFormsAt, formsAt, readWords } from "./form_words.js";

const LEFT = `boardcast.left.${BASE.pathname}`;

/** Remembers whose words stay in this browser, before their owner is forgotten. */
export function rememberOwner() {
  if (draftNames().length === 0) return;
  browserStore.set(LEFT, JSON.stringify({ drafts: ownDrafts(), name: whoami() }));
}

/** Joins the words of a kept draft, of an entry or of a form. @param {any} kept */
function textOf(kept) {
  const { title = "", body = "" } = kept?.draft?.words ?? {};
  return [title, body, ...Object.values(kept?.form ?? {})]
    .filter((one) => typeof one === "string" && one).join("\n\n");
}

/** Shows texts, each with a button that copies it. @param {readonly string[]} texts */
function copyable(texts) {
  return texts.map((text) => [
    h("textarea", { readonly: true, rows: 4, dir: "auto", "aria-label": t("text") }, text),
    h(
      "p",
      null,
      button(t("copy"), async () => {
        await copy(text);
        say(t("copied"));
      }),
    ),
  ]);
}

/** Shows the words that were left, each with a button that copies them. @returns {Child} */
export function showLeft() {
  const left = parseStored(browserStore.get(LEFT));
  if (typeof left?.drafts !== "string") return undefined;
  const texts = browserStore.names().filter((name) => name.startsWith(left.drafts))
    .map((name) => textOf(parseStored(browserStore.get(name)))).filter(Boolean);
  if (texts.length === 0) {
    browserStore.remove(LEFT);
    return undefined;
  }
  return h("section", { class: "left" }, [
    h("h2", null, t("leftWords", { name: left.name })),
    copyable(texts),
  ]);
}

/**
 * Shows the words that were typed at a place which is gone, until somebody discards them.
 *
 * @param {string} place
 * @returns {Child}
 */
export function showWordsAt(place) {
  const texts = formsAt(place).map((name) => textOf({ form: readWords(name)?.words }))
    .filter(Boolean);
  if (texts.length === 0) return undefined;
  const discard = button(t("discard"), () => {
    forgetFormsAt(place);
    element.remove();
  }, { class: "danger" });
  const element = h("section", { class: "left" }, [
    h("p", { class: "note", role: "status" }, t("restored")),
    copyable(texts),
    discard,
  ]);
  return element;
}
