// The mail of a week, and the people whom a mailing did not reach.

/** @import { Child } from "../dom.js" */
/** @import { Visit } from "../places.js" */
/** @import { Mailed } from "./delivery.js" */
import { call, path, readRecord } from "../client.js";
import { address, date, entryAddress, h, t } from "../dom.js";
import { listing } from "../listing.js";
import { head, titled } from "../parts.js";
import { may } from "../session.js";
import { action } from "../task.js";
import { deliveryOfEntry, deliveryOfIdea, watchDelivery } from "./delivery.js";

/**
 * The delivery of a week.
 *
 * @param {string} deliveryId
 * @returns {Mailed}
 */
function deliveryOfWeek(deliveryId) {
  return {
    findId: () => Promise.resolve(deliveryId),
    failures: address(["entries", `week:${deliveryId}`, "failures"]),
    scope: "entries:publish",
  };
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
  const [place, id, part] = visit.parts;
  const { signal } = visit;
  if (place === "ideas") {
    const idea = { boardId: id, postId: part };
    const { title } = await readRecord(path`boards/${id}/posts/${part}`, signal);
    return await showFailures(visit, deliveryOfIdea(idea), [address(["ideas", id, part]), title]);
  }
  const isWeek = WEEK.test(id);
  const deliveryId = id.replace(WEEK, "");
  const title = isWeek
    ? `${t("weekly")} ${(await call("GET", path`deliveries/${deliveryId}`, { signal })).week}`
    : (await readRecord(path`changelogs/entries/${id}`, signal)).title;
  const mailed = isWeek ? deliveryOfWeek(deliveryId) : deliveryOfEntry(id);
  if (part === "mail") {
    const section = h("section", { class: "delivery", hidden: true });
    void watchDelivery(section, mailed, signal);
    return [head(title, { up: ["#/overview", t("overview")] }), section];
  }
  const up = isWeek ? address(["entries", id, "mail"]) : entryAddress(id);
  return await showFailures(visit, mailed, [up, title]);
}

/**
 * Lists whom a delivery did not reach.
 *
 * @param {Visit} visit
 * @param {Mailed} mailed
 * @param {readonly [href: string, label: string]} up
 * @returns {Promise<Child>}
 */
async function showFailures(visit, { findId, scope }, up) {
  const base = path`deliveries/${await findId(visit.signal) ?? ""}`;
  const list = await listing(visit, {
    name: t("failures"),
    path: `${base}/failures`,
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
  const retry = action(visit, t("retryFailed"), {
    about: t("aboutRetry"),
    run: () => call("POST", `${base}/retry`),
    done: t("retriedThem"),
    to: up[0],
  });
  const delivery = await call("GET", base, { signal: visit.signal });
  const mayRetry = may(scope) && delivery.failed > 0;
  return [head(t("failures"), { up, actions: mayRetry && retry }), list];
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
