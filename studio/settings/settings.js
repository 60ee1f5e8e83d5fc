/** @import { Child } from "../dom.js" */
/** @import { Field } from "../form.js" */
/** @import { Visit } from "../main.js" */
import { ApiProblem, call, may, readJson, send, tabStore } from "../client.js";
import { h, head, lacks, say, t } from "../dom.js";
import { form } from "../form.js";
import { createLook } from "./look.js";
import { logoField } from "./logos.js";
import { findZone, zones } from "./zones.js";

/**
 * The settings of readers. The names of some fields belong to the API.
 *
 * @typedef {object} Settings
 * @property {string} title
 * @property {string | null} home
 * @property {string} accent
 * @property {string} language
 * @property {string} timeZone
 * @property {string | null} mailFooter
 * @property {string | null} mailReplyTo
 * @property {string | null} logo
 * @property {string | null} logoDark
 * @property {readonly string[]} fixed
 */

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

/** The settings that the studio itself shows once it is loaded anew. */
const OF_STUDIO = ["title", "accent", "language", "timeZone", "logo", "logoDark"];
const SAVED = "boardcast.settingsSaved";

/** Says which flag of the server sets a field. @param {string} field */
function fixedBy(field) {
  const flag = `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  return t("fixedBy", { flag });
}

/** Loads the studio anew, which then shows what has changed. */
function reload() {
  tabStore.set(SAVED, "yes");
  // The change that is under way ends first.
  setTimeout(() => location.reload());
}

/** @param {Visit} visit @returns {Promise<Child>} */
export async function show(visit) {
  if (!may("entries:read")) return [head(t("settings")), h("p", null, lacks("entries:read"))];
  if (tabStore.get(SAVED)) say(t("saved"));
  tabStore.remove(SAVED);
  const response = await send("GET", "settings", { signal: visit.signal });
  let etag = response.headers.get("ETag") ?? "*";
  /** @type {Settings} */
  let seen = await readJson(response);
  const first = seen;
  const look = createLook(visit.signal);

  /**
   * Saves the changed fields. Where somebody else has changed the same ones meanwhile, that is told,
   * and the next attempt saves.
   *
   * @param {Record<string, string | null>} json
   * @returns {Promise<void>}
   */
  async function save(json) {
    try {
      await call("PATCH", "settings", { json, match: etag });
    } catch (error) {
      if (!(error instanceof ApiProblem && error.status === 412)) throw error;
      const before = seen;
      const current = await send("GET", "settings");
      etag = current.headers.get("ETag") ?? "*";
      seen = await readJson(current);
      const errors = Object.keys(json).flatMap((field) => {
        const [was, is] = [before, seen].map((one) => one[/** @type {"title"} */ (field)]);
        if (is === was || is === json[field]) return [];
        return [{ field, code: "", detail: t("setMeanwhile", { value: is ?? "–" }) }];
      });
      if (errors.length > 0) throw new ApiProblem({ status: 412, code: "", errors });
      await save(json);
    }
  }

  const fields = fieldsOf(seen);
  const own = form(fields, {
    submit: t("save"),
    async act(values) {
      const given = { ...values, timeZone: findZone(values.timeZone) };
      const changed = Object.entries(given).filter(([name, value]) =>
        value !== (first[/** @type {"title"} */ (name)] ?? "")
      );
      if (changed.length > 0) {
        await save(Object.fromEntries(changed.map(([name, value]) => [name, value || null])));
      }
      if (changed.some(([name]) => OF_STUDIO.includes(name))) return reload();
      say(t("saved"));
      visit.reload();
    },
  });
  const inputOf = (
    /** @type {string} */ name,
  ) => /** @type {HTMLInputElement} */ (own.querySelector(`[name="${name}"]`));
  const update = () => {
    const [title, home, accent, language] = ["title", "home", "accent", "language"].map((name) =>
      inputOf(name).value.trim()
    );
    look.update({ title, home, accent, language, logo: seen.logo, logoDark: seen.logoDark });
  };
  own.addEventListener("input", update);
  const accent = inputOf("accent");
  const color = h("input", {
    type: "color",
    value: seen.accent,
    "aria-label": t("chooseColor"),
    disabled: accent.disabled,
    input() {
      accent.value = color.value;
    },
  });
  accent.addEventListener("input", () => {
    if (/^#[0-9a-f]{6}$/i.test(accent.value)) color.value = accent.value.toLowerCase();
  });
  accent.after(color);
  accent.parentElement?.classList.add("color");
  update();

  const logos = /** @type {const} */ (["logo", "logoDark"]).map((field) =>
    logoField({
      field,
      address: seen[field],
      fixed: seen.fixed.includes(field) ? fixedBy(field) : undefined,
      changed: reload,
    })
  );
  return [
    head(t("settings")),
    h(
      "div",
      { class: "beside" },
      h(
        "div",
        null,
        h("section", { class: "logos", "aria-label": t("logo") }, logos),
        own,
        h("datalist", { id: "zones" }, zones().map((value) => h("option", { value }))),
      ),
      h("section", { class: "look", "aria-label": t("preview") }, look.element),
    ),
  ];
}

/** @param {Settings} settings @returns {readonly Field[]} */
function fieldsOf({ fixed, ...settings }) {
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
