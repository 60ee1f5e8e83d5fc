/** @import { Child } from "../dom.js" */
/** @import { Field } from "../form.js" */
/** @import { RefusedRow } from "./sheet.js" */
/** @import { Visit } from "../places.js" */
/** @import { Choice, Import, Outcome } from "./importing.js" */
// Imports ideas and votes into a board: from other products, from any sheet, from an export.

import { ApiProblem, call, path } from "../client.js";
import { BASE } from "../session.js";
import { address, count, date, h, t, word } from "../dom.js";
import { table } from "../parts.js";
import { describeField, form } from "../form.js";
import { formatOf, readHeader } from "./sheet.js";
import { upload } from "../upload.js";
import { statusOfIdea } from "../ideas/ideas.js";
import { STATUSES } from "../ideas/saving.js";
import { columnFields, furtherFields } from "./post_columns.js";
import { listRefused, savingRefused, showImport, START_BYTES, sumOf } from "./importing.js";

const MAX_EXCERPT = 80;
const ZIP = "application/zip";
const CSV = "text/csv";
const ACCEPT = "text/csv,text/tab-separated-values,text/plain,application/x-ndjson," +
  "application/zip,.csv,.tsv,.txt,.ndjson,.jsonl,.zip";
const NUMBERS = /** @type {const} */ ([
  ["added", "newIdeas"],
  ["votesAdded", "newVotes"],
  ["changed", "filled"],
  ["unchanged", "unchanged"],
  ["keptUnsubscribed", "stayAway"],
  ["refused", "refused"],
]);
/** The format of a sheet that comes from no known product. */
const ANY_SHEET = "sheet";
/** The kinds of rows that are left out, and their texts. */
const LEFT_OUT = /** @type {const} */ ([
  ["spam", "leftOutSpam"],
  ["deleted", "leftOutDeleted"],
  ["withoutAddress", "leftOutWithoutAddress"],
]);

/** Shows the import into a board. @param {Visit} visit @returns {Promise<Child>} */
export async function show(visit) {
  const [, boardId] = visit.parts;
  const { name } = await call("GET", path`boards/${boardId}`, { signal: visit.signal });
  const url = new URL(path`api/v1/boards/${boardId}/posts/import`, BASE);
  return showImport(visit, {
    href: address(["boards", boardId, "import"]),
    title: t("importIdeas"),
    up: [address(["boards", boardId]), name],
    about: t("aboutIdeaImport"),
    accept: ACCEPT,
    url,
    dryRun: { preview: "true" },
    begin: (list, tools) => begin(list, tools, url),
    numbers: (sums) => [
      ...NUMBERS.map(([name, label]) => /** @type {const} */ ([t(label), sums[name]])),
      [t("leftOut"), sumOf(sums.leftOut)],
    ],
    describe: (list, outcome, tools) => describe(boardId, list, { outcome, tools }),
  });
}

/**
 * Finds out by the start of a file what has to be asked.
 *
 * @param {File | undefined} list
 * @param {Import} tools
 * @param {URL} url
 */
async function begin(list, tools, url) {
  tools.ask(undefined);
  if (list === undefined) return;
  const text = await list.slice(0, START_BYTES).text();
  const isArchive = text.startsWith("PK\x03");
  const type = isArchive ? ZIP : formatOf(list);
  // A workbook is an archive, too.
  if (isArchive ? !/\.zip$/i.test(list.name) : text.includes("\0")) {
    return tools.fail(new ApiProblem({ status: 400, code: "malformed_body" }));
  }
  const start = list.size <= START_BYTES ? text : text.slice(0, text.lastIndexOf("\n") + 1);
  const { headings } = type === CSV ? readHeader(start) : { headings: [] };
  try {
    if (type === CSV) {
      const query = { dryRun: "true", preview: "true" };
      const looked = await tools.checking.ask((signal) =>
        upload(new Blob([start]), query, { type, url, signal })
      );
      if (looked === undefined) return;
      const { format, unusedColumns } = looked.sums;
      if (unusedColumns.length > 0) {
        const fields = format === ANY_SHEET
          ? columnFields(headings, unusedColumns)
          : furtherFields(unusedColumns);
        return ask(list, tools, { type, fields, about: t("chooseMore") });
      }
    }
    ask(list, tools, { type, fields: [] });
  } catch (error) {
    // Somebody has to choose the columns of a header that isn't known.
    const isUnknown = error instanceof ApiProblem && error.status === 400;
    if (!isUnknown || headings.length === 0) return tools.fail(error);
    ask(list, tools, { type, fields: columnFields(headings), about: t("chooseColumns") });
  }
}

/**
 * @param {File} list
 * @param {Import} tools
 * @param {{ type: string, fields: readonly Field[], about?: string }} options
 */
function ask(list, tools, { type, fields, about }) {
  tools.ask([
    about && h("p", null, about),
    form(fields, {
      submit: t("check"),
      act(columns) {
        const chosen = Object.entries(columns).filter(([, heading]) => heading);
        /** @type {Record<string, string>} */
        const query = {};
        if (chosen.length > 0) query.columns = chosen.map((pair) => pair.join("=")).join(",");
        return tools.check(list, { type, query });
      },
    }),
  ]);
}

/**
 * @param {string} boardId
 * @param {File} list
 * @param {{ outcome: Outcome, tools: Import }} found
 * @returns {{ actions?: Child, below?: Child }}
 */
function describe(boardId, list, { outcome, tools }) {
  const { isDryRun, choice } = outcome;
  const isAlone = (/** @type {RefusedRow} */ { code }) => code === "original_missing";
  const refused = outcome.refused.filter((one) => !isAlone(one));
  const lines = outcome.refused.filter(isAlone).map(({ line }) => line).slice(0, 50).join(", ");
  const rows = refused.map((one) => ({ ...one, reason: reasonOf(one) }));
  return {
    actions: [
      savingRefused(list, rows, { type: choice.type, heading: t("reason") }),
      !isDryRun &&
      h("a", { class: "button", href: address(["ideas"], { boardId, view: "every" }) }, t("ideas")),
    ],
    below: [
      describeLeftOut(outcome.sums),
      isDryRun && showFirst(outcome.sums.preview ?? []),
      lines && h("p", null, t("cameAlone", { lines })),
      isDryRun && askStatuses(list, { refused, choice, tools }),
      listRefused(rows),
    ],
  };
}

/** Names what is left out. @param {{ leftOut: Record<string, number> }} sums */
function describeLeftOut({ leftOut }) {
  const parts = LEFT_OUT.filter(([name]) => leftOut[name] > 0)
    .map(([name, key]) => `${t(key)}: ${count(leftOut[name])}`);
  return parts.length > 0 && h("p", null, t("leftOut"), " – ", parts.join(", "));
}

/**
 * Shows the first ideas of a file as they would come.
 *
 * @param {readonly any[]} ideas
 * @returns {Child}
 */
function showFirst(ideas) {
  if (ideas.length === 0) return undefined;
  const dash = (/** @type {string | null} */ text) => h("bdi", null, text || "–");
  return table(t("firstIdeas"), [
    [t("title"), ({ title }) => h("bdi", null, title), "main"],
    [t("text"), ({ body }) => dash(body === null ? null : excerpt(body)), "wide"],
    [t("state"), statusOfIdea],
    [t("votes"), ({ importedVotes }) => count(importedVotes)],
    [t("author"), ({ authorEmail }) => dash(authorEmail)],
    [t("voter"), ({ userEmail }) => dash(userEmail), "wide"],
    [t("created"), ({ createdAt }) => date(createdAt), "wide"],
  ], ideas);
}

/** Shortens a text. @param {string} text */
function excerpt(text) {
  const letters = [...text];
  return letters.length > MAX_EXCERPT ? `${letters.slice(0, MAX_EXCERPT).join("")}…` : text;
}

/** Says why a row was refused. @param {RefusedRow} row */
function reasonOf({ field, code, detail }) {
  const unknown = unknownStatus({ field, detail });
  if (unknown !== undefined) return t("unknownStatus", { name: unknown });
  const known = `row_${field === null ? code : field}`;
  return word(known) === known
    ? describeField({ field: field ?? "row", code, detail })
    : word(known);
}

/**
 * Returns the word of a refused row that stands for no known status.
 *
 * @param {Pick<RefusedRow, "field" | "detail">} row
 */
function unknownStatus({ field, detail }) {
  return field === "status" ? /"(.*?)", which/.exec(detail)?.[1] : undefined;
}

/**
 * Asks what the words of a file mean that stand for no known status, and checks it again. What was
 * chosen before can be chosen anew.
 *
 * @param {File} list
 * @param {{ refused: readonly RefusedRow[], choice: Choice, tools: Import }} found
 * @returns {Child}
 */
function askStatuses(list, { refused, choice, tools }) {
  const chosen = new Map(
    (choice.query.status ?? "").split(",").filter(Boolean).map((pair) => {
      const at = pair.lastIndexOf("=");
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
  // A word that has one of these signs can't be told to the server.
  const isTellable = (/** @type {string | undefined} */ name) => name && !/[,=…]/.test(name);
  const unknown = refused.map(unknownStatus).filter(isTellable);
  const words = [...new Set([...chosen.keys(), ...unknown])].map(String);
  if (words.length === 0) return undefined;
  const options = [
    ["", t("refuseRows")],
    ...STATUSES.map((status) => [status, word(`status_${status}`)]),
  ];
  return h(
    "section",
    { class: "statuses", "aria-labelledby": "statuses" },
    h("h2", { id: "statuses" }, t("unknownStatuses")),
    h("p", { class: "soft" }, t("aboutUnknownStatuses")),
    form(
      words.map((name) => ({
        name,
        label: name,
        type: "select",
        value: chosen.get(name),
        options,
      })),
      {
        submit: t("checkAgain"),
        act(values) {
          const pairs = Object.entries(values).filter(([, status]) => status);
          const { status: _, ...query } = choice.query;
          const status = pairs.map((pair) => pair.join("=")).join(",");
          const next = { ...choice, query: status ? { ...query, status } : query };
          return tools.check(list, next);
        },
      },
    ),
  );
}
