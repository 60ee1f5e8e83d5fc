import { ApiProblem, call } from "../client.js";
import { BASE } from "../session.js";
import { button, h, t } from "../dom.js";
import { describe } from "../form.js";
import { tellAt } from "../task.js";
import { postFile } from "../upload.js";
import { carryOut, createWork } from "../work.js";

const TYPES = ["image/svg+xml", "image/png", "image/webp"];
const MAX_BYTES = 65_536;
const PATHS = { logo: "settings/logo", logoDark: "settings/logo-dark" };

/**
 * Shows a logo on the ground of its scheme. It can be dropped, chosen, replaced and removed.
 *
 * @param {{ field: "logo" | "logoDark", address: string | null, fixed: string | undefined,
 *   changed: () => Promise<void> }} options `fixed` says why it can't be changed.
 */
export function logoField({ field, address, fixed, changed }) {
  const work = createWork();
  const path = PATHS[field];

  /** @param {() => Promise<unknown>} run */
  function change(run) {
    void work.change(async () => {
      tellAt(choose, "");
      try {
        await carryOut(run);
        await changed();
      } catch (error) {
        tellAt(choose, describeLogo(error));
      }
    });
  }

  /** @param {File | undefined} file */
  function take(file) {
    if (file === undefined) return;
    if (file.size > MAX_BYTES) return tellAt(choose, t("logoTooLarge"));
    const type = TYPES.includes(file.type) ? file.type : "application/octet-stream";
    change(() => postFile(new URL(`api/v1/${path}`, BASE), file, { method: "PUT", type }));
  }

  const chosen = h("input", {
    type: "file",
    accept: TYPES.join(),
    hidden: true,
    change() {
      take(chosen.files?.[0]);
      chosen.value = "";
    },
  });
  const name = t(field === "logo" ? "logo" : "logoDark");
  const choose = button(t(address === null ? "chooseFile" : "replace"), () => chosen.click(), {
    "aria-label": `${name}: ${t(address === null ? "chooseFile" : "replace")}`,
  });
  const remove = address !== null &&
    button(t("takeAway"), () => change(() => call("DELETE", path)), {
      "aria-label": `${name}: ${t("takeAway")}`,
    });
  const ground = h(
    "div",
    { class: `ground ${field}` },
    address === null ? h("span", null, t("noLogo")) : h("img", { src: sourceOf(address), alt: "" }),
  );
  const element = h(
    "div",
    { class: "drop" },
    h("h2", null, name),
    ground,
    h("p", { class: "soft" }, fixed ?? t(field === "logo" ? "aboutLogo" : "aboutLogoDark")),
    fixed === undefined && h("div", { class: "actions" }, choose, remove, chosen),
  );
  if (fixed === undefined) takeDrops(element, take);
  return element;
}

/** @param {HTMLElement} element @param {(file: File | undefined) => void} take */
function takeDrops(element, take) {
  const mark = (/** @type {boolean} */ isOver) => element.toggleAttribute("data-over", isOver);
  element.addEventListener("dragover", (event) => {
    event.preventDefault();
    mark(true);
  });
  element.addEventListener("dragleave", () => mark(false));
  element.addEventListener("drop", (event) => {
    event.preventDefault();
    mark(false);
    take(event.dataTransfer?.files[0]);
  });
}

/** The address of a logo on this server. @param {string} address */
function sourceOf(address) {
  return new URL(`changelog/_logo/${address.split("/").at(-1)}`, BASE).href;
}

/** @param {unknown} error */
function describeLogo(error) {
  const status = error instanceof ApiProblem ? error.status : 0;
  if (status === 413) return t("logoTooLarge");
  return status === 415 ? t("notALogo") : describe(error);
}
