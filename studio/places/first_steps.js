// The first steps of an admin, each done where it stands.

/** @import { Child } from "../dom.js" */
/** @import { Visit } from "../places.js" */
import { call } from "../client.js";
import { connection } from "../connection.js";
import { BASE, browserStore } from "../session.js";
import { address, button, copy, h, say, t } from "../dom.js";
import { pill } from "../parts.js";

const HIDDEN = "boardcast.noFirstSteps";
const DEFAULT_TITLE = "Changelog";

/** @typedef {readonly [isDone: boolean, label: string, open: () => Child]} Step */

/**
 * Lists the first steps of an admin until all are done, or they were hidden.
 *
 * @param {Visit} visit
 * @param {Promise<import("../../model/stats.ts").Stats>} asked
 * @returns {Promise<Child>}
 */
export async function firstSteps(visit, asked) {
  if (browserStore.get(HIDDEN)) return undefined;
  const { signal } = visit;
  const [{ entries, relay, team, publicUrl }, settings, boards] = await Promise.all([
    asked,
    call("GET", "settings", { signal }),
    call("GET", "boards", { query: { limit: "1" }, signal }),
  ]);
  const isNamed = settings.title !== DEFAULT_TITLE || settings.fixed.includes("title");
  const hasEntry = entries.published + entries.scheduled + entries.draft > 0;
  /** @type {readonly Step[]} */
  const steps = [
    [
      isNamed && settings.logo !== null,
      t("stepBrand"),
      () => h("a", { href: address(["settings"]) }, t("stepBrand")),
    ],
    [
      hasEntry,
      t("writeFirst"),
      () => h("a", { href: address(["entries", "new"]) }, t("writeFirst")),
    ],
    [boards.data.length > 0, t("stepBoard"), () =>
      opening(t("stepBoard"), async () => {
        const { creation } = await import("./boards.js");
        return creation(visit, { isHere: true });
      })],
    [relay.configured && publicUrl !== null, t("stepMail"), () => flags(settings.title, publicUrl)],
    [team.members > 1, t("stepColleague"), () =>
      opening(t("stepColleague"), async () => {
        const { invitation } = await import("./team.js");
        return invitation(visit, t("stepColleague"));
      })],
  ];
  if (steps.every(([isDone]) => isDone)) return undefined;
  const items = steps.map(([isDone, label, open]) =>
    h(
      "li",
      { class: isDone && "soft" },
      isDone ? [pill("done", t("done")), " ", label] : open(),
    )
  );
  const hide = button(t("hide"), () => {
    browserStore.set(HIDDEN, "yes");
    visit.reload();
  }, { class: "link" });
  return h(
    "section",
    { class: "steps", "aria-labelledby": "steps" },
    h("div", { class: "head" }, h("h2", { id: "steps" }, t("firstSteps")), hide),
    h("ol", null, items),
  );
}

/**
 * Creates a button that loads another one when it is pressed, and presses it.
 *
 * @param {string} label
 * @param {() => Promise<HTMLElement>} load
 */
function opening(label, load) {
  return button(label, () => load().then((other) => other.click(), () => connection.lose()));
}

/**
 * Shows the flags of mail, to be sent to whoever runs the server.
 *
 * @param {string} title
 * @param {string | null} publicUrl
 */
function flags(title, publicUrl) {
  const address = publicUrl === null ? `--public-url ${BASE.href.replace(/\/$/, "")} ` : "";
  const from = `--mail-from '${title.replace(/['<>"]/g, "")} <news@example.com>'`;
  const text = `${address}--mail smtp://USER@HOST:587 ${from}`;
  const copying = button(t("copy"), async () => {
    await copy(text);
    say(t("copied"));
  });
  return [t("stepMail"), h("p", { class: "copied" }, h("code", { dir: "ltr" }, text), copying)];
}
