import { Problem } from "./client.js";
import { h } from "./dom.js";
import { LANGUAGE, t, word } from "./texts.js";

const KNOWN = ["mail_not_configured", "precondition_failed", "rate_limited", "internal_error"];

/**
 * Says what went wrong, in the language of the page where it has words for it.
 *
 * @param {unknown} error
 */
export function describe(error) {
  if (!(error instanceof Problem)) throw error;
  const { code, status, scope, message } = error;
  if (code === "offline" || [502, 503, 504].includes(status)) return t("offline");
  if (status === 401) return t("badKey");
  if (scope) return t("lacks", { scope });
  return KNOWN.includes(code) ? word(code) : message;
}

/** @param {{ code: string, detail: string }} error */
export function describeField({ code, detail }) {
  return LANGUAGE === "en" ? detail : word(code) === code ? detail : word(code);
}

/**
 * Shows why a part of the page is missing, and offers to try again.
 *
 * @param {unknown} error
 * @param {() => void} retry
 */
export function failure(error, retry) {
  const again = h("button", { type: "button", click: retry }, t("again"));
  const isForbidden = error instanceof Problem && error.status === 403;
  return h(
    "div",
    { class: "empty", role: "alert" },
    h("p", null, describe(error)),
    isForbidden ? h("p", { class: "soft" }, t("askForKey")) : again,
  );
}
