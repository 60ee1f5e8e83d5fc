/** @import { Child } from "../dom.js" */
/** @import { Visit } from "../places.js" */
/** @import { Settings } from "./fields.js" */
import { ApiProblem, call, readJson, send } from "../client.js";
import { may, tabStore } from "../session.js";
import { ask } from "../dialog.js";
import { h, lacks, redraw, say, t } from "../dom.js";
import { head } from "../parts.js";
import { form } from "../form.js";
import { addGuard } from "../work.js";
import { fieldsOf, fixedBy } from "./fields.js";
import { createLook } from "./look.js";
import { logoField } from "./logos.js";
import { findZone, zones } from "./zones.js";

/** The settings that the studio itself shows once it is loaded anew. */
const OF_STUDIO = ["title", "accent", "language", "timeZone"];
const SAVED = "boardcast.settingsSaved";

/**
 * Asks before words are left that were typed and not saved. Returns the function that ends this.
 *
 * @param {ReturnType<typeof form>} own
 * @param {AbortSignal} signal
 */
function guard(own, signal) {
  const isNeeded = () => own.isConnected && own.isTyped();
  const remove = addGuard({
    isNeeded: () => own.isConnected && own.isUnkept(),
    leave({ go }) {
      if (!isNeeded()) return true;
      const options = { submit: t("discard"), about: t("typedIsLost"), danger: true };
      void ask(t("settings"), [], options).then((isSure) => {
        if (!isSure) return;
        own.forget();
        remove();
        go();
      });
      return false;
    },
  });
  signal.addEventListener("abort", remove);
  return remove;
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

  async function read() {
    const current = await send("GET", "settings");
    etag = current.headers.get("ETag") ?? "*";
    seen = await readJson(current);
  }

  /**
   * Saves the changed fields. Where somebody else has changed the same ones meanwhile, that is
   * told, and the next attempt saves.
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
      await read();
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
    keep: "settings",
    async act(values) {
      const given = { ...values, timeZone: findZone(values.timeZone) };
      const changed = Object.entries(given).filter(([name, value]) =>
        value !== (first[/** @type {"title"} */ (name)] ?? "")
      );
      if (changed.length > 0) {
        await save(Object.fromEntries(changed.map(([name, value]) => [name, value || null])));
      }
      unguard();
      own.forget();
      if (changed.every(([name]) => !OF_STUDIO.includes(name))) {
        say(t("saved"));
        return visit.reload();
      }
      // The studio shows these once it is loaded anew, after the change that is under way.
      tabStore.set(SAVED, "yes");
      setTimeout(() => location.reload());
    },
  });
  const unguard = guard(own, visit.signal);
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

  const logos = h("section", { class: "logos", "aria-label": t("logo") });
  const drawLogos = () =>
    redraw(
      logos,
      /** @type {const} */ (["logo", "logoDark"]).map((field) =>
        logoField({
          field,
          address: seen[field],
          fixed: seen.fixed.includes(field) ? fixedBy(field) : undefined,
          async changed() {
            await read();
            drawLogos();
            update();
            say(t("saved"));
          },
        })
      ),
    );
  drawLogos();
  return [
    head(t("settings")),
    h(
      "div",
      { class: "beside" },
      h(
        "div",
        null,
        logos,
        own,
        h("datalist", { id: "zones" }, zones().map((value) => h("option", { value }))),
      ),
      h("section", { class: "look", "aria-label": t("preview") }, look.element),
    ),
  ];
}
