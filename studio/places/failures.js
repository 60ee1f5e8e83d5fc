/** @import { Child } from "../dom.js" */
/** @import { Visit } from "../main.js" */
import { call, path } from "../client.js";
import { address, date, h, head, t } from "../dom.js";
import { listing } from "../listing.js";

/**
 * Lists who was not reached, and why.
 *
 * @param {Visit} visit
 * @param {string} entryId
 * @returns {Promise<Child>}
 */
export async function showFailures(visit, entryId) {
  const base = path`changelogs/entries/${entryId}`;
  const [{ title }, list] = await Promise.all([
    call("GET", base, { signal: visit.signal }),
    listing(visit, {
      name: t("failures"),
      path: `${base}/delivery/failures`,
      columns: [
        {
          title: t("address"),
          cell: ({ userEmail }) => h("a", { href: address(["subscribers", userEmail]) }, userEmail),
        },
        {
          title: t("reason"),
          class: "reason",
          cell: ({ code, text }) => [reasonOf(code), h("small", { dir: "ltr" }, text)],
        },
        { title: t("date"), wide: true, cell: ({ failedAt }) => date(failedAt) },
      ],
      empty: h("p", null, t("none")),
    }),
  ]);
  return [head(t("failures"), { up: [address(["entries", entryId]), title] }), list];
}

/**
 * Says in words what the codes of RFC 3463 mean; those of the relay stand below.
 *
 * @param {string} code
 */
function reasonOf(code) {
  if (/^5\.1\.|^550$/.test(code)) return t("noMailbox");
  if (/^[45]\.2\.2$|^552$/.test(code)) return t("mailboxFull");
  return code.startsWith("4") ? t("notNow") : t("mailRefused");
}
