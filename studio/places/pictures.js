/** @import { Child } from "../dom.js" */
/** @import { Visit } from "../places.js" */
import { call, path } from "../client.js";
import { BASE, may } from "../session.js";
import { button, copy, count, date, entryAddress, h, say, t } from "../dom.js";
import { head, titled } from "../parts.js";
import { describe } from "../form.js";
import { addPictures } from "../writing/images.js";
import { emptyList, listing } from "../listing.js";
import { deletion, tellAt } from "../task.js";
import { createWork } from "../work.js";

const TYPES = "image/png,image/jpeg,image/gif,image/webp";
const KIB = 1024;

/** @typedef {import("../../model/images/image.ts").ShownImage} Picture */

/**
 * Shows the pictures that are stored, or one of them.
 *
 * @param {Visit} visit
 * @returns {Promise<Child>}
 */
export async function show(visit) {
  const [, imageId] = visit.parts;
  if (imageId !== undefined) return await showPicture(visit, imageId);
  const [add, chosen] = may("entries:write") ? addition(visit) : [];
  return [
    head(t("pictures"), { actions: [add, chosen] }),
    await listing(visit, {
      name: t("pictures"),
      path: "changelogs/images",
      columns: [],
      show: (data) => h("ul", { class: "pictures" }, data.map((one) => h("li", null, card(one)))),
      empty: emptyList(t("noPictures"), add ?? false),
    }),
  ];
}

/** The button that adds pictures. @param {Visit} visit */
function addition(visit) {
  const work = createWork();
  const run = async () => {
    tellAt(add, "");
    try {
      await addPictures([...chosen.files ?? []], new AbortController().signal);
      say(t("picturesAdded"));
      visit.reload();
    } catch (error) {
      tellAt(add, describe(error));
    }
    chosen.value = "";
  };
  const chosen = h("input", {
    type: "file",
    accept: TYPES,
    multiple: true,
    hidden: true,
    change: () => void work.change(run),
  });
  const add = button(t("add"), () => chosen.click(), { class: "primary" });
  return /** @type {const} */ ([add, chosen]);
}

/** The address of a picture on this server. @param {string} imageId */
function sourceOf(imageId) {
  return new URL(`changelog/images/${imageId}`, BASE).href;
}

/** @param {Picture} picture */
function card({ imageId, width, height, bytes, createdAt }) {
  return [
    h("img", { src: sourceOf(imageId), alt: "", width, height, loading: "lazy" }),
    titled(`#/pictures/${imageId}`, `${width} × ${height}`),
    h("small", null, `${count(Math.ceil(bytes / KIB))} KiB · ${date(createdAt)}`),
  ];
}

/** @param {Visit} visit @param {string} imageId @returns {Promise<Child>} */
async function showPicture(visit, imageId) {
  const base = path`changelogs/images/${imageId}`;
  const picture = await call("GET", base, { signal: visit.signal });
  const { width, height, usedBy } = picture;
  const entries = await Promise.all(usedBy.map(async (/** @type {string} */ id) => {
    const found = call("GET", path`changelogs/entries/${id}`, { signal: visit.signal });
    return { id, title: (await found.catch(() => undefined))?.title ?? id };
  }));
  const copying = button(t("copyMarkdown"), async () => {
    await copy(`![](images/${imageId})`);
    say(t("copied"));
  });
  const about = entries.length > 0
    ? t("aboutUsedPicture", { titles: entries.map(({ title }) => title).join(", ") })
    : t("aboutDelete");
  const name = `${width} × ${height}`;
  return [
    head(name, {
      up: ["#/pictures", t("pictures")],
      actions: [
        copying,
        may("entries:write") && deletion(visit, name, { path: base, to: "#/pictures", about }),
      ],
    }),
    h("img", { class: "picture", src: sourceOf(imageId), alt: "", width, height }),
    h("h2", null, t("shownIn")),
    entries.length === 0 ? h("p", null, t("shownNowhere")) : h(
      "ul",
      null,
      entries.map(({ id, title }) => h("li", null, titled(entryAddress(id), title))),
    ),
  ];
}
