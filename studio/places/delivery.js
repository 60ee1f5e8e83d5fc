/** @import { Child } from "../dom.js" */
/** @import { Visit } from "../places.js" */
import { ApiProblem, call, path } from "../client.js";
import { may } from "../session.js";
import { address, count, date, h, redraw, t, word } from "../dom.js";
import { facts, pill } from "../parts.js";
import { action } from "../task.js";
import { createWork, pause } from "../work.js";

const BUSY_MS = 1000;
const IDLE_MS = 10_000;
/**
 * The number of quick reads of a waiting delivery. Later reads are rarer, because it may wait for
 * days.
 */
const LOOKS = 30;

const { changelog: CHANGELOG } = document.documentElement.dataset;

/**
 * Tells why nothing can be mailed, as far as that is known.
 *
 * @param {import("../../model/stats.ts").Stats | undefined} stats
 */
export function reasonNotToMail(stats) {
  if (!CHANGELOG) return "noPublicUrl";
  return stats?.relay.configured === false ? "noMailer" : undefined;
}

/** @typedef {import("../../model/deliveries/delivery.ts").ShownDelivery} Delivery */

/**
 * The delivery of something that is mailed.
 *
 * @typedef {object} Mailed
 * @property {(signal: AbortSignal) => Promise<string | null>} findId Reads its identifier; `null`
 *   if there is none.
 * @property {string} failures The address of the place that lists whom it did not reach.
 * @property {string} scope The scope that controls it.
 * @property {(postIds: readonly string[], signal: AbortSignal) => Promise<readonly string[]>}
 *   [readTitles] Reads the titles of ideas that it tells of.
 */

/**
 * The delivery of an entry.
 *
 * @param {string} id
 * @param {Mailed["readTitles"]} [readTitles]
 * @returns {Mailed}
 */
export function deliveryOfEntry(id, readTitles) {
  const read = path`changelogs/entries/${id}`;
  return {
    findId: async (signal) => (await call("GET", read, { signal })).deliveryId,
    failures: address(["entries", id, "failures"]),
    scope: "entries:publish",
    readTitles,
  };
}

/**
 * The newest delivery of an idea.
 *
 * @param {{ boardId: string, postId: string }} idea
 * @returns {Mailed}
 */
export function deliveryOfIdea({ boardId, postId }) {
  const read = path`boards/${boardId}/posts/${postId}`;
  return {
    findId: async (signal) => (await call("GET", read, { signal })).deliveryId,
    failures: address(["ideas", boardId, postId, "failures"]),
    scope: "posts:publish",
  };
}

/**
 * Shows a delivery while it goes on; nothing where there is none.
 *
 * @param {HTMLElement} section
 * @param {Mailed} mailed
 * @param {AbortSignal} signal
 */
export async function watchDelivery(section, { findId, failures, scope, readTitles }, signal) {
  const work = createWork({ signal });
  let drawn = "";
  let base = "";

  /** @param {AbortSignal} signal Aborted when it is looked at anew. */
  async function watch(signal) {
    for (let looks = 0;; looks++) {
      let waitMs = IDLE_MS;
      try {
        const id = await findId(signal);
        if (!id) return;
        base = path`deliveries/${id}`;
        /** @type {Delivery} */
        const delivery = await call("GET", base, { signal });
        const { state, posts } = delivery;
        const postIds = posts.map(({ postId }) => postId);
        draw(delivery, postIds.length > 1 ? await readTitles?.(postIds, signal) : undefined);
        if (["done", "cancelled"].includes(state)) return;
        if (state === "running" || state === "waiting" && looks < LOOKS) waitMs = BUSY_MS;
      } catch (error) {
        if (error instanceof ApiProblem && [403, 404].includes(error.status)) return;
      }
      await pause(waitMs, signal);
    }
  }

  const look = () => work.ask(watch);
  const here = { isShown: () => !signal.aborted, reload: () => void look() };
  const to = (/** @type {"pause" | "resume" | "cancel"} */ name) => () =>
    call("POST", `${base}/${name}`);

  /** @param {Delivery} delivery @param {readonly string[]} [titles] */
  function draw(delivery, titles) {
    const text = JSON.stringify(delivery);
    if (text === drawn) return;
    drawn = text;
    const { state, sent, failed, deferred, recipients } = delivery;
    const isOpen = !["done", "cancelled"].includes(state);
    const isOn = ["waiting", "running"].includes(state);
    const numbers = /** @type {const} */ ([
      [t("recipients"), recipients],
      [t("sent"), sent],
      [t("failed"), failed],
      [t("deferred"), deferred],
    ]);
    section.hidden = false;
    const summary = h(
      "summary",
      null,
      h("h2", null, t("mail"), " ", pill(state, word(state))),
      delivery.startedAt && h("span", { class: "soft" }, `${t("sent")}: ${count(sent)}`),
    );
    // A mailing that is over needs less room.
    const isFolded = section.querySelector("details")?.open === false || !isOpen && failed === 0;
    redraw(
      section,
      h("details", { open: !isFolded }, [
        summary,
        recipients > 0 &&
        h("progress", { value: shareDone(delivery), "aria-label": t("mail") }),
        delivery.startedAt && facts("numbers", numbers.map(([name, many]) => [name, count(many)])),
        describeTold(delivery, titles),
        problemOf(delivery),
        h("div", { class: "actions" }, [
          isOpen && may(scope) && [
            isOn
              ? action(here, t("pause"), { run: to("pause"), done: t("pausedIt") })
              : action(here, t("resume"), { run: to("resume"), done: t("resumedIt") }),
            action(here, t("cancelMail"), {
              about: t("aboutCancel"),
              danger: true,
              // Beside the button that cancels a mailing, "Cancel" could be either.
              cancel: t("close"),
              run: to("cancel"),
              done: t("cancelledIt"),
            }),
          ],
          failed > 0 && may("subscriptions:read") && h("a", { href: failures }, t("failures")),
        ]),
      ]),
    );
  }

  await look();
}

/** The most that the bar shows before a delivery is done. */
const ALMOST = 0.99;

/**
 * Returns the share of a delivery that is done. It is 1 only for one that is done, although people
 * subscribe and unsubscribe meanwhile.
 *
 * @param {Delivery} delivery
 */
function shareDone({ state, recipients, sent, failed, skipped }) {
  return state === "done" ? 1 : Math.min((sent + failed + skipped) / recipients, ALMOST);
}

/**
 * Says how many of those who asked were told: in all, and of each idea where there are several.
 *
 * @param {Delivery} delivery
 * @param {readonly string[]} [titles]
 */
function describeTold({ asked, told, recipients, posts, postId }, titles) {
  if (posts.length === 0) return undefined;
  const others = postId === null && t("otherPeople", { n: recipients - asked });
  return [
    h("p", null, [t("askedAndTold", { asked, told }), others].filter(Boolean).join(" · ")),
    titles && h(
      "ul",
      null,
      titles.map((title, index) =>
        h("li", null, h("bdi", null, title), " · ", t("askedAndTold", posts[index]))
      ),
    ),
  ];
}

/**
 * Says why a delivery does not get on; the words of the mail server stand below.
 *
 * @param {Delivery} delivery
 */
function problemOf({ state, problem }) {
  if (!problem) return undefined;
  const [time] = /\d{4}-\d\d-\d\dT\S+/.exec(problem) ?? [];
  if (state !== "held" && time) return h("p", null, t("rateUsed", { time: date(time) }));
  const text = state !== "held"
    ? t("obstructed")
    : /complained/.test(problem)
    ? t("heldComplaints")
    : t(/24 hours/.test(problem) ? "heldLate" : "heldBounces");
  return h("p", { class: "error" }, text, state !== "held" && h("small", { dir: "ltr" }, problem));
}
