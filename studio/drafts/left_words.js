/** @import { Child } from "../dom.js" */
// The unsaved words of a key or member that the server no longer accepts. They can be copied on the
// page that signs in, under their owner's name.

import { BASE, browserStore, draftNames, ownDrafts, parseStored, whoami } from "../session.js";
import { button, copy, h, say, t } from "../dom.js";

const LEFT = `boardcast.left.${BASE.pathname}`;

/** Remembers whose words stay in this browser, before their owner is forgotten. */
export function rememberOwner() {
  if (draftNames().length === 0) return;
  browserStore.set(LEFT, JSON.stringify({ drafts: ownDrafts(), name: whoami() }));
}

/** Returns the texts of a kept draft: of an entry, or of a form. @param {any} kept */
function textsOf(kept) {
  const { title = "", body = "" } = kept?.draft?.words ?? {};
  const text = [title, body, ...Object.values(kept?.form ?? {})]
    .filter((one) => typeof one === "string" && one).join("\n\n");
  return text === "" ? [] : [text];
}

/** Shows the words that were left, each with a button that copies them. @returns {Child} */
export function showLeft() {
  const left = parseStored(browserStore.get(LEFT));
  if (typeof left?.drafts !== "string") return undefined;
  const texts = browserStore.names().filter((name) => name.startsWith(left.drafts))
    .flatMap((name) => textsOf(parseStored(browserStore.get(name))));
  if (texts.length === 0) {
    browserStore.remove(LEFT);
    return undefined;
  }
  return h("section", { class: "left" }, [
    h("h2", null, t("leftWords", { name: left.name })),
    texts.map((text) => [
      h("textarea", { readonly: true, rows: 4, dir: "auto", "aria-label": t("text") }, text),
      h(
        "p",
        null,
        button(t("copy"), async () => {
          await copy(text);
          say(t("copied"));
        }),
      ),
    ]),
  ]);
}
