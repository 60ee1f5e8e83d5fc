/** @import { Child } from "../dom.js" */
/** @import { Visit } from "../main.js" */
import { ApiProblem, call, may, path } from "../client.js";
import { action } from "../dialog.js";
import {
  address,
  count,
  date,
  entryAddress,
  facts,
  h,
  head,
  pill,
  redraw,
  t,
  titled,
  word,
} from "../dom.js";
import { listing } from "../listing.js";
import { createWork, pause } from "../work.js";

const BUSY_MS = 1000;
const IDLE_MS = 10_000;
/**
 * The number of quick reads of a waiting delivery. Later reads are rarer, because it may wait for
 * days.
 */
const LOOKS = 30;

/**
 * Shows a delivery while it goes on; nothing where the entry has none.
 *
 * @param {HTMLElement} section
 * @param {string} id
 * @param {AbortSignal} signal
 */
export async function watchDelivery(section, id, signal) {
  const base = path`changelogs/entries/${id}/delivery`;
  const work = createWork({ signal });
  let drawn = "";

  /** @param {AbortSignal} signal Aborted when it is looked at anew. */
  async function watch(signal) {
    for (let looks = 0;; looks++) {
      let waitMs = IDLE_MS;
      try {
        const delivery = await call("GET", base, { signal });
        draw(delivery);
        const { state } = delivery;
        if (["done", "cancelled"].includes(state)) return;
        if (state === "running" || state === "waiting" && looks < LOOKS) waitMs = BUSY_MS;
      } catch (error) {
        if (error instanceof ApiProblem && error.status === 404) return;
      }
      await pause(waitMs, signal);
    }
  }

  const look = () => work.ask(watch);
  const here = { isShown: () => !signal.aborted, reload: () => void look() };
  const to = (/** @type {"pause" | "resume" | "cancel"} */ name) => () =>
    call("POST", `${base}/${name}`);

  /** @param {any} delivery */
  function draw(delivery) {
    const text = JSON.stringify(delivery);
    if (text === drawn) return;
    drawn = text;
    const { state, sent, failed, deferred, skipped, recipients } = delivery;
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
        h("progress", { max: recipients, value: sent + failed + skipped, "aria-label": t("mail") }),
        delivery.startedAt && facts("numbers", numbers.map(([name, many]) => [name, count(many)])),
        problemOf(delivery),
        h("div", { class: "actions" }, [
          isOpen && may("entries:publish") && [
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
          failed > 0 && may("subscriptions:read") &&
          h("a", { href: address(["entries", id, "failures"]) }, t("failures")),
        ]),
      ]),
    );
  }

  await look();
}

/**
 * Says why a delivery does not get on; the words of the mail server stand below.
 *
 * @param {{ state: string, problem: string | null }} delivery
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

/** The identifier of the mail of a week in the API. */
const WEEK = /^week:/;

/**
 * Shows the mail of a week, or the people whom a mailing did not reach, and why.
 *
 * @param {Visit} visit
 * @returns {Promise<Child>}
 */
export async function show(visit) {
  const [, id, part] = visit.parts;
  const { signal } = visit;
  const base = path`changelogs/entries/${id}`;
  const isWeek = WEEK.test(id);
  const title = isWeek
    ? `${t("weekly")} ${id.replace(WEEK, "")}`
    : (await call("GET", base, { signal })).title;
  if (part === "mail") {
    const section = h("section", { class: "delivery", hidden: true });
    void watchDelivery(section, id, signal);
    return [head(title, { up: ["#/overview", t("overview")] }), section];
  }
  const list = await listing(visit, {
    name: t("failures"),
    path: `${base}/delivery/failures`,
    columns: [
      [t("address"), ({ userEmail }) => titled(address(["subscribers", userEmail]), userEmail)],
      [
        t("reason"),
        ({ code, text }) => [reasonOf(code), h("small", { dir: "ltr" }, text)],
        "reason",
      ],
      [t("date"), ({ failedAt }) => date(failedAt), "wide"],
    ],
    empty: t("allReached"),
  });
  const up = isWeek ? address(["entries", id, "mail"]) : entryAddress(id);
  const retry = action(visit, t("retryFailed"), {
    about: t("aboutRetry"),
    run: () => call("POST", `${base}/delivery/retry`),
    done: t("retriedThem"),
    to: up,
  });
  const delivery = await call("GET", `${base}/delivery`, { signal });
  const mayRetry = may("entries:publish") && delivery.failed > 0;
  return [head(t("failures"), { up: [up, title], actions: mayRetry && retry }), list];
}

/**
 * Says in words what the codes of RFC 3463 mean; those of the relay stand below.
 *
 * @param {string} code
 */
function reasonOf(code) {
  if (/^5\.1\.|^550$/.test(code)) return t("noMailbox");
  if (/^[45]\.2\.2$|^552$/.test(code)) return t("mailboxFull");
  return code.startsWith("4") ? t("notNow") : t("mailRefused");
}
