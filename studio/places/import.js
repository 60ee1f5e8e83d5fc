/** @import { Visit } from "../router.js" */
/** @import { Child } from "../dom.js" */
import { download, h, nodes } from "../dom.js";
import { table } from "../listing.js";
import { describe } from "../problems.js";
import { count, t } from "../texts.js";
import { chooseRows, formatOf, upload } from "../upload.js";

const SHOWN = 50;
/** What the lists of some products don't say of their people. */
const STATES = [
  ["listStatus=confirmed", "listmonk: confirmed"],
  ["listStatus=unconfirmed", "listmonk: unconfirmed"],
  ["listStatus=unsubscribed", "listmonk: unsubscribed"],
  ["state=subscribed", "Mailchimp: subscribed"],
  ["state=unsubscribed", "Mailchimp: unsubscribed"],
  ["state=cleaned", "Mailchimp: cleaned"],
];

/**
 * Imports a list of subscribers: first a dry run, then the import itself.
 *
 * @param {Visit} visit
 * @returns {Child}
 */
export function showImport({ signal }) {
  const file = h("input", {
    type: "file",
    id: "file",
    accept: ".csv,.ndjson,.jsonl,.txt",
    change: () => start.disabled = !file.files?.length,
  });
  const again = h("input", { type: "checkbox" });
  const start = h("button", {
    type: "button",
    class: "primary",
    disabled: true,
    click: () => void run(true),
  }, t("check"));
  const state = h(
    "select",
    { id: "state" },
    [["", t("asFile")], ...STATES].map(([value, label]) => h("option", { value }, label)),
  );
  const outcome = h("div", { class: "outcome", role: "status" });

  /** @param {boolean} dryRun */
  async function run(dryRun) {
    const [list] = file.files ?? [];
    const bar = h("progress", { max: 1, value: 0, "aria-label": t("progress") });
    outcome.replaceChildren(h("p", null, dryRun ? t("checking") : t("importing")), bar);
    start.disabled = true;
    try {
      const query = {
        ...Object.fromEntries(new URLSearchParams(state.value)),
        ...dryRun && { dryRun: "true" },
        ...again.checked && { resubscribe: "true" },
      };
      const { sums, refused } = await upload(list, query, {
        signal,
        onProgress: (part) => bar.value = part,
      });
      outcome.replaceChildren(...nodes(show(list, dryRun, sums, refused)));
    } catch (error) {
      if (!signal.aborted) outcome.replaceChildren(h("p", { class: "error" }, describe(error)));
    } finally {
      start.disabled = false;
    }
  }

  /**
   * @param {File} list
   * @param {boolean} dryRun
   * @param {any} sums
   * @param {{ line: number, detail: string }[]} refused
   * @returns {Child}
   */
  function show(list, dryRun, sums, refused) {
    const save = async () => {
      const format = formatOf(list);
      const rows = chooseRows(await list.text(), new Set(refused.map(({ line }) => line)), format);
      download(`refused-${list.name}`, rows, format);
    };
    return [
      h("p", null, h("strong", null, dryRun ? t("dryRunDone") : t("importDone"))),
      sums.dryRun && h("p", null, t("takenFor", { format: sums.dryRun.format })),
      h(
        "dl",
        { class: "numbers" },
        [
          [t("added"), sums.added],
          [t("changed"), sums.changed],
          [t("unchanged"), sums.unchanged],
          [t("keptUnsubscribed"), sums.keptUnsubscribed],
          [t("refused"), sums.refused],
        ].map(([name, value]) =>
          h("div", null, h("dt", null, name), h("dd", null, count(Number(value))))
        ),
      ),
      h(
        "div",
        { class: "actions" },
        dryRun && sums.added + sums.changed > 0 &&
          h(
            "button",
            { type: "button", class: "primary", click: () => void run(false) },
            t("importNow"),
          ),
        refused.length > 0 && h("button", { type: "button", click: save }, t("refusedFile")),
      ),
      refused.length > 0 && table(t("refused"), [
        { title: t("line"), cell: ({ line }) => count(line) },
        { title: t("reason"), class: "reason", cell: ({ detail }) => detail },
      ], refused.slice(0, SHOWN)),
      refused.length > SHOWN &&
      h("p", { class: "soft" }, t("andMore", { n: refused.length - SHOWN })),
    ];
  }

  return [
    h(
      "div",
      { class: "head" },
      h("a", { class: "up", href: "#/subscribers" }, t("subscribers")),
      h("h1", null, t("import")),
    ),
    h("p", null, t("aboutImport")),
    h("pre", { tabindex: "0" }, "userEmail,userName,subscribed\nann@example.com,Ann,true"),
    h("div", { class: "field" }, h("label", { for: "file" }, t("file")), file),
    h("div", { class: "field" }, h("label", { for: "state" }, t("listState")), state),
    h(
      "div",
      { class: "field" },
      h("label", null, again, t("resubscribe")),
      h("p", { class: "soft" }, t("aboutResubscribe")),
    ),
    h("div", { class: "actions" }, start),
    outcome,
  ];
}
