/** @import { Child } from "../dom.js" */
/** @import { Field } from "../form.js" */
/** @import { Visit } from "../main.js" */
import { Problem } from "../client.js";
import { button, count, download, facts, h, head, nodes, t, table } from "../dom.js";
import { describe, describeField, form } from "../form.js";
import { formatOf, readHeader, upload, writeRefused } from "../upload.js";

/** @typedef {{ line: number, field: string | null, code: string, detail: string, row: string | null }} RefusedRow */

const SHOWN = 50;
const START_BYTES = 64 * 1024;
/** What the lists of some products don't say of their people. */
const STATES = [
  ["listStatus=confirmed", "listmonk: confirmed"],
  ["listStatus=unconfirmed", "listmonk: unconfirmed"],
  ["listStatus=unsubscribed", "listmonk: unsubscribed"],
  ["state=subscribed", "Mailchimp: subscribed"],
  ["state=unsubscribed", "Mailchimp: unsubscribed"],
  ["state=cleaned", "Mailchimp: cleaned"],
];
const COLUMNS = /** @type {const} */ (["userEmail", "userName", "subscribed"]);
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
  const file = h("input", { type: "file", id: "file", accept: ".csv,.tsv,.ndjson,.jsonl,.txt" });
  const questions = h("div");
  const outcome = h("div", { class: "outcome", role: "status" });
  file.addEventListener("change", () => void begin(file.files?.[0]));

  /** Finds out by the start of a list what has to be asked. @param {File | undefined} list */
  async function begin(list) {
    outcome.replaceChildren();
    questions.replaceChildren();
    if (list === undefined) return;
    const type = formatOf(list);
    const text = await list.slice(0, START_BYTES).text();
    const start = list.size <= START_BYTES ? text : text.slice(0, text.lastIndexOf("\n") + 1);
    try {
      const { sums } = await upload(new Blob([start]), { dryRun: "true" }, { type, signal });
      const { format } = sums.dryRun;
      const states = STATES.filter(([, label]) => label.toLowerCase().startsWith(format));
      ask(list, states.length === 0 ? [] : [choice("state", t("listState"), states)], format);
    } catch (error) {
      if (signal.aborted) return;
      // A header that isn't known is one whose columns somebody has to choose.
      const isUnknown = error instanceof Problem && error.status === 400 && type === "text/csv";
      const { headings } = readHeader(start);
      if (isUnknown && headings.length > 0) ask(list, columnFields(headings));
      else outcome.replaceChildren(h("p", { class: "error" }, describe(error)));
    }
  }

  /**
   * @param {File} list
   * @param {readonly Field[]} fields
   * @param {string} [format] What the list was taken for.
   */
  function ask(list, fields, format) {
    const again = {
      ...{ name: "resubscribe", label: t("resubscribe"), type: "checkbox" },
      hint: t("aboutResubscribe"),
    };
    questions.replaceChildren(
      h("p", null, format ? t("takenFor", { format }) : t("chooseColumns")),
      form([...fields, again], {
        submit: t("check"),
        act: (values) => run(list, queryOf(values), true, format),
      }),
    );
  }

  /**
   * @param {File} list
   * @param {Record<string, string>} query
   * @param {boolean} isDryRun
   * @param {string} [format]
   */
  async function run(list, query, isDryRun, format) {
    const type = formatOf(list);
    const bar = h("progress", { max: 1, value: 0, "aria-label": t("progress") });
    outcome.replaceChildren(h("p", null, isDryRun ? t("checking") : t("importing")), bar);
    try {
      const { sums, refused } = await upload(
        list,
        isDryRun ? { ...query, dryRun: "true" } : query,
        {
          ...{ type, signal },
          onProgress: (part) => bar.value = part,
        },
      );
      const rows = refused.map((one) => ({ ...one, reason: reasonOf(one) }));
      // Some lists have no column but their own, unless it has no name.
      const heading = format === undefined || format === "boardcast" ? t("reason") : "";
      const save = async () => {
        const start = await list.slice(0, START_BYTES).text();
        download(`refused-${list.name}`, writeRefused(start, rows, { type, heading }), type);
      };
      const next = button(t("importNow"), () => run(list, query, false, format), {
        class: "primary",
      });
      const isWorthIt = isDryRun && sums.added + sums.changed > 0;
      outcome.replaceChildren(...nodes([
        h("p", null, h("strong", null, isDryRun ? t("dryRunDone") : t("importDone"))),
        ...showOutcome(sums, rows, [
          isWorthIt && next,
          rows.length > 0 && button(t("refusedFile"), save),
        ]),
      ]));
    } catch (error) {
      if (!signal.aborted) outcome.replaceChildren(h("p", { class: "error" }, describe(error)));
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
 * @returns {Child[]}
 */
function showOutcome(sums, rows, actions) {
  const names = /** @type {const} */ ([
    ...["added", "changed", "unchanged", "keptUnsubscribed", "refused"],
  ]);
  return [
    facts("numbers", names.map((name) => [t(name), count(sums[name])])),
    h("div", { class: "actions" }, actions),
    rows.length > 0 && table(t("refused"), [
      { title: t("line"), cell: ({ line }) => count(line) },
      { title: t("reason"), class: "reason", cell: ({ reason }) => reason },
    ], rows.slice(0, SHOWN)),
    rows.length > SHOWN && h("p", { class: "soft" }, t("andMore", { n: rows.length - SHOWN })),
  ];
}

/** @param {RefusedRow} row */
function reasonOf({ field, code, detail }) {
  return describeField({ field: field ?? "row", code, detail });
}

/**
 * @param {string} name
 * @param {string} label
 * @param {readonly (readonly string[])[]} options
 * @returns {Field}
 */
function choice(name, label, options) {
  const all = /** @type {[string, string][]} */ ([["", t("asFile")], ...options]);
  return { name, label, type: "select", options: all };
}

/**
 * Asks which column is which.
 *
 * @param {readonly string[]} headings
 * @returns {Field[]}
 */
function columnFields(headings) {
  const labels = { userEmail: t("address"), userName: t("name"), subscribed: t("subscribed") };
  const columns = COLUMNS.map((name) => ({
    ...{ name, label: labels[name], type: "select", required: name === "userEmail" },
    value: headings.find((heading) => GUESSES[name].test(heading)) ?? "",
    options: [
      /** @type {const} */ (["", t("noColumn")]),
      ...headings.map((heading) => /** @type {const} */ ([heading, heading])),
    ],
  }));
  return [
    ...columns,
    { name: "true", label: t("wordsForTrue"), hint: t("aboutWords") },
    { name: "false", label: t("wordsForFalse") },
    {
      ...{ name: "state", label: t("allAre"), type: "select" },
      options: [
        ["", t("asFile")],
        ["state=subscribed", t("subscribed")],
        ["state=unsubscribed", t("unsubscribed")],
      ],
    },
  ];
}

/**
 * Makes what the import is asked of what was chosen.
 *
 * @param {Record<string, string>} values
 */
function queryOf({ state, resubscribe, true: yes, false: no, ...columns }) {
  const chosen = Object.entries(columns).filter(([, heading]) => heading)
    .map(([name, heading]) => `${name}=${heading}`);
  const isSaid = Boolean(columns.subscribed);
  return {
    ...isSaid ? {} : Object.fromEntries(new URLSearchParams(state ?? "")),
    ...chosen.length > 0 && { columns: chosen.join(",") },
    ...yes && { true: yes },
    ...no && { false: no },
    ...resubscribe === "true" && { resubscribe },
  };
}
