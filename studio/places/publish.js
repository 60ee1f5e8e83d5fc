/** @import { Visit } from "../main.js" */
/** @import { Entry, keepWords } from "../keeper.js" */
import { call, fieldProblem, may, path, send } from "../client.js";
import { address, h, menu, say, t } from "../dom.js";
import { ask, describe, showSecret } from "../form.js";

/** @typedef {ReturnType<keepWords>} Keeper */

const LAST_TEST = "boardcast.test";

/**
 * Returns the buttons of an entry.
 *
 * @param {{ entry: Entry | undefined, keeper: Keeper, visit: Visit, save: HTMLElement }} options
 */
export function entryActions({ entry, keeper, visit, save }) {
  const state = entry?.state ?? "draft";
  const publicPage = document.documentElement.dataset.changelog;

  /** Does something to the entry as it is in the editor. @param {(id: string) => Promise<unknown>} act */
  const withSaved = (act) => async () => {
    try {
      const isSaved = state === "published" || await keeper.save() || !keeper.hasChanges();
      const id = keeper.entryId();
      if (isSaved && id !== undefined) await act(id);
      else say(t(id === undefined ? "incomplete" : "notSaved"));
    } catch (error) {
      say(describe(error));
    }
  };
  /**
   * @param {string} label
   * @param {(id: string) => Promise<unknown>} act
   * @param {string} [className]
   */
  const button = (label, act, className) =>
    h("button", { type: "button", class: className, click: withSaved(act) }, label);

  const more = [
    button(t("test"), mailTest),
    publicPage && button(t("previewLink"), shareLink),
    state === "published" && publicPage && entry &&
    h("a", {
      href: `${publicPage}/${encodeURIComponent(entry.entryId)}`,
      target: "_blank",
      rel: "noopener",
    }, t("seePage")),
    state !== "draft" && button(t("unpublish"), (id) => unpublish(id, visit)),
    entry && button(t("delete"), remove, "danger"),
  ];
  return [
    save,
    state !== "published" &&
    button(t(state === "draft" ? "publish" : "change"), (id) => publish(id, visit), "primary"),
    menu(more),
  ];
}

/**
 * @param {string} id
 * @param {Visit} visit
 */
async function publish(id, visit) {
  const [people, isMailed] = await Promise.all([countPeople(), wasMailed(id)]);
  const many = people === undefined ? t("allPeople") : t("people", { n: people });
  const done = await ask(t("publish"), [
    {
      name: "when",
      label: t("when"),
      type: "radio",
      value: "now",
      options: [["now", t("now")], ["at", t("atTime")]],
    },
    {
      name: "at",
      label: t("time"),
      type: "datetime-local",
      required: true,
      attributes: { value: inAnHour() },
    },
    {
      name: "notify",
      label: t("mail"),
      type: "radio",
      value: isMailed ? "false" : "",
      hint: isMailed ? t("wasMailed") : t("mailOnce"),
      options: isMailed
        ? [["false", t("noMailing")]]
        : [["true", `${t("mailTo")} ${many}`], ["false", t("noMailing")]],
    },
  ], {
    submit: t("publish"),
    act: async ({ when, at, notify }) => {
      if (notify === "") throw fieldProblem("notify", t("chooseMail"));
      const time = when === "at" ? new Date(at) : undefined;
      if (time && isNaN(time.getTime())) throw fieldProblem("at", t("required"));
      const json = { notify: notify === "true", at: time?.toISOString() };
      await call("POST", path`changelogs/entries/${id}/publish`, { json });
    },
  });
  if (!done) return;
  say(t("done"));
  if (location.hash === address(["entries", id])) visit.reload();
  else location.hash = address(["entries", id]);
}

function inAnHour() {
  const time = new Date(Date.now() + 3_600_000);
  time.setMinutes(-time.getTimezoneOffset(), 0, 0);
  return time.toISOString().slice(0, 16);
}

/** Counts who would get a mail, as far as the key may know it. */
async function countPeople() {
  if (may("metrics:read")) {
    const stats = await call("GET", "stats").catch(() => undefined);
    const known = stats?.subscribers?.subscribed;
    if (typeof known === "number") return known;
  }
  if (!may("subscriptions:read")) return undefined;
  const query = { subscribed: "true" };
  const response = await send("GET", "changelogs/subscribers", {
    query,
    accept: "application/x-ndjson",
  });
  // A line for each of them. Not by "for await", which Safari lacks.
  let lines = 0;
  const reader = response.body?.getReader();
  for (let read = await reader?.read(); read?.value; read = await reader?.read()) {
    for (const byte of read.value) if (byte === 10) lines++;
  }
  return lines;
}

/** @param {string} id */
async function wasMailed(id) {
  return await call("GET", path`changelogs/entries/${id}/delivery`).then(() => true, () => false);
}

/**
 * @param {string} id
 * @param {Visit} visit
 */
async function unpublish(id, visit) {
  const act = () => call("POST", path`changelogs/entries/${id}/unpublish`);
  if (
    await ask(t("unpublish"), [], {
      submit: t("unpublish"),
      about: t("aboutUnpublish"),
      danger: true,
      act,
    })
  ) visit.reload();
}

/** @param {string} id */
async function remove(id) {
  const act = () => call("DELETE", path`changelogs/entries/${id}`);
  if (
    await ask(t("delete"), [], { submit: t("delete"), about: t("aboutDelete"), danger: true, act })
  ) location.hash = "#/entries";
}

/** @param {string} id */
async function mailTest(id) {
  const value = localStorage.getItem(LAST_TEST) ?? "";
  const fields = [{
    name: "userEmail",
    label: t("address"),
    type: "email",
    required: true,
    value,
    hint: t("aboutTest"),
  }];
  const act = async (/** @type {Record<string, string>} */ { userEmail }) => {
    const { sent, problem } = await call("POST", path`changelogs/entries/${id}/test`, {
      json: { userEmail },
    });
    if (!sent) throw fieldProblem("userEmail", problem ?? t("notSent"));
    localStorage.setItem(LAST_TEST, userEmail);
  };
  if (await ask(t("test"), fields, { submit: t("sendIt"), act })) say(t("sent"));
}

/** @param {string} id */
async function shareLink(id) {
  const { url } = await call("POST", path`changelogs/entries/${id}/preview-link`);
  await showSecret(t("previewLink"), url, t("aboutLink"));
}
