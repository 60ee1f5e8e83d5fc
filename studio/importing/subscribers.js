/** @import { Child } from "../dom.js" */
/** @import { Field } from "../form.js" */
/** @import { RefusedRow } from "./sheet.js" */
/** @import { Visit } from "../places.js" */
/** @import { Import } from "./importing.js" */
import { ApiProblem, fieldProblem } from "../client.js";
import { BASE } from "../session.js";
import { address, h, t } from "../dom.js";
import { describeField, form } from "../form.js";
import { formatOf, queryOf, readHeader, wordsForAnswers } from "./sheet.js";
import { upload } from "../upload.js";
import { listRefused, savingRefused, showImport, START_BYTES } from "./importing.js";

const IMPORT = new URL("api/v1/changelogs/subscribers/import", BASE);
const NUMBERS = /** @type {const} */ ([
  "added",
  "changed",
  "unchanged",
  "keptUnsubscribed",
  "refused",
]);
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

/**
 * Imports a list of subscribers. Asks for facts that the list lacks.
 *
 * @param {Visit} visit
 * @returns {Child}
 */
export function show(visit) {
  return showImport(visit, {
    href: address(["subscribers", "import"]),
    title: t("import"),
    up: ["#/subscribers", t("subscribers")],
    about: t("aboutImport"),
    accept: ACCEPT,
    url: IMPORT,
    begin,
    numbers: (sums) => NUMBERS.map((name) => [t(name), sums[name]]),
    describe(list, { refused, choice: { type, format } }) {
      const rows = refused.map((one) => ({ ...one, reason: reasonOf(one) }));
      // Some lists have no column but their own, unless it has no name.
      const heading = format === undefined || format === "boardcast" ? t("reason") : "";
      return { actions: savingRefused(list, rows, { type, heading }), below: listRefused(rows) };
    },
  });
}

/**
 * Finds out by the start of a list what has to be asked.
 *
 * @param {File | undefined} list
 * @param {Import} tools
 */
async function begin(list, tools) {
  tools.ask(undefined);
  if (list === undefined) return;
  const type = formatOf(list);
  const text = await list.slice(0, START_BYTES).text();
  const start = list.size <= START_BYTES ? text : text.slice(0, text.lastIndexOf("\n") + 1);
  // A workbook is no list, whatever its name is.
  if (text.startsWith("PK\x03") || text.includes("\0")) {
    return tools.fail(new ApiProblem({ status: 400, code: "malformed_body" }));
  }
  try {
    const options = { type, url: IMPORT };
    const looked = await tools.checking.ask((signal) =>
      upload(new Blob([start]), { dryRun: "true" }, { ...options, signal })
    );
    if (looked === undefined) return;
    const { format } = looked.sums.dryRun;
    const [name, ...states] = STATES.get(format) ?? [];
    const choices = [["", t("asFile")], ...states.map((one) => [`${name}=${one}`, one])];
    const asked = { name: "state", label: t("listState"), type: "select", options: choices };
    ask(list, tools, { fields: name ? [asked] : [], start, format });
  } catch (error) {
    // Somebody has to choose the columns of a header that isn't known.
    const isUnknown = error instanceof ApiProblem && error.status === 400 && type === "text/csv";
    const { headings } = readHeader(start);
    if (!isUnknown || headings.length === 0) return tools.fail(error);
    ask(list, tools, { fields: columnFields(headings, start), start });
  }
}

/**
 * @param {File} list
 * @param {Import} tools
 * @param {{ fields: readonly Field[], start: string, format?: string }} options `format` is the
 *   product that the list was taken to come from.
 */
function ask(list, tools, { fields, start, format }) {
  const again = { name: "resubscribe", label: t("resubscribe"), hint: t("aboutResubscribe") };
  tools.ask([
    h("p", null, format ? t("takenFor", { format }) : t("chooseColumns")),
    form([...fields, { ...again, type: "checkbox" }], {
      submit: t("check"),
      act: (values) => {
        if (values.subscribed === "" && values.state === "") {
          throw fieldProblem("state", t("required"));
        }
        // Words that the list has for yes and no count unless others are typed.
        const { yes, no } = wordsForAnswers(start);
        const words = { true: values.true || yes, false: values.false || no };
        const query = queryOf({ ...values, ...words });
        return tools.check(list, { type: formatOf(list), query, format });
      },
    }),
  ]);
}

/** @param {RefusedRow} row */
function reasonOf({ field, code, detail }) {
  if (code === "invalid_token") return t("row_invalid_token");
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
