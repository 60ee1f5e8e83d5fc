/** @import { Child } from "../dom.js" */
/** @import { Field } from "../form.js" */
/** @import { RefusedRow } from "../sheet.js" */
/** @import { Visit } from "../main.js" */
import { fieldProblem, Problem } from "../client.js";
import { button, count, download, facts, h, head, nodes, t, table } from "../dom.js";
import { describe, describeField, form } from "../form.js";
import { formatOf, queryOf, readHeader, writeRefused } from "../sheet.js";
import { upload } from "../upload.js";

const SHOWN = 50;
const START_BYTES = 64 * 1024;
/** What phones and computers know lists by. */
const ACCEPT = "text/csv,text/tab-separated-values,text/plain,application/x-ndjson," +
  ".csv,.tsv,.ndjson,.jsonl,.txt";
/** What the lists of some products don't say of their people, and what it is called. */
const STATES = new Map([
  ["listmonk", ["listStatus", "confirmed", "unconfirmed", "unsubscribed"]],
  ["mailchimp", ["state", "subscribed", "unsubscribed", "cleaned"]],
]);
/** What headings are often called, to guess a column. */
const GUESSES = {
  userEmail: /mail|correo|メール|邮|البريد|דוא/i,
  userName: /name|nom|nombre|naam|imię|氏名|名|اسم|שם/i,
  subscribed: /subscri|status|state|abo|opt/i,
};

/**
 * Imports a list of subscribers: what can't be known of it is asked, then comes a dry run, then the import.
 *
 * @param {Visit} visit
 * @returns {Child}
 */
export function showImport({ signal }) {
  const file = h("input", { type: "file", id: "file", accept: ACCEPT });
  const questions = h("div");
  const outcome = h("div", { role: "status" });
  file.addEventListener("change", () => void begin(file.files?.[0]));
  const fail = (/** @type {unknown} */ error) => {
    if (!signal.aborted) outcome.replaceChildren(h("p", { class: "error" }, describe(error)));
  };

  /** Finds out by the start of a list what has to be asked. @param {File | undefined} list */
  async function begin(list) {
    outcome.replaceChildren();
    questions.replaceChildren();
    if (list === undefined) return;
    const type = formatOf(list);
    const text = await list.slice(0, START_BYTES).text();
    const start = list.size <= START_BYTES ? text : text.slice(0, text.lastIndexOf("\n") + 1);
    // A workbook is no list, whatever it is called.
    if (text.startsWith("PK\x03") || text.includes("\0")) {
      return fail(new Problem({ status: 400, code: "malformed_body" }));
    }
    try {
      const { sums } = await upload(new Blob([start]), { dryRun: "true" }, { type, signal });
      const { format } = sums.dryRun;
      const [name, ...states] = STATES.get(format) ?? [];
      const options = [["", t("asFile")], ...states.map((one) => [`${name}=${one}`, one])];
      const asked = { name: "state", label: t("listState"), type: "select", options };
      ask(list, name ? [asked] : [], format);
    } catch (error) {
      // A header that isn't known is one whose columns somebody has to choose.
      const isUnknown = error instanceof Problem && error.status === 400 && type === "text/csv";
      const { headings } = readHeader(start);
      if (isUnknown && headings.length > 0) ask(list, columnFields(headings));
      else fail(error);
    }
  }

  /**
   * @param {File} list
   * @param {readonly Field[]} fields
   * @param {string} [format] What the list was taken for.
   */
  function ask(list, fields, format) {
    const again = { name: "resubscribe", label: t("resubscribe"), hint: t("aboutResubscribe") };
    questions.replaceChildren(
      h("p", null, format ? t("takenFor", { format }) : t("chooseColumns")),
      form([...fields, { ...again, type: "checkbox" }], {
        submit: t("check"),
        act: (values) => {
          if (values.subscribed === "" && values.state === "") {
            throw fieldProblem("state", t("required"));
          }
          return run(list, { query: queryOf(values), isDryRun: true, format });
        },
      }),
    );
  }

  /**
   * @param {File} list
   * @param {{ query: Record<string, string>, isDryRun?: boolean, format?: string }} options
   */
  async function run(list, { query, isDryRun, format }) {
    const type = formatOf(list);
    const bar = h("progress", { max: 1, value: 0, "aria-label": t("progress") });
    const onProgress = (/** @type {number} */ part) => bar.value = part;
    outcome.replaceChildren(h("p", null, t(isDryRun ? "checking" : "importing")), bar);
    try {
      const asked = isDryRun ? { ...query, dryRun: "true" } : query;
      const { sums, refused } = await upload(list, asked, { type, signal, onProgress });
      const rows = refused.map((one) => ({ ...one, reason: reasonOf(one) }));
      // Some lists have no column but their own, unless it has no name.
      const heading = format === undefined || format === "boardcast" ? t("reason") : "";
      const save = async () => {
        const start = await list.slice(0, START_BYTES).text();
        download(`refused-${list.name}`, writeRefused(start, rows, { type, heading }), type);
      };
      const next = button(t("importNow"), () => run(list, { query, format }), { class: "primary" });
      const title = h("h2", { tabindex: "-1" }, t(isDryRun ? "dryRunDone" : "importDone"));
      const isWorthIt = isDryRun && sums.added + sums.changed > 0;
      const actions = [isWorthIt && next, rows.length > 0 && button(t("refusedFile"), save)];
      outcome.replaceChildren(title, ...nodes(showOutcome(sums, rows, actions)));
      // The button that was pressed is gone.
      if (!isDryRun) title.focus();
    } catch (error) {
      fail(error);
    }
  }

  return [
    head(t("import"), { up: ["#/subscribers", t("subscribers")] }),
    h("p", null, t("aboutImport")),
    h("div", { class: "field" }, h("label", { for: "file" }, t("file")), file),
    questions,
    outcome,
  ];
}

/**
 * @param {any} sums
 * @param {readonly { line: number, reason: string }[]} rows
 * @param {Child} actions
 * @returns {Child}
 */
function showOutcome(sums, rows, actions) {
  const names = /** @type {const} */ ([
    ...["added", "changed", "unchanged", "keptUnsubscribed", "refused"],
  ]);
  return [
    facts("numbers", names.map((name) => [t(name), count(sums[name])])),
    h("div", { class: "actions" }, actions),
    rows.length > 0 && table(t("refused"), [
      [t("line"), ({ line }) => count(line)],
      [t("reason"), ({ reason }) => reason, "reason"],
    ], rows.slice(0, SHOWN)),
    rows.length > SHOWN && h("p", { class: "soft" }, t("andMore", { n: rows.length - SHOWN })),
  ];
}

/** @param {RefusedRow} row */
function reasonOf({ field, code, detail }) {
  return describeField({ field: field ?? "row", code, detail });
}

/**
 * Asks which column is which, and what no column says.
 *
 * @param {readonly string[]} headings
 * @returns {Field[]}
 */
function columnFields(headings) {
  const labels = { userEmail: t("address"), userName: t("name"), subscribed: t("subscribed") };
  const columns = Object.entries(labels).map(([name, label]) => {
    const guess = GUESSES[/** @type {keyof typeof GUESSES} */ (name)];
    return {
      ...{ name, label, type: "select", required: name === "userEmail" },
      value: headings.find((heading) => guess.test(heading)),
      options: [["", t("noColumn")], ...headings.map((heading) => [heading, heading])],
    };
  });
  const states = /** @type {const} */ (["subscribed", "unsubscribed"]);
  return [
    ...columns,
    { name: "true", label: t("wordsForTrue"), hint: t("aboutWords") },
    { name: "false", label: t("wordsForFalse") },
    {
      ...{ name: "state", label: t("allAre"), type: "select" },
      options: [["", t("asFile")], ...states.map((state) => [`state=${state}`, t(state)])],
    },
  ];
}
