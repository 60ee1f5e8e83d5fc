/** @import { Child } from "../dom.js" */
/** @import { Visit } from "../places.js" */
/** @import { Import } from "./importing.js" */
import { BASE, may } from "../session.js";
import { address, count, h, t, word } from "../dom.js";
import { table } from "../parts.js";
import { form } from "../form.js";
import { describeRest, firstRows, showImport, sumOf } from "./importing.js";

const IMPORT = new URL("api/v1/changelogs/entries/import", BASE);
const ACCEPT = ".md,.markdown,.json,.ndjson,.jsonl,.xml,.atom,.rss,text/markdown,application/json";

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
  return showImport(visit, {
    href: address(["entries", "import"]),
    title: t("importEntries"),
    up: ["#/entries", t("entries")],
    about: t("aboutEntryImport"),
    accept: ACCEPT,
    url: IMPORT,
    begin() {},
    questions,
    numbers: (sums) => [
      [t("added"), sums.added],
      [t("changed"), sums.changed],
      [t("unchanged"), sums.unchanged],
      [t("keptEdited"), sums.kept],
      [t("refused"), sums.refused],
      [t("leftOut"), sumOf(sums.leftOut)],
    ],
    describe: (_, { refused, isDryRun }) => ({
      actions: !isDryRun && h("a", { class: "button", href: "#/entries" }, t("entries")),
      below: refused.length > 0 && [
        table(t("reason"), [
          [t("line"), ({ line }) => typeof line === "number" ? count(line) : "–"],
          [t("entry"), ({ entryId, title }) => h("bdi", null, title ?? entryId ?? "–")],
          [t("reason"), ({ detail }) => h("span", { dir: "ltr", lang: "en" }, detail), "reason"],
        ], firstRows(refused)),
        describeRest(refused),
      ],
    }),
  });
}

/** @param {Import} tools */
function questions({ file, check, say }) {
  const mayPublish = may("entries:publish");
  return form([
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
        say(h("p", { class: "error", role: "alert" }, t("required")));
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
}
