/** @import { Child } from "../dom.js" */
/** @import { Work } from "../work.js" */
/** @import { RefusedRow } from "./sheet.js" */
/** @import { Visit } from "../places.js" */
import { ownKeyId } from "../session.js";
import { ask } from "../dialog.js";
import { button, count, download, h, nodes, say, t } from "../dom.js";
import { facts, head, table } from "../parts.js";
import { describe } from "../form.js";
import { writeRefused } from "./sheet.js";
import { upload } from "../upload.js";
import { addGuard, createWork } from "../work.js";

// A place that imports a file: it is chosen, checked by a dry run, then imported. The import goes
// on wherever its visitor goes, and whoever comes back finds it.

const SHOWN = 50;
/** How much of a file is read to find out what has to be asked. */
export const START_BYTES = 64 * 1024;

/**
 * The request that sends a file; `format` is the product that it was taken to come from.
 *
 * @typedef {{ type: string, query: Record<string, string>, format?: string }} Choice
 */

/**
 * The outcome of an import, or of its dry run.
 *
 * @typedef {object} Outcome
 * @property {any} sums
 * @property {readonly any[]} refused
 * @property {boolean} isDryRun
 * @property {Choice} choice
 */

/**
 * The steps of an import, for the file that was chosen.
 *
 * @typedef {object} Import
 * @property {HTMLInputElement} file
 * @property {Work} checking The owner of all that is asked about the file.
 * @property {(content: Child) => void} ask Shows questions about the file.
 * @property {(list: File, choice: Choice) => Promise<void>} check Does a dry run, and shows it.
 * @property {(error: unknown) => void} fail
 * @property {(content: Child) => void} say Shows content in place of an outcome.
 */

/**
 * A kind of import.
 *
 * @typedef {object} ImportKind
 * @property {string} href The address of the place.
 * @property {string} title
 * @property {readonly [href: string, label: string]} up
 * @property {Child} about
 * @property {string} accept The types by which phones and computers know the files.
 * @property {URL} url
 * @property {Record<string, string>} [dryRun] What a dry run is asked for besides.
 * @property {(list: File | undefined, tools: Import) => unknown} begin Asks about a file once it is
 *   chosen.
 * @property {(tools: Import) => Child} [questions] What is asked before.
 * @property {(sums: any) => readonly (readonly [label: string, many: number])[]} numbers
 * @property {(list: File, outcome: Outcome, tools: Import) => { actions?: Child, below?: Child }}
 *   describe Returns what stands beside the button that imports, and below it.
 */

/** The owners of imports by their places: one at a time. @type {Map<string, Work>} */
const owners = new Map();

/**
 * The imports that go on, or whose outcome nobody has seen, by their places.
 *
 * @type {Map<string, { keyId: string | undefined, content: Child }>}
 */
const unseen = new Map();

/** @param {string} href */
function ownerOf(href) {
  const owner = owners.get(href) ?? createWork();
  owners.set(href, owner);
  return owner;
}

/**
 * Shows the place of an import.
 *
 * @param {Visit} visit
 * @param {ImportKind} kind
 * @returns {Child}
 */
export function showImport(visit, kind) {
  const { href, url, title: heading, up, about, accept } = kind;
  const importing = ownerOf(href);
  const known = unseen.get(href);
  if (known !== undefined && known.keyId === ownKeyId()) {
    if (!importing.isWorking) unseen.delete(href);
    return known.content;
  }
  const file = h("input", { type: "file", id: "file", accept });
  const questions = h("div");
  const outcome = h("div", { role: "status" });
  /** @type {Import} */
  const tools = {
    file,
    // Everything that is asked is about the file that was chosen last.
    checking: createWork({ signal: visit.signal }),
    ask: (content) => questions.replaceChildren(...nodes(content)),
    say: (content) => outcome.replaceChildren(...nodes(content)),
    fail: (error) => tools.say(h("p", { class: "error", role: "alert" }, describe(error))),
    check,
  };
  file.addEventListener("change", () => {
    tools.checking.stop();
    tools.say(undefined);
    void kind.begin(file.files?.[0], tools);
  });

  /** Shows how far it is. @param {"checking" | "importing"} name */
  function showProgress(name) {
    const bar = h("progress", { max: 1, value: 0, "aria-label": t("progress") });
    tools.say([h("p", null, t(name)), bar]);
    return (/** @type {number} */ part) => bar.value = part;
  }

  /** @param {File} list @param {Choice} choice */
  async function check(list, choice) {
    const { type, query } = choice;
    const onProgress = showProgress("checking");
    const asked = { ...query, ...kind.dryRun, dryRun: "true" };
    try {
      const checked = await tools.checking.ask((signal) =>
        upload(list, asked, { type, signal, onProgress, url })
      );
      if (checked) showOutcome(list, { ...checked, choice, isDryRun: true });
    } catch (error) {
      tools.fail(error);
    }
  }

  /** @param {File} list @param {Choice} choice */
  async function start(list, choice) {
    const { type, query } = choice;
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
      const done = await upload(list, query, { type, onProgress, url });
      showOutcome(list, { ...done, choice, isDryRun: false });
      if (!visit.isShown()) tell(done.sums);
    } catch (error) {
      tools.fail(error);
      if (!visit.isShown()) say(`${heading}: ${describe(error)}`, { stays: true });
    } finally {
      removeGuard();
      file.disabled = false;
      if (visit.isShown()) unseen.delete(href);
    }
  }

  /** Tells those who went elsewhere how an import ended. @param {any} sums */
  function tell(sums) {
    const numbers = kind.numbers(sums).filter(([, many], index) => index === 0 || many > 0);
    const text = numbers.map(([label, many]) => `${label}: ${count(many)}`).join(", ");
    say([`${t("importDone")}. ${text} `, h("a", { href }, t("show"))], { stays: true });
  }

  /** @param {File} list @param {Outcome} found */
  function showOutcome(list, found) {
    const { sums, isDryRun, choice } = found;
    const begin = () => {
      unseen.set(href, { keyId: ownKeyId(), content });
      void importing.change(() => start(list, choice));
    };
    const next = button(t("importNow"), begin, { class: "primary" });
    const title = h("h2", { tabindex: "-1" }, t(isDryRun ? "dryRunDone" : "importDone"));
    const isWorthIt = isDryRun && sums.added + sums.changed + (sums.votesAdded ?? 0) > 0;
    const { actions, below } = kind.describe(list, found, tools);
    tools.say([
      title,
      facts("numbers", kind.numbers(sums).map(([label, many]) => [label, count(many)])),
      describeUnused(sums),
      h("div", { class: "actions" }, isWorthIt && next, actions),
      below,
    ]);
    if (!title.isConnected) return;
    // The button that was pressed is gone, or above what a phone shows.
    if (isDryRun) title.scrollIntoView({ block: "nearest" });
    else title.focus();
  }

  tools.ask(kind.questions?.(tools));
  const content = [
    head(heading, { up }),
    h("p", null, about),
    h("div", { class: "field" }, h("label", { for: "file" }, t("file")), file),
    questions,
    outcome,
  ];
  return content;
}

/**
 * The button that downloads refused rows, each with its reason.
 *
 * @param {File} list
 * @param {readonly (RefusedRow & { reason: string })[]} rows
 * @param {{ type: string, heading: string }} options The heading of the reasons.
 */
export function savingRefused(list, rows, { type, heading }) {
  if (rows.every(({ row }) => row === null)) return undefined;
  return button(t("refusedFile"), async () => {
    const start = await list.slice(0, START_BYTES).text();
    download(`refused-${list.name}`, writeRefused(start, rows, { type, heading }), type);
  });
}

/**
 * Lists the reasons of refused rows: one of many rows once, with the first of them.
 *
 * @param {readonly { line: number, reason: string }[]} rows
 * @returns {Child}
 */
export function listRefused(rows) {
  const groups = inGroups(rows);
  return rows.length > 0 && [
    table(t("refused"), [
      [t("line"), ({ line }) => count(line)],
      [t("reason"), ({ reason }) => reason, "reason"],
      [t("rows"), ({ many }) => count(many)],
    ], groups.slice(0, SHOWN)),
    describeRest(groups),
  ];
}

/** Names the columns that were not used. @param {{ unusedColumns?: readonly string[] }} sums */
function describeUnused({ unusedColumns = [] }) {
  const names = unusedColumns.slice(0, SHOWN).join(", ");
  return names && h("p", null, t("unusedColumns", { names }));
}

/** Adds up what was left out, by reason. @param {Record<string, number> | undefined} leftOut */
export function sumOf(leftOut = {}) {
  return Object.values(leftOut).reduce((sum, one) => sum + one, 0);
}

/** Says how many more there are than are shown. @param {readonly unknown[]} rows */
export function describeRest({ length }) {
  return length > SHOWN && h("p", { class: "soft" }, t("andMore", { n: length - SHOWN }));
}

/** @param {readonly { line: number, reason: string }[]} rows */
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

/** Shows at most some rows. @template T @param {readonly T[]} rows */
export function firstRows(rows) {
  return rows.slice(0, SHOWN);
}
