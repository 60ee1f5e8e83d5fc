/** @import { Visit } from "../places.js" */
/** @import { Child } from "../dom.js" */
/** @import { Draft } from "../drafts/draft.js" */
/** @import { Words } from "../drafts/words.js" */
import { may } from "../session.js";
import {
  address,
  button,
  date,
  entryParts,
  h,
  isComposing,
  lacks,
  nodes,
  redraw,
  setAddress,
  t,
  word,
} from "../dom.js";
import { pill } from "../parts.js";
import { describe, describeField } from "../form.js";
import { isDirty, isLive } from "../drafts/draft.js";
import { addressOf, statusOf } from "../drafts/requests.js";
import { FIELDS, isDraftId } from "../drafts/words.js";
import { openKeeper } from "../keeper.js";
import { createImageTaker } from "../writing/images.js";
import { createPreview } from "../preview.js";
import { createToolbar } from "../writing/toolbar.js";
import { deliveryOfEntry, watchDelivery } from "./delivery.js";
import { lacking, noteOf, STATUS_TEXTS, statusText } from "./notes.js";
import { entryActions } from "./publish.js";
import { createShipping, describeRefused, readTitles } from "../ideas/shipping.js";

const BAD_STATES = ["offline", "conflict", "gone", "failed", "partly"];

/** @param {Visit} visit @returns {Promise<Child>} */
export async function show(visit) {
  const { signal, parts } = visit;
  const [, entryId] = parts;
  const isNew = entryId === "new" && parts[2] === undefined;
  let isShown = false;
  const keeper = await openKeeper(isNew ? undefined : entryId, {
    signal,
    onChange: () => isShown && show(),
  });
  const { draft: first } = keeper;
  const isReadonly = !may("entries:write") || isLive(first) && !may("entries:publish");

  const shared = { dir: "auto", readonly: isReadonly };
  const title = h("textarea", {
    class: "title",
    "aria-label": t("title"),
    placeholder: t("title"),
    rows: 1,
    ...shared,
  });
  const body = h("textarea", {
    class: "body",
    "aria-label": t("text"),
    placeholder: t("writeHere"),
    ...shared,
  });
  const small = { autocomplete: "off", readonly: isReadonly };
  const labels = h("input", { ...small, id: "labels", placeholder: t("labelsHint") });
  const url = h("input", { ...small, id: "url", type: "url", placeholder: "https://" });
  const place = h("input", { ...small, id: "entryId", spellcheck: "false", dir: "ltr" });
  const ships = createShipping({ signal, isReadonly, onChange: onInput });
  const fields = { title, body, labels, url, posts: ships };
  const inputs = { title, body, labels, url, posts: ships.input, entryId: place };
  const errors = Object.fromEntries(
    Object.entries(inputs).map(([name, input]) => {
      input.setAttribute("aria-describedby", `${name}-error`);
      return [name, h("p", { class: "error", id: `${name}-error` })];
    }),
  );
  const status = h("p", { class: "soft", role: "status" });
  const notes = h("div", { role: "alert" });
  const bar = h("div", { class: "actions" });
  const state = h("p", { class: "state" });
  const delivery = h("section", { class: "delivery", hidden: true });
  const heading = h("h1", { class: "hidden" });
  const preview = createPreview(signal);
  const save = button(t("save"), () => void keeper.save(), { class: "primary" });
  const discard = button(t("discardChanges"), () => {
    keeper.discard();
    body.focus();
  });
  const moment = h("div", { class: "moment", hidden: true });
  let drawn = "";
  let noted = "";
  let watching = new AbortController();

  /** @returns {Words} */
  const read = () => ({
    title: title.value,
    body: body.value,
    labels: labels.value,
    url: url.value,
    posts: ships.value,
  });

  /** @param {Words} words */
  function write(words) {
    for (const name of FIELDS) {
      const field = fields[name];
      if (field.value === words[name]) continue;
      const caret = field instanceof HTMLTextAreaElement ? field.selectionStart : undefined;
      field.value = words[name];
      // The caret keeps its position when the words of others arrive.
      if (document.activeElement === field && field instanceof HTMLTextAreaElement) {
        field.setSelectionRange(caret ?? null, caret ?? null);
      }
    }
    grow();
    preview.update(words);
  }

  function show() {
    const { draft } = keeper;
    const { base, words } = draft;
    const now = statusOf(draft);
    if (FIELDS.some((field) => fields[field].value !== words[field])) write(words);
    const isNamed = base !== undefined && !isDraftId(base.entry.entryId);
    const wanted = draft.address ?? (isNamed ? base.entry.entryId : "");
    if (document.activeElement !== place) place.value = wanted;
    place.placeholder = words.title.trim() ? addressOf(draft) : "";
    place.readOnly = isReadonly || isLive(draft);
    const said = now === "partly" && !base ? "failed" : now;
    status.textContent = isReadonly ? lacks(lacking(draft)) : statusText(draft, said);
    status.className = BAD_STATES.includes(now) ? "error" : "soft";
    save.hidden = isReadonly || !isLive(draft) || ["saved", "conflict", "gone"].includes(now);
    discard.hidden = save.hidden || !isDirty(draft);
    for (const [name, input] of Object.entries(inputs)) {
      const refused = draft.refused[/** @type {keyof Words} */ (name)];
      const value = name === "entryId" ? draft.address : words[/** @type {keyof Words} */ (name)];
      const isBad = refused !== undefined && refused.value === value;
      const describeBad = name === "posts" ? describeRefused : describeField;
      errors[name].textContent = isBad ? describeBad({ field: name, ...refused }) : "";
      input.ariaInvalid = isBad ? "true" : null;
    }
    const note = `${now} ${draft.fault?.code ?? ""} ${draft.theirs?.etag ?? ""} ${draft.isUnkept}`;
    if (note !== noted) notes.replaceChildren(...nodes(noteOf({ keeper, now, title, body })));
    noted = note;
    const name = words.title.trim() || t("newEntry");
    if (heading.textContent !== name) {
      heading.textContent = name;
      document.title = [name, document.documentElement.dataset.title].filter(Boolean).join(" · ");
    }
    // The visitor stays in this place while the entry gets an address.
    if (base && visit.isShown()) {
      visit.parts = entryParts(base.entry.entryId);
      setAddress(address(visit.parts));
    }
    showState(draft);
  }

  /** @param {Draft} draft */
  function showState({ base }) {
    const { entryId, publishedAt, state: now = "draft" } = base?.entry ?? {};
    const { createdBy, publishedBy } = base?.entry ?? {};
    const shown = `${now} ${publishedAt} ${entryId} ${createdBy} ${publishedBy}`;
    if (shown === drawn) return;
    drawn = shown;
    watching.abort();
    watching = new AbortController();
    delivery.hidden = true;
    if (now !== "draft" && entryId) {
      const mailed = deliveryOfEntry(entryId, readTitles);
      void watchDelivery(delivery, mailed, AbortSignal.any([signal, watching.signal]));
    }
    const by = now === "draft" ? createdBy : publishedBy ?? createdBy;
    state.replaceChildren(
      pill(now, word(now)),
      ...nodes(publishedAt && ` ${date(publishedAt)}`),
      ...nodes(by && [" · ", h("bdi", { class: "by" }, by)]),
    );
    const options = { keeper, visit, save, discard, point, moment };
    redraw(bar, !isReadonly && entryActions(options));
  }

  /** Focuses the field that prevents saving; returns the sentence about it. */
  function point() {
    const { draft } = keeper;
    const now = statusOf(draft);
    const empty = !draft.words.title.trim() ? title : !draft.words.body.trim() ? body : undefined;
    const bad = Object.entries(inputs).find(([name]) => errors[name].textContent);
    const field = now === "incomplete" ? empty : bad?.[1];
    field?.focus();
    const of = now === "partly" && bad ? errors[bad[0]].textContent : undefined;
    return of ?? (now === "failed" && draft.fault ? describe(draft.fault) : t(STATUS_TEXTS[now]));
  }

  /** Adjusts the height of the text fields to their contents. */
  function grow() {
    const { scrollY } = globalThis;
    for (const { style } of [title, body]) style.height = "auto";
    for (const { style, scrollHeight } of [title, body]) style.height = `${scrollHeight + 2}px`;
    if (globalThis.scrollY !== scrollY) scrollTo(0, scrollY);
  }

  function onInput() {
    // A title stays one line, even after a paste of two.
    if (/[\r\n]/.test(title.value)) title.value = title.value.replace(/\s*[\r\n]+\s*/g, " ").trim();
    grow();
    keeper.type(read());
    preview.update(read());
  }
  for (const field of [title, body, labels, url]) field.addEventListener("input", onInput);
  title.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || isComposing(event)) return;
    event.preventDefault();
    body.focus();
  });
  place.addEventListener("input", () => keeper.typeAddress(place.value.trim()));
  place.addEventListener("blur", () => show());
  const progress = h("p", { class: "soft", role: "status" });
  const takeImages = createImageTaker(body, { progress, signal });
  if (!isReadonly) preview.takeFiles((files) => void takeImages(files));
  const toolbar = !isReadonly && createToolbar(body, takeImages, signal);
  addEventListener("keydown", (event) => {
    const isSave = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s";
    if (!isSave || event.altKey) return;
    event.preventDefault();
    if (!isReadonly && !document.querySelector("dialog")) void keeper.save();
  }, { signal });

  /** @param {HTMLElement} input @param {string} label @param {Child} [shown] */
  const field = (input, label, shown = input) =>
    h("div", { class: "field" }, h("label", { for: input.id }, label), shown, errors[input.id]);
  const mayShip = may("posts:read") || first.words.posts !== "";
  const sheet = h(
    "div",
    { class: "sheet", "data-view": "write" },
    h(
      "div",
      { class: "write" },
      title,
      errors.title,
      toolbar,
      body,
      errors.body,
      h(
        "div",
        { class: "fields" },
        field(labels, t("labels")),
        field(place, t("pageAddress")),
        field(url, t("link")),
        mayShip && field(ships.input, t("ships"), ships.parts),
      ),
    ),
    h("div", { class: "view" }, h("p", { class: "soft" }, t("preview")), preview.frame),
  );
  const views = /** @type {const} */ (["write", "preview"]).map((name) =>
    button(t(name), () => {
      sheet.dataset.view = name;
      for (const one of views) one.ariaPressed = `${one.textContent === t(name)}`;
      grow();
      preview.follow(body);
    }, { "aria-pressed": `${name === "write"}` })
  );
  const top = h(
    "div",
    { class: "head editor" },
    h("a", { href: address(["entries"]), class: "up" }, t("entries")),
    state,
    status,
    progress,
    bar,
  );
  // The toolbar of the text stays visible below this bar.
  const sizes = new ResizeObserver(() =>
    document.documentElement.style.setProperty("--editor-head", `${top.offsetHeight}px`)
  );
  sizes.observe(top);
  signal.addEventListener("abort", () => sizes.disconnect());
  addEventListener("scroll", () => preview.follow(body), { signal, passive: true });
  addEventListener("resize", grow, { signal });

  write(first.words);
  const shipped = isNew ? visit.query.get("ships") : null;
  if (shipped && !isReadonly && !ships.value.split(" ").includes(shipped)) {
    ships.value = `${ships.value} ${shipped}`.trim();
    keeper.type(read());
  }
  isShown = true;
  show();
  requestAnimationFrame(() => {
    grow();
    if (!first.base && first.words.title === "") title.focus();
  });
  return [
    heading,
    top,
    notes,
    moment,
    delivery,
    h("div", { class: "views", role: "group", "aria-label": t("view") }, views),
    sheet,
  ];
}
