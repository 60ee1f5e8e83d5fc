// Says who gets the mail of an entry: before its publication, and in the moment after it.

import { address, button, copy, h, nodes, say, t } from "../dom.js";

const { changelog: CHANGELOG } = document.documentElement.dataset;

/**
 * Tells what a publication comes to, and what one may do next.
 *
 * @param {HTMLElement} moment
 * @param {{ entry: any, text: string, audience: Audience | undefined }} options
 */
export function showMoment(moment, { entry, text, audience }) {
  const { entryId, publishedAt } = entry;
  const isPublic = publishedAt <= new Date().toISOString();
  const url = `${CHANGELOG}/${encodeURIComponent(entryId)}`;
  const heading = h("h2", { tabindex: "-1" }, text);
  const copying = button(t("copyAddress"), async () => {
    await copy(url);
    say(t("copied"));
  });
  moment.hidden = false;
  moment.replaceChildren(...nodes([
    heading,
    h(
      "p",
      null,
      audience ? `${t("recipients")}: ${describeAudience(audience)}` : t("nobodyMailed"),
    ),
    CHANGELOG && h("p", null, h("code", { dir: "ltr" }, url)),
    h("div", { class: "actions" }, [
      CHANGELOG && isPublic && seePage(entryId, "button"),
      CHANGELOG && copying,
      h("a", { class: "button", href: address(["entries", "new"]) }, t("newEntry")),
      button(t("close"), () => moment.hidden = true),
    ]),
  ]));
  heading.focus();
}

/**
 * Those who would get a mail: who asked for what the entry ships, and subscribers, as far as the
 * key may know how many they are.
 *
 * @typedef {{ isAsked: boolean, asked?: number, askedSubscribed?: number, each?: number, weekly?:
 *   number, exact?: boolean }} Audience
 */

/**
 * Says who would get a mail, in the order in which they get it, and counts each person once.
 *
 * @param {Audience} audience
 */
export function describeAudience({ isAsked, asked, askedSubscribed = 0, each: all, exact }) {
  const each = all === undefined || !isAsked ? all : Math.max(0, all - askedSubscribed);
  const n = each !== undefined && !exact ? t("about", { n: each }) : each;
  const people = n === undefined ? t("allPeople") : t(isAsked ? "otherPeople" : "people", { n });
  if (!isAsked) return people;
  return asked === undefined ? t("someFirst", { people }) : t("askedFirst", { n: asked, people });
}

/**
 * The choice to mail an entry, with how many get it.
 *
 * @param {Audience} audience
 * @returns {[value: string, label: string, hint?: string]}
 */
export function mailing(audience) {
  const { isAsked, weekly = 0, exact } = audience;
  const n = exact ? weekly : t("about", { n: weekly });
  const hints = [
    isAsked && t("aboutAsked"),
    weekly > 0 && `${t("weekly")}: ${t("people", { n })}`,
  ].filter((hint) => hint !== false);
  return ["true", `${t("mailTo")} ${describeAudience(audience)}`, hints.join(" ")];
}

/**
 * A link to the page of an entry.
 *
 * @param {string} id
 * @param {string} [kind]
 */
export function seePage(id, kind) {
  const href = `${CHANGELOG}/${encodeURIComponent(id)}`;
  return h("a", { class: kind, href, target: "_blank", rel: "noopener" }, t("seePage"));
}
