/** @import { Child } from "../dom.js" */
/** @import { Values } from "../form.js" */
/** @import { Keeper } from "../keeper.js" */
/** @import { Visit } from "../places.js" */
import { ApiProblem, call, fieldProblem, path } from "../client.js";
import { may, tabStore } from "../session.js";
import { button, date, entryAddress, say, t } from "../dom.js";
import { menu } from "../parts.js";
import { isDirty, isLive } from "../drafts/draft.js";
import { describe } from "../form.js";
import { deletion, showSecret, task, tellAt } from "../task.js";
import { createWork } from "../work.js";
import { reasonNotToMail } from "./delivery.js";
import { describeAudience, mailing, seePage, showMoment } from "./moment.js";

const LAST_TEST = "boardcast.test";
const { changelog: CHANGELOG } = document.documentElement.dataset;

/**
 * The editor of an entry, for its buttons.
 *
 * @typedef {object} EntryEditor
 * @property {Keeper} keeper
 * @property {Visit} visit
 * @property {HTMLElement} save
 * @property {HTMLElement} discard
 * @property {HTMLElement} moment Tells what a publication comes to.
 * @property {() => string} point Leads to what has to be mended first, and says it.
 */

/** Returns the buttons of an entry. @param {EntryEditor} editor @returns {Child} */
export function entryActions({ keeper, visit, save, discard, moment, point }) {
  const entry = keeper.draft.base?.entry;
  const state = entry?.state ?? "draft";
  const mayPublish = may("entries:publish");
  const here = { ...visit, reload: () => void keeper.refresh() };
  const work = createWork();

  /**
   * Does something to the entry as it is in the editor; once, however often one presses.
   *
   * @param {string} label
   * @param {(base: string, id: string) => unknown} act
   * @param {Record<string, unknown>} [attributes]
   */
  const doing = (label, act, attributes) => {
    async function run() {
      try {
        const isReady = isLive(keeper.draft) || await keeper.save();
        const id = keeper.draft.base?.entry.entryId;
        if (isReady && id !== undefined) await act(path`changelogs/entries/${id}`, id);
        else if (visit.isShown()) say(point());
      } catch (error) {
        tellAt(element, describe(error));
      }
    }
    const element = button(label, () => {
      tellAt(element, "");
      void work.change(run);
    }, attributes);
    return element;
  };

  const more = [
    doing(t("test"), (base) =>
      task(here, t("sendIt"), {
        title: t("test"),
        about: isDirty(keeper.draft) && t("unsavedLive"),
        fields: [{
          name: "userEmail",
          label: t("address"),
          type: "email",
          required: true,
          value: tabStore.get(LAST_TEST),
          hint: t("aboutTest"),
        }],
        async run({ userEmail }) {
          const { sent, problem } = await call("POST", `${base}/test`, { json: { userEmail } });
          // The words of the mail server have the direction of their own language.
          const words = `\u2068${problem}\u2069`;
          if (!sent) throw fieldProblem("userEmail", t("notSent", { words }));
          tabStore.set(LAST_TEST, userEmail);
          return userEmail;
        },
        recover: "tell",
        done: (userEmail) => t("testSent", { address: userEmail }),
      })),
    CHANGELOG && doing(t("previewLink"), async (base) => {
      const { url } = await call("POST", `${base}/preview-link`);
      void showSecret(t("previewLink"), url, t("aboutLink"));
    }),
    state === "published" && CHANGELOG && entry && seePage(entry.entryId),
    entry && doing(t("duplicate"), async (_, id) => {
      const copied = await keeper.duplicate();
      if (copied === undefined) say(t("keptHere"));
      else if (copied !== id && visit.isShown()) location.hash = entryAddress(copied);
    }),
    state !== "draft" && mayPublish && doing(t("unpublish"), (base) => {
      const run = () => call("POST", `${base}/unpublish`);
      return task(here, t("unpublish"), {
        about: t("aboutUnpublish"),
        danger: true,
        run,
        done: t("unpublishedIt"),
      });
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
    discard,
    state !== "published" && mayPublish &&
    doing(label, (base) => publish(here, { keeper, point, label, base, moment }), {
      class: "primary",
    }),
    menu(more),
  ];
}

/**
 * Asks when, and who gets a mail.
 *
 * @param {Visit} visit
 * @param {Pick<EntryEditor, "keeper" | "point" | "moment"> & { label: string, base: string }}
 *   options
 */
async function publish(visit, { keeper, point, moment, label, base }) {
  const found = keeper.draft.base;
  if (found === undefined) return;
  const { publishedAt, labels } = found.entry;
  const counting = path`stats?labels=${labels.join(" ")}`;
  const [stats, { posts, asked, askedSubscribed, deliveryId }] = await Promise.all([
    may("metrics:read") ? call("GET", counting).catch(() => undefined) : undefined,
    // Others have asked since the editor read the entry.
    call("GET", base).catch(() => found.entry),
  ]);
  const delivery = deliveryId && await call("GET", path`deliveries/${deliveryId}`).catch(() => {});
  // The person has left the place meanwhile.
  if (!visit.isShown()) return;
  // A mailing that waits is none yet.
  const isMailed = delivery?.startedAt;
  const isWaiting = delivery && !isMailed && !delivery.finishedAt;
  const cannot = isMailed ? "wasMailed" : reasonNotToMail(stats);
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const nobody = /** @type {const} */ (["false", t("noMailing")]);
  const isOpen = isDirty(keeper.draft);
  // Without the scope to see subscribers, nobody tells how many asked.
  const isAsked = posts.length > 0 && asked !== 0;
  const audience = { isAsked, asked, askedSubscribed, ...stats?.audience };
  let { etag, entry: { entryId } } = found;

  let isNotified = false;

  /** @param {Values} values */
  async function run({ when, at, notify }) {
    isNotified = notify === "true";
    if (notify === "") throw fieldProblem("notify", t("chooseMail"));
    await keeper.refresh();
    const now = keeper.draft.base?.etag ?? "";
    if (now !== etag) {
      etag = now;
      throw fieldProblem("when", t("conflict"));
    }
    if (isOpen && !await keeper.save()) throw fieldProblem("when", point());
    // The address that readers get.
    if (!await keeper.takeName()) throw fieldProblem("when", point());
    entryId = keeper.draft.base?.entry.entryId ?? entryId;
    etag = keeper.draft.base?.etag ?? "";
    const json = {
      notify: notify === "true",
      at: when === "at" ? new Date(at).toISOString() : undefined,
    };
    const entry = await call("POST", path`changelogs/entries/${entryId}/publish`, { json });
    return entry;
  }

  /** Looks whether it was published though no response came. */
  async function recover() {
    await keeper.refresh();
    const entry = keeper.draft.base?.entry;
    if (entry && entry.state !== "draft" && entry.publishedAt !== publishedAt) return entry;
    etag = keeper.draft.base?.etag ?? "";
    throw new ApiProblem({ status: 0, code: "not_carried_out" });
  }

  await task(visit, label, {
    about: isOpen && t("savedAlong"),
    fields: [
      {
        name: "when",
        label: t("when"),
        type: "radio",
        value: publishedAt ? "at" : "now",
        options: [["now", t("now")], ["at", t("atTime")]],
      },
      {
        name: "at",
        label: `${t("time")} (${timeZone})`,
        type: "datetime-local",
        required: true,
        value: local(publishedAt ? new Date(publishedAt) : nextHour()),
      },
      {
        name: "notify",
        label: t("mail"),
        type: "radio",
        value: cannot ? "false" : publishedAt ? `${isWaiting}` : "",
        hint: t(cannot || (isWaiting ? "mailGoesAlong" : "mailOnce")),
        options: cannot ? [nobody] : [mailing(audience), nobody],
      },
    ],
    // A button that mails many people says so.
    submit: ({ when, notify }) =>
      notify === "true" && when === "now" && publishedAt && audience.each !== undefined
        ? t("changeAndMail", { n: audience.isAsked ? describeAudience(audience) : audience.each })
        : label,
    run,
    recover,
    done(entry) {
      const text = t(entry.publishedAt > new Date().toISOString() ? "scheduledIt" : "publishedIt", {
        title: entry.title,
        time: date(entry.publishedAt),
      });
      if (!visit.isShown()) return text;
      showMoment(moment, { entry, text, audience: isNotified ? audience : undefined });
      return "";
    },
  });
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
