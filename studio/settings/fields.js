/** @import { Field } from "../form.js" */
import { t } from "../dom.js";

/** @typedef {import("../../model/settings/settings.ts").ShownSettings} Settings */

/** The languages of pages, by their own names. */
const LANGUAGES = [
  ["en", "English"],
  ["de", "Deutsch"],
  ["fr", "Français"],
  ["es", "Español"],
  ["pt", "Português"],
  ["it", "Italiano"],
  ["nl", "Nederlands"],
  ["pl", "Polski"],
  ["ja", "日本語"],
  ["zh", "中文"],
  ["ar", "العربية"],
  ["he", "עברית"],
];

/** Says which flag of the server sets a field. @param {string} field */
export function fixedBy(field) {
  const flag = `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  return t("fixedBy", { flag });
}

/**
 * Returns the fields of a form, with what each is for.
 *
 * @param {Settings} settings
 * @returns {readonly Field[]}
 */
export function fieldsOf({ fixed, ...settings }) {
  /** @param {"title"} name @param {string} hint @param {Partial<Field> & { label: string }} rest */
  const field = (name, hint, { attributes, ...rest }) => {
    const isFixed = fixed.includes(name);
    return {
      name,
      value: settings[name],
      hint: isFixed ? fixedBy(name) : hint,
      attributes: { ...attributes, name, disabled: isFixed },
      ...rest,
    };
  };
  const named = /** @type {(name: string, hint: string, rest: any) => Field} */ (field);
  return [
    named("title", t("aboutTitle"), {
      label: t("title"),
      required: true,
      attributes: { maxlength: 200, dir: "auto" },
    }),
    named("home", t("aboutHome"), {
      label: t("home"),
      type: "url",
      attributes: { placeholder: "https://" },
    }),
    named("accent", t("aboutAccent"), {
      label: t("accent"),
      required: true,
      attributes: { maxlength: 7, dir: "ltr" },
    }),
    named("language", t("aboutLanguage"), {
      label: t("language"),
      type: "select",
      options: LANGUAGES,
    }),
    named("timeZone", t("aboutTimeZone"), {
      label: t("timeZone"),
      required: true,
      attributes: { list: "zones", dir: "ltr" },
    }),
    named("mailFooter", t("aboutMailFooter"), {
      label: t("mailFooter"),
      type: "textarea",
      attributes: { maxlength: 1000, rows: 3 },
    }),
    named("mailReplyTo", t("aboutMailReplyTo"), {
      label: t("mailReplyTo"),
      attributes: { dir: "ltr" },
    }),
  ];
}
