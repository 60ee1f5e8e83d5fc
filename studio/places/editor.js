/** @import { Visit } from "../main.js" */
/** @import { Child } from "../dom.js" */
/** @import { Entry, Status, Words } from "../keeper.js" */
import { may, path, Problem, send } from "../client.js";
import { address, date, h, icon, nodes, pill, t, word } from "../dom.js";
import { describe, describeField } from "../form.js";
import { discard, keepWords, rescue, wordsOf } from "../keeper.js";
import { link, prefix, surround } from "../marks.js";
import { createPreview } from "../preview.js";
import { showConflict } from "./conflict.js";
import { watchDelivery } from "./delivery.js";
import { entryActions } from "./publish.js";

const CHAIN =
  "M7 9a2.5 2.5 0 0 0 3.5 0l2-2A2.5 2.5 0 0 0 9 3.5l-1 1M9 7a2.5 2.5 0 0 0-3.5 0l-2 2A2.5 2.5 0 0 0 7 12.5l1-1";

/** @param {HTMLTextAreaElement} field */
function shrink(field) {
  field.style.height = "auto";
  return field;
}

/**
 * @param {Visit} visit
 * @param {string} entryId
 * @returns {Promise<Child>}
 */
export async function showEditor(visit, entryId) {
  const { signal } = visit;
  /** @type {Entry | undefined} */
  let entry;
  let etag = "";
  if (entryId !== "new") {
    const response = await send("GET", path`changelogs/entries/${entryId}`, { signal })
      .catch((error) => {
        if (error.status !== 404 || !rescue(entryId)) throw error;
      });
    if (response === undefined) return await showEditor(visit, "new");
    [entry, etag] = [await response.json(), response.headers.get("ETag") ?? ""];
  }
  const isLive = entry?.state === "published";
  const readonly = !may("entries:write");

  const title = h("textarea", {
    class: "title",
    "aria-label": t("title"),
    placeholder: t("title"),
    dir: "auto",
    rows: 1,
    maxlength: 200,
    readonly,
  });
  const body = h("textarea", {
    class: "body",
    "aria-label": t("text"),
    placeholder: t("writeHere"),
    dir: "auto",
    readonly,
    "aria-describedby": "marks",
  });
  const labels = h("input", {
    id: "labels",
    readonly,
    autocomplete: "off",
    placeholder: "new fixed",
    "aria-describedby": "labels-error",
  });
  const url = h("input", {
    id: "url",
    type: "url",
    readonly,
    autocomplete: "off",
    placeholder: "https://",
    "aria-describedby": "url-error",
  });
  const fields = { title, body, labels, url };
  const errors = {
    labels: h("p", { class: "error", id: "labels-error" }),
    url: h("p", { class: "error", id: "url-error" }),
  };
  const status = h("span", { class: "soft", role: "status" });
  const alert = h("div", { class: "error", role: "alert" });
  const bar = h("div", { class: "actions" });
  const state = h("p", { class: "state" });
  const delivery = h("section", { class: "delivery", hidden: true });
  const preview = createPreview(signal);

  /** @returns {Words} */
  const read = () => ({
    title: title.value,
    body: body.value,
    labels: labels.value,
    url: url.value,
  });
  /** @param {Words} words */
  function write(words) {
    for (const name of /** @type {(keyof Words)[]} */ (Object.keys(fields))) {
      if (fields[name].value !== words[name]) fields[name].value = words[name];
    }
    grow();
    preview.update(words);
  }

  /**
   * @param {Status} now
   * @param {unknown} [problem]
   */
  function show(now, problem) {
    const texts = {
      ...{
        saved: t("saved"),
        unsaved: isLive ? t("unsavedLive") : t("saving"),
        saving: t("saving"),
      },
      ...{
        incomplete: t("incomplete"),
        offline: t("keptHere"),
        conflict: t("conflict"),
        failed: t("notSaved"),
      },
    };
    status.textContent = texts[now];
    status.className = ["offline", "conflict", "failed"].includes(now) ? "error" : "soft";
    const bad = problem instanceof Problem && now === "failed" ? problem.errors : [];
    for (const name of /** @type {const} */ (["labels", "url"])) {
      const error = bad.find(({ field }) => field === name);
      errors[name].textContent = error ? describeField(error) : "";
      if (error) fields[name].setAttribute("aria-invalid", "true");
      else fields[name].removeAttribute("aria-invalid");
    }
    const others = bad.filter(({ field }) => field !== "labels" && field !== "url");
    if (now !== "conflict") {
      alert.textContent = now !== "failed"
        ? ""
        : bad.length > 0
        ? others.map(describeField).join(" ")
        : describe(problem);
    }
    save.hidden = !isLive || readonly || now === "saved" || now === "conflict";
  }

  const save = h(
    "button",
    { type: "button", class: "primary", click: () => void keeper.save() },
    t("save"),
  );

  /** @param {Entry} saved */
  function onSaved(saved) {
    const isNew = entry === undefined;
    entry = saved;
    // The entry has an address from now on, and the visitor stays where they are.
    if (isNew) history.replaceState(null, "", address(["entries", saved.entryId]));
    if (isNew || saved.state !== stateShown) drawBar();
  }

  let stateShown = "";
  function drawBar() {
    stateShown = entry?.state ?? "draft";
    const when = entry?.publishedAt ? ` ${date(entry.publishedAt)}` : "";
    state.replaceChildren(pill(stateShown, word(stateShown)), when);
    bar.replaceChildren(...nodes([!readonly && entryActions({ entry, keeper, visit, save })]));
  }

  if (entry) write(wordsOf(entry));
  const keeper = keepWords(entry, etag, {
    ...{ read, show, onSaved, signal, isManual: isLive || readonly },
    write,
    onConflict: (theirs, mine) =>
      alert.replaceChildren(showConflict(theirs, mine, async (choice) => {
        await keeper.resolve(choice);
        alert.replaceChildren();
      })),
  });
  drawBar();
  keeper.touch();
  if (readonly) {
    status.textContent = t("lacks", { what: word("entries:write"), scope: "entries:write" });
  }
  if (entry && entry.state !== "draft") watchDelivery(delivery, entry.entryId, signal);

  function onInput() {
    grow();
    keeper.touch();
    preview.update(read());
  }
  /** Gives the texts as much room as they take. */
  function grow() {
    for (const { style, scrollHeight } of [title, body].map(shrink)) {
      style.height = `${scrollHeight + 2}px`;
    }
  }
  for (const field of Object.values(fields)) field.addEventListener("input", onInput);
  title.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    body.focus();
  });

  const marks = /** @type {const} */ ([
    ["B", "bold", "b", () => surround(body, "**", "**")],
    ["I", "italic", "i", () => surround(body, "*", "*")],
    [icon(CHAIN), "link", "k", () => link(body)],
    ["H", "heading", "", () => prefix(body, "## ")],
    ["•", "list", "", () => prefix(body, "- ")],
    ["</>", "code", "", () => surround(body, "`", "`")],
  ]);
  const toolbar = h(
    "div",
    { class: "marks", role: "group", id: "marks", "aria-label": "Markdown", hidden: readonly },
    marks.map(([sign, name, key, act]) => {
      const hint = key ? `${t(name)} (Ctrl+${key.toUpperCase()})` : t(name);
      return h("button", {
        type: "button",
        title: hint,
        "aria-label": hint,
        class: name,
        click: act,
      }, sign);
    }),
  );
  addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || document.querySelector("dialog")) {
      return;
    }
    const key = event.key.toLowerCase();
    const mark = marks.find(([, , other]) => other === key);
    if (key === "s") void keeper.save();
    else if (mark && document.activeElement === body && !readonly) mark[3]();
    else return;
    event.preventDefault();
  }, { signal });
  signal.addEventListener("abort", () => {
    if (!isLive && !readonly && keeper.hasChanges()) void keeper.save();
  });

  const views = /** @type {const} */ (["write", "preview"]).map((name) =>
    h("button", {
      type: "button",
      "aria-pressed": `${name === "write"}`,
      click: () => {
        sheet.dataset.view = name;
        for (const view of views) {
          view.setAttribute("aria-pressed", `${view === views[name === "write" ? 0 : 1]}`);
        }
        grow();
      },
    }, t(name))
  );
  const sheet = h(
    "div",
    { class: "sheet", "data-view": "write" },
    h(
      "div",
      { class: "write" },
      title,
      toolbar,
      body,
      h(
        "div",
        { class: "field" },
        h("label", { for: "labels" }, t("labels")),
        labels,
        errors.labels,
      ),
      h("div", { class: "field" }, h("label", { for: "url" }, t("link")), url, errors.url),
    ),
    h("div", { class: "view" }, preview.frame),
  );
  preview.update(read());
  requestAnimationFrame(() => {
    grow();
    if (!entry) title.focus();
  });
  const isRestored = !entry && keeper.hasChanges();
  const forgetDraft = () => {
    discard("new");
    write({ title: "", body: "", labels: "", url: "" });
    keeper.touch();
    if (restored) restored.remove();
  };
  const restored = isRestored &&
    h(
      "p",
      { class: "note" },
      `${t("restored")} `,
      h("button", { type: "button", click: forgetDraft }, t("discard")),
    );
  return [
    h("h1", { class: "hidden" }, entry ? entry.title : t("newEntry")),
    h(
      "div",
      { class: "head editor" },
      h("a", { href: "#/entries", class: "up" }, t("entries")),
      state,
      status,
      bar,
    ),
    restored || null,
    alert,
    delivery,
    h("div", { class: "views", role: "group", "aria-label": t("view") }, views),
    sheet,
  ];
}
