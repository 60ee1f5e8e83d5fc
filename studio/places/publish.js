/** @import { Visit } from "../main.js" */
/** @import { Keeper } from "../keeper.js" */
import { call, fieldProblem, may, path } from "../client.js";
import { deletion, showSecret, task } from "../dialog.js";
import { button, entryAddress, h, menu, say, t } from "../dom.js";
import { isDirty, isLive } from "../drafts/draft.js";
import { describe } from "../form.js";

const LAST_TEST = "boardcast.test";
const { changelog: CHANGELOG } = document.documentElement.dataset;

/**
 * Returns the buttons of an entry. `point` leads to what has to be mended first, and says it.
 *
 * @param {{ keeper: Keeper, visit: Visit, save: HTMLElement, point: () => string }} options
 */
export function entryActions({ keeper, visit, save, point }) {
  const entry = keeper.draft.base?.entry;
  const state = entry?.state ?? "draft";
  const mayPublish = may("entries:publish");
  const here = { ...visit, reload: () => void keeper.refresh() };
  let isBusy = false;

  /**
   * Does something to the entry as it is in the editor; once, however often one presses.
   *
   * @param {string} label
   * @param {(base: string, id: string) => unknown} act
   * @param {Record<string, unknown>} [attributes]
   */
  const doing = (label, act, attributes) =>
    button(label, async () => {
      if (isBusy) return;
      isBusy = true;
      try {
        const isReady = isLive(keeper.draft) || await keeper.save();
        const id = keeper.draft.base?.entry.entryId;
        if (isReady && id !== undefined) await act(path`changelogs/entries/${id}`, id);
        else say(point());
      } catch (error) {
        say(describe(error));
      } finally {
        isBusy = false;
      }
    }, attributes);

  const more = [
    doing(t("test"), (base) =>
      task(here, t("sendIt"), {
        title: t("test"),
        about: isDirty(keeper.draft) && t("unsavedLive"),
        fields: [{
          ...{ name: "userEmail", label: t("address"), type: "email", required: true },
          ...{ value: sessionStorage.getItem(LAST_TEST), hint: t("aboutTest") },
        }],
        async run({ userEmail }) {
          const { sent, problem } = await call("POST", `${base}/test`, { json: { userEmail } });
          // What the mail server says has the direction of its own language.
          const words = `\u2068${problem}\u2069`;
          if (!sent) throw fieldProblem("userEmail", t("notSent", { words }));
          sessionStorage.setItem(LAST_TEST, userEmail);
        },
      })),
    CHANGELOG && doing(t("previewLink"), async (base) => {
      const { url } = await call("POST", `${base}/preview-link`);
      await showSecret(t("previewLink"), url, t("aboutLink"));
    }),
    state === "published" && CHANGELOG && entry && seePage(entry.entryId),
    entry && doing(t("duplicate"), async (_, id) => {
      const copied = await keeper.duplicate();
      if (copied === undefined) say(t("keptHere"));
      else if (copied !== id) location.hash = entryAddress(copied);
    }),
    state !== "draft" && mayPublish && doing(t("unpublish"), (base) => {
      const run = () => call("POST", `${base}/unpublish`);
      return task(here, t("unpublish"), { about: t("aboutUnpublish"), danger: true, run });
    }),
    entry && (state === "draft" || mayPublish) && deletion(here, entry.title, {
      path: path`changelogs/entries/${entry.entryId}`,
      to: "#/entries",
      done: keeper.forget,
    }),
  ];
  const label = t(state === "draft" ? "publish" : "change");
  return [
    save,
    state !== "published" && mayPublish &&
    doing(label, (base) => publish(here, { keeper, point, label, base }), { class: "primary" }),
    menu(more),
  ];
}

/** @param {string} id */
function seePage(id) {
  const href = `${CHANGELOG}/${encodeURIComponent(id)}`;
  return h("a", { href, target: "_blank", rel: "noopener" }, t("seePage"));
}

/**
 * Asks when, and who gets a mail.
 *
 * @param {Visit} visit
 * @param {{ keeper: Keeper, point: () => string, label: string, base: string }} options
 */
async function publish(visit, { keeper, point, label, base }) {
  const found = keeper.draft.base;
  if (found === undefined) return;
  const { publishedAt, labels } = found.entry;
  const counting = path`stats?labels=${labels.join(" ")}`;
  const [stats, delivery] = await Promise.all([
    may("metrics:read") ? call("GET", counting).catch(() => undefined) : undefined,
    call("GET", `${base}/delivery`).catch(() => undefined),
  ]);
  // A mailing that waits is none yet.
  const isMailed = delivery?.startedAt;
  const isWaiting = delivery && !isMailed && !delivery.finishedAt;
  const isMailer = stats?.relay.configured !== false;
  const cannot = isMailed ? "wasMailed" : !CHANGELOG ? "noPublicUrl" : !isMailer && "noMailer";
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const nobody = /** @type {const} */ (["false", t("noMailing")]);
  const isOpen = isDirty(keeper.draft);
  let { etag } = found;
  await task(visit, label, {
    about: isOpen && t("savedAlong"),
    fields: [
      {
        ...{ name: "when", label: t("when"), type: "radio", value: publishedAt ? "at" : "now" },
        options: [["now", t("now")], ["at", t("atTime")]],
      },
      {
        ...{ name: "at", label: `${t("time")} (${timeZone})`, type: "datetime-local" },
        ...{ required: true, value: local(publishedAt ? new Date(publishedAt) : nextHour()) },
      },
      {
        ...{ name: "notify", label: t("mail"), type: "radio" },
        value: cannot ? "false" : publishedAt ? `${isWaiting}` : "",
        hint: t(cannot || (isWaiting ? "mailGoesAlong" : "mailOnce")),
        options: cannot ? [nobody] : [mailing(stats?.audience), nobody],
      },
    ],
    async run({ when, at, notify }) {
      if (notify === "") throw fieldProblem("notify", t("chooseMail"));
      await keeper.refresh();
      const now = keeper.draft.base?.etag ?? "";
      if (now !== etag) {
        etag = now;
        throw fieldProblem("when", t("conflict"));
      }
      if (isOpen && !await keeper.save()) throw fieldProblem("when", point());
      etag = keeper.draft.base?.etag ?? "";
      const json = {
        notify: notify === "true",
        at: when === "at" ? new Date(at).toISOString() : undefined,
      };
      await call("POST", `${base}/publish`, { json });
    },
  });
}

/**
 * What it is to mail an entry, and how many get it.
 *
 * @param {{ each: number, weekly: number, exact: boolean } | null | undefined} audience
 * @returns {[value: string, label: string, hint?: string]}
 */
function mailing(audience) {
  if (!audience) return ["true", `${t("mailTo")} ${t("allPeople")}`];
  const { each, weekly, exact } = audience;
  const people = (/** @type {number} */ n) => t("people", { n: exact ? n : t("about", { n }) });
  const others = weekly ? `${t("weekly")}: ${people(weekly)}` : undefined;
  return ["true", `${t("mailTo")} ${people(each)}`, others];
}

function nextHour() {
  const time = new Date(Date.now() + 3_600_000);
  time.setMinutes(0, 0, 0);
  return time;
}

/** Writes a time as the field for it does, which knows no zone. @param {Date} time */
function local(time) {
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}
