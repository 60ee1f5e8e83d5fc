/** @import { Visit } from "../places.js" */
/** @import { Idea } from "./saving.js" */
// The reports of visitors about an idea, until the team has dealt with them.

import { call } from "../client.js";
import { may } from "../session.js";
import { date, h, nodes, t } from "../dom.js";
import { table } from "../parts.js";
import { action } from "../task.js";
import { pathOf } from "./saving.js";

/** @typedef {import("../../model/posts/report.ts").ShownReport} Report */

/** Tells whether the key may see reports. */
export function maySeeReports() {
  return may("posts:publish") && may("subscriptions:read");
}

/** @param {Idea} idea @param {AbortSignal} signal @returns {Promise<readonly Report[]>} */
export async function readReports(idea, signal) {
  return (await call("GET", `${pathOf(idea)}/reports`, { signal })).data;
}

/**
 * The button that says that the reports were dealt with.
 *
 * @param {Visit} visit
 * @param {Idea} idea
 */
export function dealing(visit, idea) {
  return action(visit, t("dealtWith"), {
    name: idea.title,
    run: () => call("DELETE", `${pathOf(idea)}/reports`),
    done: t("dealtWithIt", { name: idea.title }),
  });
}

/**
 * Shows why visitors reported an idea.
 *
 * @param {Visit} visit
 * @param {Idea} idea
 * @param {readonly Report[]} reports
 */
export function showReports(visit, idea, reports) {
  return reports.length > 0 && [
    h("div", { class: "head" }, h("h2", null, t("reports")), dealing(visit, idea)),
    table(t("reports"), [
      [t("reason"), ({ reason }) => h("span", { class: "words", dir: "auto" }, reason), "reason"],
      [t("date"), ({ at }) => date(at)],
    ], reports),
  ];
}

/** Lists the reasons of reports, once they are read. @param {Visit} visit @param {Idea} idea */
export function reasons({ signal }, idea) {
  const list = h("ul", { class: "reasons", "aria-label": t("reports") });
  void readReports(idea, signal).then((reports) =>
    list.append(
      ...nodes(reports.map(({ at, reason }) =>
        h("li", null, h("span", { class: "words", dir: "auto" }, reason), " ", [
          h("small", null, date(at)),
        ])
      )),
    )
  ).catch(() => {});
  return list;
}
