/** @import { Visit } from "../main.js" */
/** @import { Entry } from "../drafts/draft.js" */
/** @import { Keeper } from "../keeper.js" */
import { call, fieldProblem, may, path } from "../client.js";
import { ask, showSecret } from "../dialog.js";
import { button, entryAddress, h, menu, say, t } from "../dom.js";
import { describe } from "../form.js";
import { isDirty, isLive } from "../drafts/draft.js";

const LAST_TEST = "boardcast.test";

/**
 * Returns the buttons of an entry. `point` leads to what has to be mended first, and says it.
 *
 * @param {{ keeper: Keeper, visit: Visit, save: HTMLElement, point: () => string }} options
 */
export function entryActions({ keeper, save, point }) {
  const entry = keeper.draft.base?.entry;
  const state = entry?.state ?? "draft";
  const publicPage = document.documentElement.dataset.changelog;
  const mayPublish = may("entries:publish");
  let isBusy = false;

  /** Does something to the entry as it is in the editor; once, however often one presses. @param {(id: string) => Promise<unknown>} act */
  const withSaved = (act) => async () => {
    if (isBusy) return;
    isBusy = true;
    try {
      const isReady = isLive(keeper.draft) || await keeper.save();
      const id = keeper.draft.base?.entry.entryId;
      if (isReady && id !== undefined) await act(id);
      else say(point());
    } catch (error) {
      say(describe(error));
    } finally {
      isBusy = false;
    }
  };
  const doing = (
    /** @type {string} */ label,
    /** @type {(id: string) => Promise<unknown>} */ act,
  ) => button(label, withSaved(act));

  /** @param {string} id */
  async function duplicate(id) {
    const copied = await keeper.duplicate();
    if (copied !== undefined && copied !== id) location.hash = entryAddress(copied);
  }

  const more = [
    doing(t("test"), (id) => mailTest(id, keeper)),
    publicPage && doing(t("previewLink"), shareLink),
    state === "published" && publicPage && entry &&
    h("a", {
      href: `${publicPage}/${encodeURIComponent(entry.entryId)}`,
      target: "_blank",
      rel: "noopener",
    }, t("seePage")),
    entry && doing(t("duplicate"), duplicate),
    state !== "draft" && mayPublish && doing(t("unpublish"), (id) => unpublish(id, keeper)),
    entry && (state === "draft" || mayPublish) &&
    button(t("delete"), () => void remove(entry, keeper), { class: "danger" }),
  ];
  return [
    save,
    state !== "published" && mayPublish &&
    button(
      t(state === "draft" ? "publish" : "change"),
      withSaved(() => publish(keeper, point)),
      { class: "primary" },
    ),
    menu(more),
  ];
}

/** @param {Keeper} keeper @param {() => string} point */
async function publish(keeper, point) {
  const entry = keeper.draft.base?.entry;
  let etag = keeper.draft.base?.etag;
  const isOpen = isDirty(keeper.draft);
  if (entry === undefined) return;
  const { entryId: id, state, publishedAt, labels } = entry;
  const isPlanned = state === "scheduled";
  const counting = path`stats?labels=${labels.join(" ")}`;
  const [stats, delivery] = await Promise.all([
    may("metrics:read") ? call("GET", counting).catch(() => undefined) : undefined,
    call("GET", path`changelogs/entries/${id}/delivery`).catch(() => undefined),
  ]);
  const isPublic = Boolean(document.documentElement.dataset.changelog);
  // A mailing that waits is none yet.
  const isMailed = delivery !== undefined && delivery.startedAt !== null;
  const isWaiting = delivery !== undefined && !isMailed && delivery.finishedAt === null;
  const isMailer = isPublic && stats?.relay.configured !== false;
  const audience = stats?.audience;
  const number = (/** @type {number} */ n) => audience?.exact ? n : t("about", { n });
  const many = audience ? t("people", { n: number(audience.each) }) : t("allPeople");
  const weekly = audience?.weekly
    ? `${t("weekly")}: ${t("people", { n: number(audience.weekly) })}`
    : undefined;
  const nobody = /** @type {const} */ (["false", t("noMailing")]);
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const done = await ask(t(isPlanned ? "change" : "publish"), [
    {
      name: "when",
      label: t("when"),
      type: "radio",
      value: isPlanned ? "at" : "now",
      options: [["now", t("now")], ["at", t("atTime")]],
    },
    {
      name: "at",
      label: `${t("time")} (${timeZone})`,
      type: "datetime-local",
      required: true,
      attributes: { value: isPlanned && publishedAt ? local(new Date(publishedAt)) : inAnHour() },
    },
    {
      name: "notify",
      label: t("mail"),
      type: "radio",
      value: isMailed || !isMailer ? "false" : isPlanned ? `${isWaiting}` : "",
      hint: isMailed
        ? t("wasMailed")
        : !isMailer
        ? t(isPublic ? "noMailer" : "noPublicUrl")
        : t(isWaiting ? "mailGoesAlong" : "mailOnce"),
      options: isMailed || !isMailer
        ? [nobody]
        : [["true", `${t("mailTo")} ${many}`, weekly], nobody],
    },
  ], {
    submit: t(isPlanned ? "change" : "publish"),
    about: isOpen && t("savedAlong"),
    act: async ({ when, at, notify }) => {
      if (notify === "") throw fieldProblem("notify", t("chooseMail"));
      const time = when === "at" ? new Date(at) : undefined;
      if (time && isNaN(time.getTime())) throw fieldProblem("at", t("required"));
      await keeper.refresh();
      if (keeper.draft.base?.etag !== etag) {
        etag = keeper.draft.base?.etag;
        throw fieldProblem("when", t("conflict"));
      }
      if (isOpen && !await keeper.save()) throw fieldProblem("when", point());
      etag = keeper.draft.base?.etag;
      const json = { notify: notify === "true", at: time?.toISOString() };
      await call("POST", path`changelogs/entries/${id}/publish`, { json });
    },
  });
  if (!done) return;
  await keeper.refresh();
  say(t("done"));
}

function inAnHour() {
  const time = new Date(Date.now() + 3_600_000);
  time.setMinutes(0, 0, 0);
  return local(time);
}

/** Writes a time as the field for it does, which knows no zone. @param {Date} time */
function local(time) {
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

/** @param {string} id @param {Keeper} keeper */
async function unpublish(id, keeper) {
  const act = () => call("POST", path`changelogs/entries/${id}/unpublish`);
  const about = t("aboutUnpublish");
  if (!await ask(t("unpublish"), [], { submit: t("unpublish"), about, danger: true, act })) return;
  await keeper.refresh();
  say(t("done"));
}

/** @param {Entry} entry @param {Keeper} keeper */
async function remove({ entryId, title }, keeper) {
  const act = () => call("DELETE", path`changelogs/entries/${entryId}`);
  const about = t("aboutDelete");
  const name = t("deleteIt", { name: title });
  if (!await ask(name, [], { submit: t("delete"), about, danger: true, act })) return;
  keeper.forget();
  location.hash = "#/entries";
}

/** @param {string} id @param {Keeper} keeper */
async function mailTest(id, keeper) {
  const value = sessionStorage.getItem(LAST_TEST) ?? "";
  const hint = t("aboutTest");
  const field = {
    name: "userEmail",
    label: t("address"),
    type: "email",
    required: true,
    value,
    hint,
  };
  const act = async (/** @type {Record<string, string>} */ { userEmail }) => {
    const { sent, problem } = await call("POST", path`changelogs/entries/${id}/test`, {
      json: { userEmail },
    });
    if (!sent) throw fieldProblem("userEmail", problem ?? t("notSent"));
    sessionStorage.setItem(LAST_TEST, userEmail);
  };
  if (
    await ask(t("test"), [field], {
      submit: t("sendIt"),
      about: isDirty(keeper.draft) && t("unsavedLive"),
      act,
    })
  ) say(t("sent"));
}

/** @param {string} id */
async function shareLink(id) {
  const { url } = await call("POST", path`changelogs/entries/${id}/preview-link`);
  await showSecret(t("previewLink"), url, t("aboutLink"));
}
