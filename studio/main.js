/** @import { Visit } from "./router.js" */
/** @import { Child } from "./dom.js" */
import { BASE } from "./client.js";
import { connection } from "./connection.js";
import { h, icon, nodes, say } from "./dom.js";
import { form } from "./form.js";
import { PLACES } from "./places.js";
import { failure } from "./problems.js";
import { address, startRouter } from "./router.js";
import { probe } from "./probe.js";
import { forget, getKey, may, setKey } from "./session.js";
import { t } from "./texts.js";

const TITLE = document.documentElement.dataset.title ?? "";
const CHANGELOG = document.documentElement.dataset.changelog;
const MENU = "M2 4h12M2 8h12M2 12h12";

const lost = h("p", { class: "lost", role: "status" });
/** @type {ReturnType<typeof startRouter> | undefined} */
let router;

function mark() {
  return h("img", { src: new URL("studio/logo", BASE), alt: "" });
}

function name() {
  return h("p", { class: "name" }, mark(), h("bdi", null, TITLE));
}

/** @param {string} [message] */
function showSignIn(message) {
  router?.stop();
  router = undefined;
  for (const dialog of document.querySelectorAll("dialog")) dialog.remove();
  document.title = TITLE;
  const field = {
    name: "key",
    label: t("key"),
    type: "password",
    required: true,
    attributes: { spellcheck: "false" },
  };
  const act = async (/** @type {Record<string, string>} */ { key }) => {
    setKey(key.trim());
    try {
      await probe();
    } catch (error) {
      forget();
      throw error;
    }
    showShell();
  };
  document.body.replaceChildren(
    h(
      "main",
      { class: "alone" },
      h("h1", { class: "name" }, mark(), h("bdi", null, TITLE)),
      message && h("p", { class: "error", role: "alert" }, message),
      form([field], { submit: t("open"), act }),
      h("p", { class: "soft" }, t("keyIsKept")),
    ),
  );
  document.querySelector("input")?.focus();
}

function showShell() {
  const places = Object.entries(PLACES).filter(([, { scopes }]) => scopes.some(may));
  const links = places.map(([name, { title, icon: path }]) =>
    h("a", { href: address([name]) }, icon(path), t(title))
  );
  const leave = h("button", { type: "button", click: () => signOut() }, t("signOut"));
  const menu = h(
    "button",
    { type: "button", class: "menu", "aria-expanded": "false", "aria-controls": "nav" },
    icon(MENU),
    t("menu"),
  );
  const nav = h(
    "nav",
    { id: "nav", "aria-label": t("places") },
    name(),
    links,
    h(
      "div",
      { class: "foot" },
      CHANGELOG && h("a", { href: CHANGELOG, target: "_blank", rel: "noopener" }, t("seePage")),
      leave,
    ),
  );
  const main = h("main", { id: "main", tabindex: "-1" });
  const skip = h("button", { type: "button", class: "skip", click: () => main.focus() }, t("skip"));
  const toggle = (/** @type {boolean} */ isOpen) => menu.setAttribute("aria-expanded", `${isOpen}`);
  menu.addEventListener("click", () => toggle(menu.ariaExpanded !== "true"));
  document.body.replaceChildren(
    skip,
    h("header", null, name(), menu),
    nav,
    h("div", { class: "page" }, lost, main),
  );
  router?.stop();
  router = startRouter(async (visit, isReload) => {
    toggle(false);
    const [name = ""] = visit.parts;
    const known = places.find(([other]) => other === name) ?? (name === "" ? places[0] : undefined);
    for (const [index, link] of links.entries()) {
      if (places[index] === known) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    main.ariaBusy = "true";
    const content = await contentOf(visit, known?.[1]);
    if (visit.signal.aborted) return;
    main.ariaBusy = null;
    main.replaceChildren(...nodes(content));
    const heading = main.querySelector("h1");
    document.title = [heading?.textContent, TITLE].filter(Boolean).join(" · ");
    if (isReload) return;
    scrollTo(0, 0);
    heading?.setAttribute("tabindex", "-1");
    if (document.activeElement === document.body || nav.contains(document.activeElement)) {
      heading?.focus();
    }
  });
}

/**
 * @param {Visit} visit
 * @param {import("./places.js").Place | undefined} place
 * @returns {Promise<Child>}
 */
async function contentOf(visit, place) {
  if (place === undefined) {
    const known = PLACES[visit.parts[0]];
    const why = known ? t("lacks", { scope: known.scopes[0] }) : t("nothingHere");
    return [
      h("h1", null, known ? t(known.title) : t("nothingHere")),
      h("p", null, why),
      known && h("p", { class: "soft" }, t("askForKey")),
    ];
  }
  try {
    return await place.show(visit);
  } catch (error) {
    return visit.signal.aborted
      ? undefined
      : [h("h1", null, t(place.title)), failure(error, visit.reload)];
  }
}

function signOut() {
  forget();
  history.replaceState(null, "", "#/");
  showSignIn();
}

addEventListener("refused", () => showSignIn(t("badKey")));
connection.addEventListener("lost", () => lost.textContent = t("offline"));
connection.addEventListener("back", () => {
  lost.textContent = "";
  say(t("backOnline"));
  if (document.querySelector("main > .empty[role=alert]")) router?.reload();
});

if (getKey()) showShell();
else showSignIn();
