/** @import { Child } from "../dom.js" */
/** @import { Visit } from "../places.js" */
import { call } from "../client.js";
import { button, h, say, t, word } from "../dom.js";
import { head } from "../parts.js";
import { form } from "../form.js";

/**
 * Shows the settings of the member who is signed in.
 *
 * @param {Visit} visit
 * @returns {Promise<Child>}
 */
export async function show(visit) {
  const me = await call("GET", "team/me", { signal: visit.signal });
  const own = form([
    { name: "userName", label: t("name"), value: me.userName, required: true },
    {
      name: "digest",
      label: t("morningMail"),
      type: "checkbox",
      value: `${me.digest}`,
      hint: t("aboutMorningMail"),
    },
  ], {
    submit: t("save"),
    keep: "account",
    async act({ userName, digest }) {
      await call("PATCH", "team/me", { json: { userName, digest: digest === "true" } });
      say(t("saved"));
      visit.reload();
    },
  });
  const everywhere = button(t("signOutEverywhere"), () => {
    dispatchEvent(new CustomEvent("signedout", { detail: { everywhere: true } }));
  });
  return [
    head(t("account")),
    h("p", { class: "soft" }, h("bdi", null, me.userEmail), " · ", word(me.role)),
    own,
    h("p", null, t("aboutSignOutEverywhere")),
    h("p", null, everywhere),
  ];
}
