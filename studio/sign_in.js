// The page on which somebody signs in: at the provider, by a mailed code, or with an API key.

import * as client from "./client.js";
import * as session from "./session.js";
import { button, h, t } from "./dom.js";
import { describe, form } from "./form.js";

const { title = "", provider, hasCodes } = document.documentElement.dataset;
/** The time after which a code no longer works, in milliseconds. */
const CODE_MS = 10 * 60_000;
/** The address for which this tab has asked for a code. */
const ASKED = "boardcast.asked";

/**
 * Shows the page.
 *
 * @param {{ brand: import("./dom.js").Child, message: string | undefined, enter: () => void }}
 *   options `enter` shows the studio.
 */
export function showSignIn({ brand, message, enter }) {
  const ways = h("div", { class: "ways" });
  const show = (/** @type {HTMLElement} */ way) => {
    ways.replaceChildren(way);
    /** @type {HTMLElement | null} */
    const field = way.querySelector("input:not([type=checkbox], .hidden *)");
    field?.focus();
  };
  const byAddress = () =>
    form([{
      name: "userEmail",
      label: t("address"),
      type: "email",
      required: true,
      attributes: USER,
    }], {
      submit: t("sendCode"),
      async act({ userEmail }) {
        await client.post("studio/sign-in", { userEmail });
        session.tabStore.set(ASKED, JSON.stringify({ userEmail, at: Date.now() }));
        show(byCode(userEmail));
      },
    });
  const byCode = (/** @type {string} */ userEmail) => {
    const entering = form([
      {
        name: "code",
        label: t("mailedCode"),
        required: true,
        attributes: CODE,
        hint: t("codeHint"),
      },
    ], {
      submit: t("signIn"),
      also: button(t("otherAddress"), () => {
        session.tabStore.remove(ASKED);
        show(byAddress());
      }),
      async act({ code }) {
        await client.post("studio/sign-in/code", { code });
        session.tabStore.remove(ASKED);
        await client.enterByCookie();
        enter();
      },
    });
    entering.prepend(h("p", { role: "status" }, t("codeSent", { email: userEmail })));
    return entering;
  };
  const asked = session.parseStored(session.tabStore.get(ASKED));
  const isAsked = asked !== undefined && Date.now() - asked.at < CODE_MS;
  const byKey = keyForm(enter);
  const hasOthers = provider !== undefined || hasCodes !== undefined;
  document.body.replaceChildren(
    h(
      "main",
      { class: "alone" },
      h("h1", { class: "name" }, brand),
      message && h("p", { class: "error", role: "alert" }, message),
      h("p", { class: "soft" }, t("aboutStudio")),
      provider !== undefined &&
        h(
          "a",
          { class: "button primary", href: new URL("studio/oidc", session.BASE) },
          t("signInWith", { name: provider }),
        ),
      hasCodes !== undefined && ways,
      hasOthers ? h("details", null, h("summary", null, t("signInByKey")), byKey) : byKey,
    ),
  );
  if (hasCodes !== undefined) show(isAsked ? byCode(asked.userEmail) : byAddress());
  else if (!hasOthers) byKey.querySelector("[type=password]")?.focus();
}

const USER = { autocomplete: "username", spellcheck: "false" };
const CODE = {
  autocomplete: "one-time-code",
  autocapitalize: "characters",
  spellcheck: "false",
  maxlength: 20,
};

/** @param {() => void} enter @returns {any} */
function keyForm(enter) {
  // Password managers store a key under the name of the key, once it is known.
  const user = h("input", {
    name: "username",
    autocomplete: "username",
    value: title,
    tabindex: "-1",
    "aria-hidden": "true",
  });
  const password = { name: "password", autocomplete: "current-password", spellcheck: "false" };
  const entering = form([
    { name: "key", label: t("key"), type: "password", required: true, attributes: password },
    { name: "stays", label: t("staySignedIn"), type: "checkbox", hint: t("aboutStaying") },
  ], {
    submit: t("signIn"),
    async act({ key, stays }) {
      try {
        user.value = await client.signIn(key, stays === "true");
      } catch (error) {
        throw error instanceof client.ApiProblem && error.status < 500 && error.status > 0
          ? client.fieldProblem("key", describe(error))
          : error;
      }
      enter();
    },
  });
  entering.prepend(h("span", { class: "hidden" }, user));
  return entering;
}
