/** @import { Field } from "../form.js" */
// The columns of a sheet of ideas, as the import asks about them.

import { t } from "../dom.js";

/** Common headings, which help to guess columns. */
const GUESSES = {
  title: /^(title|idea|name|titel|titre|título|titolo|tytuł|タイトル|标题|العنوان|כותרת)/i,
  body: /descr|detail|body|content|text|beschreib|detalle|dettagl|opis|説明|描述|وصف|תיאור/i,
  status: /status|state|stato|estado|statut|état|ステータス|状态|حالة|מצב/i,
  votes: /vote(?!r)|upvote|score|stimmen|voti|voto|głos|投票|票|أصوات|קולות/i,
  createdAt: /creat|date|datum|fecha|erstellt|créé|作成|创建|تاريخ|תאריך/i,
  // The address beside an idea is its author's, unless the heading tells that it is a voter's.
  authorEmail:
    /^(?!.*(?:vot|support|stimm|głos|投票|مصوّت|מצביע)).*(?:mail|correo|メール|邮|البريد|דוא)/i,
  userEmail: /(?:vot|support|stimm|głos|投票|مصوّت|מצביע).*(?:mail|correo|メール|邮|البريد|דוא)/i,
};

/** The labels of the fields. @returns {Record<string, string>} */
function labelsOf() {
  return {
    title: t("title"),
    body: t("text"),
    status: t("state"),
    state: t("moderation"),
    answer: t("answer"),
    votes: t("votes"),
    createdAt: t("created"),
    authorEmail: t("authorAddress"),
    userEmail: t("voterAddress"),
    userName: t("voterName"),
  };
}

/**
 * Asks for the meaning of columns of a known product that are not used. Nothing is proposed,
 * because the product's own columns have most of it.
 *
 * @param {readonly string[]} unused
 * @returns {Field[]}
 */
export function furtherFields(unused) {
  const { title: _, ...labels } = labelsOf();
  const options = [["", t("noColumn")], ...unused.map((heading) => [heading, heading])];
  return Object.entries(labels).map(([name, label]) => ({ name, label, type: "select", options }));
}

/**
 * Asks for the meaning of the columns, and proposes one for those that are not known.
 *
 * @param {readonly string[]} headings
 * @param {readonly string[]} [unknown]
 * @returns {Field[]}
 */
export function columnFields(headings, unknown = headings) {
  const known = headings.filter((heading) => !unknown.includes(heading));
  const plain = (/** @type {string} */ name) => name.toLowerCase().replace(/[\s_.-]+/g, " ");
  return Object.entries(labelsOf()).map(([name, label]) => {
    const guess = GUESSES[/** @type {keyof typeof GUESSES} */ (name)];
    return {
      name,
      label,
      type: "select",
      required: name === "title",
      value: known.find((heading) => plain(heading) === plain(name)) ??
        (guess && unknown.find((heading) => guess.test(heading))),
      options: [["", t("noColumn")], ...headings.map((heading) => [heading, heading])],
    };
  });
}
