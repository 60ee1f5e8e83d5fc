/** @import { Child } from "../dom.js" */
/** @import { Field } from "../form.js" */
/** @import { RefusedRow } from "../sheet.js" */
/** @import { Visit } from "../main.js" */
import { ApiProblem, fieldProblem, ownKeyId } from "../client.js";
import { ask as askFirst } from "../dialog.js";
import {
  address,
  button,
  count,
  download,
  facts,
  h,
  head,
  nodes,
  say,
  t,
  table,
  word,
} from "../dom.js";
import { describe, describeField, form } from "../form.js";
import { formatOf, queryOf, readHeader, wordsForAnswers, writeRefused } from "../sheet.js";
import { upload } from "../upload.js";
import { addGuard, createWork } from "../work.js";

const SHOWN = 50;
const START_BYTES = 64 * 1024;
/** The file types that phones and computers use for lists. */
const ACCEPT = "text/csv,text/tab-separated-values,text/plain,application/x-ndjson," +
  ".csv,.tsv,.ndjson,.jsonl,.txt";
/** The states that the files of some products lack, and the parameter that sets them. */
const STATES = new Map([
  ["listmonk", ["listStatus", "confirmed", "unconfirmed", "unsubscribed"]],
  ["mailchimp", ["state", "subscribed", "unsubscribed", "cleaned"]],
]);
/** Common headings, which help to guess columns. */
const GUESSES = {
  userEmail: /mail|correo|メール|邮|البريد|דוא/i,
  userName: /name|nom|nombre|naam|imię|氏名|名|اسم|שם/i,
  subscribed: /subscri|status|state|abo|opt/i,
};

/** The owner of the import. Only one import runs at a time, in whatever place the visitor is. */
const importing = createWork();

/**
 * The running import, or one whose outcome nobody has seen yet. It is shown again when the visitor
 * returns.
 *
 * @type {{ keyId: string | undefined, content: Child } | undefined}
 */
let unseen;

/**
 * Imports a list of subscribers. Asks for missing facts about the list, makes a dry run, then
 * imports.
 *
 * @param {Visit} visit
 * @returns {Child}
 */
export function showImport(visit) {
  if (unseen && unseen.keyId === ownKeyId()) {
    const { content } = unseen;
    if (!importing.isWorking) unseen = undefined;
    return content;
  }
  const { signal } = visit;
  const file = h("input", { type: "file", id: "file", accept: ACCEPT });
  const questions = h("div");
  const outcome = h("div", { role: "status" });
  // All questions are about the file that was chosen last.
  const checking = createWork({ signal });
  file.addEventListener("change", () => void begin(file.files?.[0]));
  const fail = (/** @type {unknown} */ error) =>
    outcome.replaceChildren(h("p", { class: "error" }, describe(error)));

  /** Reads the start of a list to find the necessary questions. @param {File | undefined} list */
  async function begin(list) {
    checking.stop();
    outcome.replaceChildren();
    questions.replaceChildren();
    if (list === undefined) return;
    const type = formatOf(list);
    const text = await list.slice(0, START_BYTES).text();
    const start = list.size <= START_BYTES ? text : text.slice(0, text.lastIndexOf("\n") + 1);
    // A workbook is not a list, even if its name says so.
    if (text.startsWith("PK\x03") || text.includes("\0")) {
      return fail(new ApiProblem({ status: 400, code: "malformed_body" }));
    }
    try {
      const look = (/** @type {AbortSignal} */ signal) =>
        upload(new Blob([start]), { dryRun: "true" }, { type, signal });
      const looked = await checking.ask(look);
      if (looked === undefined) return;
      const { format } = looked.sums.dryRun;
      const [name, ...states] = STATES.get(format) ?? [];
      const options = [["", t("asFile")], ...states.map((one) => [`${name}=${one}`, one])];
      const asked = { name: "state", label: t("listState"), type: "select", options };
      ask(list, name ? [asked] : [], start, format);
    } catch (error) {
      // The person has to choose the columns of an unknown header.
      const isUnknown = error instanceof ApiProblem && error.status === 400 && type === "text/csv";
      const { headings } = readHeader(start);
      if (isUnknown && headings.length > 0) ask(list, columnFields(headings, start), start);
      else fail(error);
    }
  }

  /**
   * @param {File} list
   * @param {readonly Field[]} fields
   * @param {string} start
   * @param {string} [format] The product that the list was taken to come from.
   */
  function ask(list, fields, start, format) {
    const again = { name: "resubscribe", label: t("resubscribe"), hint: t("aboutResubscribe") };
    questions.replaceChildren(
      h("p", null, format ? t("takenFor", { format }) : t("chooseColumns")),
      form([...fields, { ...again, type: "checkbox" }], {
        submit: t("check"),
        act: (values) => {
          if (values.subscribed === "" && values.state === "") {
            throw fieldProblem("state", t("required"));
          }
          // The list's own words for yes and no count unless others are typed.
          const { yes, no } = wordsForAnswers(start);
          const words = { true: values.true || yes, false: values.false || no };
          return check(list, { query: queryOf({ ...values, ...words }), format });
        },
      }),
    );
  }

  /** Shows the progress. @param {"checking" | "importing"} name */
  function showProgress(name) {
    const bar = h("progress", { max: 1, value: 0, "aria-label": t("progress") });
    outcome.replaceChildren(h("p", null, t(name)), bar);
    return (/** @type {number} */ part) => bar.value = part;
  }

  /** @typedef {{ query: Record<string, string>, format?: string }} Choice */

  /** @param {File} list @param {Choice} choice */
  async function check(list, choice) {
    const type = formatOf(list);
    const onProgress = showProgress("checking");
    const asked = { ...choice.query, dryRun: "true" };
    const run = (/** @type {AbortSignal} */ signal) =>
      upload(list, asked, { type, signal, onProgress });
    try {
      const checked = await checking.ask(run);
      if (checked) showOutcome(list, { ...choice, ...checked, isDryRun: true });
    } catch (error) {
      fail(error);
    }
  }

  /** @param {File} list @param {Choice} choice */
  async function start(list, choice) {
    const onProgress = showProgress("importing");
    const removeGuard = addGuard({
      leave: ({ go }) => {
        const options = { submit: t("leave"), cancel: t("stay"), about: t("importGoesOn") };
        void askFirst(t("importing"), [], options).then((isSure) => isSure && go());
        return false;
      },
      isNeeded: () => true,
    });
    file.disabled = true;
    try {
      const type = formatOf(list);
      const done = await upload(list, choice.query, { type, onProgress });
      showOutcome(list, { ...choice, ...done });
      if (!visit.isShown()) tell(t("importDone"), done.sums);
    } catch (error) {
      fail(error);
      if (!visit.isShown()) say(`${t("import")}: ${describe(error)}`, { stays: true });
    } finally {
      removeGuard();
      file.disabled = false;
      if (visit.isShown()) unseen = undefined;
    }
  }

  /**
   * @param {File} list
   * @param {Choice & { sums: any, refused: readonly RefusedRow[], isDryRun?: boolean }} options
   */
  function showOutcome(list, { sums, refused, isDryRun, ...choice }) {
    const type = formatOf(list);
    const { format } = choice;
    const rows = refused.map((one) => ({ ...one, reason: reasonOf(one) }));
    // Only our own lists get a column for reasons: other importers accept no further column.
    const heading = format === undefined || format === "boardcast" ? t("reason") : "";
    const save = async () => {
      const start = await list.slice(0, START_BYTES).text();
      download(`refused-${list.name}`, writeRefused(start, rows, { type, heading }), type);
    };
    const begin = () => {
      unseen = { keyId: ownKeyId(), content };
      void importing.change(() => start(list, choice));
    };
    const next = button(t("importNow"), begin, { class: "primary" });
    const title = h("h2", { tabindex: "-1" }, t(isDryRun ? "dryRunDone" : "importDone"));
    const isWorthIt = isDryRun && sums.added + sums.changed > 0;
    const actions = [isWorthIt && next, rows.length > 0 && button(t("refusedFile"), save)];
    outcome.replaceChildren(title, ...nodes(describeOutcome(sums, rows, actions)));
    // The pressed button no longer exists.
    if (!isDryRun && title.isConnected) title.focus();
  }

  const content = [
    head(t("import"), { up: ["#/subscribers", t("subscribers")] }),
    h("p", null, t("aboutImport")),
    h("div", { class: "field" }, h("label", { for: "file" }, t("file")), file),
    questions,
    outcome,
  ];
  return content;
}

/** Tells those who went elsewhere how an import ended. @param {string} done @param {any} sums */
function tell(done, sums) {
  const { added, changed, refused } = sums;
  const numbers = { added, changed, refused };
  const text = Object.entries(numbers).map(([name, n]) => `${word(name)}: ${count(n)}`).join(", ");
  const to = address(["subscribers", "import"]);
  say([`${done}. ${text} `, h("a", { href: to }, t("show"))], { stays: true });
}

/**
 * @param {any} sums
 * @param {readonly { line: number, reason: string }[]} rows
 * @param {Child} actions
 * @returns {Child}
 */
function describeOutcome(sums, rows, actions) {
  const names = /** @type {const} */ ([
    "added",
    "changed",
    "unchanged",
    "keptUnsubscribed",
    "refused",
  ]);
  const groups = inGroups(rows);
  return [
    facts("numbers", names.map((name) => [t(name), count(sums[name])])),
    h("div", { class: "actions" }, actions),
    rows.length > 0 && table(t("refused"), [
      [t("line"), ({ line }) => count(line)],
      [t("reason"), ({ reason }) => reason, "reason"],
      [t("rows"), ({ many }) => count(many)],
    ], groups.slice(0, SHOWN)),
    groups.length > SHOWN && h("p", { class: "soft" }, t("andMore", { n: groups.length - SHOWN })),
  ];
}

/**
 * Lists each reason once, with the first row that has it.
 *
 * @param {readonly { line: number, reason: string }[]} rows
 */
function inGroups(rows) {
  /** @type {Map<string, { line: number, reason: string, many: number }>} */
  const groups = new Map();
  for (const { line, reason } of rows) {
    const group = groups.get(reason);
    if (group) group.many++;
    else groups.set(reason, { line, reason, many: 1 });
  }
  return [...groups.values()];
}

/** @param {RefusedRow} row */
function reasonOf({ field, code, detail }) {
  return describeField({ field: field ?? "row", code, detail });
}

/**
 * Asks for the meaning of the columns, and for facts that no column has.
 *
 * @param {readonly string[]} headings
 * @param {string} start The start of the list, whose own words for yes and no are proposed.
 * @returns {Field[]}
 */
function columnFields(headings, start) {
  const answers = wordsForAnswers(start);
  const labels = { userEmail: t("address"), userName: t("name"), subscribed: t("subscribed") };
  const columns = Object.entries(labels).map(([name, label]) => {
    const guess = GUESSES[/** @type {keyof typeof GUESSES} */ (name)];
    return {
      name,
      label,
      type: "select",
      required: name === "userEmail",
      value: headings.find((heading) => guess.test(heading)),
      options: [["", t("noColumn")], ...headings.map((heading) => [heading, heading])],
    };
  });
  const states = /** @type {const} */ (["subscribed", "unsubscribed"]);
  return [
    ...columns,
    {
      name: "true",
      label: t("wordsForTrue"),
      hint: t("aboutWords"),
      attributes: { placeholder: answers.yes },
    },
    { name: "false", label: t("wordsForFalse"), attributes: { placeholder: answers.no } },
    {
      name: "state",
      label: t("allAre"),
      type: "select",
      options: [["", t("asFile")], ...states.map((state) => [`state=${state}`, t(state)])],
    },
  ];
}
