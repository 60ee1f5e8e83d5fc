// The list of steps for a first admin, each done where it stands.

/** @import { Child } from "../dom.js" */
/** @import { Visit } from "../places.js" */
import { call } from "../client.js";
import { BASE, browserStore } from "../session.js";
import { address, button, copy, h, say, t } from "../dom.js";
import { pill } from "../parts.js";

const HIDDEN = "boardcast.noFirstSteps";
const DEFAULT_TITLE = "Changelog";

/**
 * @typedef {{ entries: { published: number, scheduled: number, draft: number },
 *   relay: { configured: boolean }, team: { members: number }, publicUrl: string | null }} Stats
 */

/**
 * A step, and what does it.
 *
 * @typedef {readonly [isDone: boolean, label: string, open: () => Promise<Child> | Child]} Step
 */

/**
 * Lists the first steps of an admin; nothing once all of them are done, or they were hidden.
 *
 * @param {Visit} visit
 * @param {Stats} stats
 * @returns {Promise<Child>}
 */
export async function firstSteps(visit, { entries, relay, team, publicUrl }) {
  if (browserStore.get(HIDDEN)) return undefined;
  const { signal } = visit;
  const [settings, boards] = await Promise.all([
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
    [boards.data.length > 0, t("stepBoard"), async () => {
      const { creation } = await import("./boards.js");
      return creation(visit, { label: t("stepBoard"), isHere: true });
    }],
    [relay.configured && publicUrl !== null, t("stepMail"), () => flags(settings.title, publicUrl)],
    [team.members > 1, t("stepColleague"), async () => {
      const { invitation } = await import("./team.js");
      return invitation(visit, t("stepColleague"));
    }],
  ];
  if (steps.every(([isDone]) => isDone)) return undefined;
  const items = await Promise.all(
    steps.map(async ([isDone, label, open]) =>
      h(
        "li",
        { class: isDone && "soft" },
        isDone ? [pill("done", t("done")), " ", label] : await open(),
      )
    ),
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
