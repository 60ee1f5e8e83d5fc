/** @import { Child } from "../dom.js" */
/** @import { Visit } from "../main.js" */
import { BASE, may } from "../client.js";
import { ask } from "../dialog.js";
import { button, count, facts, h, head, nodes, say, t, table, word } from "../dom.js";
import { describe, form } from "../form.js";
import { upload } from "../upload.js";
import { addGuard, createWork } from "../work.js";

const IMPORT = new URL("api/v1/changelogs/entries/import", BASE);
const SHOWN = 50;
const ACCEPT = ".md,.markdown,.json,.ndjson,.jsonl,.xml,.atom,.rss,text/markdown,application/json";

/** The owner of the import. Only one import runs at a time, in whatever place the visitor is. */
const importing = createWork();

/**
 * Tells the media type of a file by its name and its start.
 *
 * @param {File} file
 * @param {string} start
 */
function typeOf({ name }, start) {
  if (/\.(?:ndjson|jsonl)$/i.test(name)) return "application/x-ndjson";
  if (/\.(?:xml|atom|rss)$/i.test(name) || start.trimStart().startsWith("<")) return "text/xml";
  return /\.json$/i.test(name) ? "application/json" : "text/markdown";
}

/** Imports a changelog: first a dry run, then the import. @param {Visit} visit @returns {Child} */
export function show(visit) {
  const outcome = h("div", { role: "status" });
  const checking = createWork({ signal: visit.signal });
  const file = h("input", {
    type: "file",
    id: "file",
    accept: ACCEPT,
    change: () => checking.stop(),
  });
  const fail = (/** @type {unknown} */ error) =>
    outcome.replaceChildren(h("p", { class: "error", role: "alert" }, describe(error)));

  /** @typedef {{ type: string, query: Record<string, string> }} Choice */

  /** @param {"checking" | "importing"} name */
  function showProgress(name) {
    const bar = h("progress", { max: 1, value: 0, "aria-label": t("progress") });
    outcome.replaceChildren(h("p", null, t(name)), bar);
    return (/** @type {number} */ part) => bar.value = part;
  }

  /** @param {File} list @param {Choice} choice */
  async function check(list, { type, query }) {
    const onProgress = showProgress("checking");
    const asked = { ...query, dryRun: "true" };
    try {
      const checked = await checking.ask((signal) =>
        upload(list, asked, { type, signal, onProgress, url: IMPORT })
      );
      if (checked) showOutcome(list, { type, query, ...checked, isDryRun: true });
    } catch (error) {
      fail(error);
    }
  }

  /** @param {File} list @param {Choice} choice */
  async function start(list, { type, query }) {
    const onProgress = showProgress("importing");
    const removeGuard = addGuard({
      leave: ({ go }) => {
        const options = { submit: t("leave"), cancel: t("stay"), about: t("importGoesOn") };
        void ask(t("importing"), [], options).then((isSure) => isSure && go());
        return false;
      },
      isNeeded: () => true,
    });
    file.disabled = true;
    try {
      const done = await upload(list, query, { type, onProgress, url: IMPORT });
      showOutcome(list, { type, query, ...done });
      if (!visit.isShown()) {
        say(`${t("importDone")}. ${t("added")}: ${count(done.sums.added)}`, { stays: true });
      }
    } catch (error) {
      fail(error);
      if (!visit.isShown()) say(`${t("importEntries")}: ${describe(error)}`, { stays: true });
    } finally {
      removeGuard();
      file.disabled = false;
    }
  }

  /**
   * @param {File} list
   * @param {Choice & { sums: any, refused: readonly any[], isDryRun?: boolean }} options
   */
  function showOutcome(list, { sums, refused, isDryRun, ...choice }) {
    const numbers = /** @type {const} */ ([
      ["added", sums.added],
      ["changed", sums.changed],
      ["unchanged", sums.unchanged],
      ["keptEdited", sums.kept],
      ["refused", sums.refused],
      ["leftOut", sumOf(sums.leftOut)],
    ]);
    const next = button(t("importNow"), () => void importing.change(() => start(list, choice)), {
      class: "primary",
    });
    const title = h("h2", { tabindex: "-1" }, t(isDryRun ? "dryRunDone" : "importDone"));
    const isWorthIt = isDryRun && sums.added + sums.changed > 0;
    outcome.replaceChildren(...nodes([
      title,
      facts("numbers", numbers.map(([name, n]) => [t(name), count(n)])),
      h("div", { class: "actions" }, [
        isWorthIt && next,
        !isDryRun && h("a", { class: "button", href: "#/entries" }, t("entries")),
      ]),
      refused.length > 0 && table(t("reason"), [
        [t("line"), ({ line }) => typeof line === "number" ? count(line) : "–"],
        [t("entry"), ({ entryId, title }) => h("bdi", null, title ?? entryId ?? "–")],
        [t("reason"), ({ detail }) => h("span", { dir: "ltr", lang: "en" }, detail), "reason"],
      ], refused.slice(0, SHOWN)),
      refused.length > SHOWN &&
      h("p", { class: "soft" }, t("andMore", { n: refused.length - SHOWN })),
    ]));
    if (!isDryRun && title.isConnected) title.focus();
  }

  const mayPublish = may("entries:publish");
  const questions = form([
    {
      name: "drafts",
      label: t("asDrafts"),
      type: "checkbox",
      value: mayPublish ? "false" : "true",
      hint: mayPublish ? t("aboutAsDrafts") : word("entries:write"),
    },
    {
      name: "baseUrl",
      label: t("baseAddress"),
      type: "url",
      attributes: { placeholder: "https://github.com/acme/app/blob/main/" },
    },
  ], {
    submit: t("check"),
    async act({ drafts, baseUrl }) {
      const list = file.files?.[0];
      if (!list) {
        file.focus();
        outcome.replaceChildren(h("p", { class: "error", role: "alert" }, t("required")));
        return;
      }
      const type = typeOf(list, await list.slice(0, 200).text());
      /** @type {Record<string, string>} */
      const query = {};
      if (drafts === "true" || !mayPublish) query.drafts = "true";
      if (baseUrl) query.baseUrl = baseUrl;
      await check(list, { type, query });
    },
  });
  return [
    head(t("importEntries"), { up: ["#/entries", t("entries")] }),
    h("p", null, t("aboutEntryImport")),
    h("div", { class: "field" }, h("label", { for: "file" }, t("file")), file),
    questions,
    outcome,
  ];
}

/** @param {Record<string, number> | undefined} leftOut */
function sumOf(leftOut = {}) {
  return Object.values(leftOut).reduce((sum, one) => sum + one, 0);
}
