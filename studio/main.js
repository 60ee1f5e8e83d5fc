/** @import { Child } from "./dom.js" */
/** @import { Place, Visit, Waiting } from "./places.js" */
import * as client from "./client.js";
import { connection } from "./connection.js";
import * as session from "./session.js";
import { address, button, h, icon, lacks, nodes, parse, redraw, say, t, word } from "./dom.js";
import { describeWaiting, facts, head, MAX_WAITING } from "./parts.js";
import { describe } from "./form.js";
import { ICONS } from "./icons.js";
import { rememberOwner, showLeft, showWordsAt } from "./drafts/left_words.js";
import { PLACES } from "./places.js";
import { createWork, mayLeave } from "./work.js";

/** The numbers of ideas that wait for a decision, as this tab has last read them. */
let waiting = { held: 0, reported: 0 };
const TITLE = document.documentElement.dataset.title ?? "";
const CHANGELOG = document.documentElement.dataset.changelog;
const MENU = "M2 4h12M2 8h12M2 12h12";

const lost = h("p", { class: "lost", role: "status" });
let leaving = new AbortController();
/** Shows the place that the address names; nothing before somebody is signed in. */
let show = (/** @type {boolean} */ _isReload) => {};

/** The brand, which the page shows once. */
const brand = [
  h(
    "picture",
    null,
    "hasDarkLogo" in document.documentElement.dataset && h("source", {
      srcset: new URL("studio/logo-dark", session.BASE),
      media: "(prefers-color-scheme: dark)",
    }),
    h("img", { src: new URL("studio/logo", session.BASE), alt: "" }),
  ),
  h("bdi", null, TITLE),
];

/** @param {string} [message] */
async function showSignIn(message) {
  leaving.abort();
  show = () => {};
  for (const dialog of document.querySelectorAll("dialog")) dialog.remove();
  document.title = TITLE;
  const page = await import("./sign_in.js");
  page.showSignIn({ brand, message, enter: showShell });
  document.querySelector("main.alone")?.append(...nodes(showLeft()));
}

function showShell() {
  const places = Object.entries(PLACES).filter(([, { scopes, isOwn }]) =>
    isOwn ? session.isMember() : scopes.some(session.may)
  );
  const links = places.filter(([, { isOwn }]) => !isOwn).map(([name]) =>
    h("a", { href: address([name]) }, icon(ICONS[name]), word(name))
  );
  const badge = h("span", { class: "badge" });
  links[places.findIndex(([name]) => name === "ideas")]?.append(badge);
  const toggle = (/** @type {boolean} */ isOpen) => menu.ariaExpanded = `${isOpen}`;
  const menu = button([icon(MENU), t("menu")], () => toggle(menu.ariaExpanded !== "true"), {
    class: "menu",
    "aria-expanded": "false",
    "aria-controls": "nav",
  });
  const nav = h(
    "nav",
    { id: "nav", "aria-label": t("places") },
    links,
    h(
      "div",
      { class: "foot" },
      CHANGELOG && h("a", { href: CHANGELOG, target: "_blank", rel: "noopener" }, t("seePage")),
      session.isMember() && h("a", { href: address(["account"]) }, t("account")),
      button([t("signOut"), h("small", { dir: "auto" }, session.whoami())], () => void signOut()),
    ),
  );
  const main = h("main", { id: "main", tabindex: "-1" });
  document.body.replaceChildren(
    button(t("skip"), () => main.focus(), { class: "skip" }),
    h("header", null, h("p", { class: "name" }, brand), menu),
    nav,
    h("div", { class: "page" }, lost, main),
  );
  const work = createWork({ element: main });
  show = (isReload) => {
    leaving.abort();
    leaving = new AbortController();
    const { parts, query } = parse(location.hash);
    if (!isReload) toggle(false);
    // A visitor who has left the place is not disturbed.
    const isShown = () => `${visit.parts}` === `${parse(location.hash).parts}`;
    let isDrawn = isReload;
    const reload = () => isShown() && show(isDrawn);
    const showWaiting = (/** @type {Waiting} */ found) => {
      waiting = found;
      badge.textContent = describeWaiting(found.held + found.reported);
    };
    const [name = ""] = parts;
    const known = places.find(([other]) => other === name) ?? (name === "" ? places[0] : undefined);
    // The overview reads these numbers with its others.
    const counted = session.may("posts:publish") && known?.[0] !== "overview"
      ? countWaiting()
      : Promise.resolve(waiting);
    void counted.then(showWaiting);
    const visit = { parts, query, signal: leaving.signal, isShown, reload, counted, showWaiting };
    for (const [index, link] of links.entries()) {
      link.ariaCurrent = places[index] === known ? "page" : null;
    }
    // Words that are not saved can be read without a connection, too.
    if (name === "entries" && session.unsavedEntries().size > 0) {
      import("./places/editor.js").catch(() => {});
    }
    void work.ask(async (signal) => {
      const content = await contentOf(visit, known);
      if (isReload) await composed();
      if (signal.aborted) return;
      if (isReload) redraw(main, content);
      else main.replaceChildren(...nodes(content));
      isDrawn = true;
      const heading = main.querySelector("h1");
      document.title = [heading?.textContent, TITLE].filter(Boolean).join(" · ");
      if (!isReload) scrollTo(0, 0);
      heading?.setAttribute("tabindex", "-1");
      if (document.activeElement === document.body || nav.contains(document.activeElement)) {
        heading?.focus({ preventScroll: isReload });
      }
    });
  };
  show(false);
}

/** Counts the ideas that wait for a decision, up to one more than the menu shows. */
async function countWaiting() {
  const count = async (/** @type {Record<string, string>} */ query) => {
    const limited = { ...query, limit: `${MAX_WAITING + 1}` };
    // The place itself shows the problem of the server.
    const page = await client.call("GET", "posts", { query: limited }).catch(() => undefined);
    return page?.data.length ?? 0;
  };
  const [held, reported] = await Promise.all([
    count({ state: "held" }),
    session.may("subscriptions:read") ? count({ reported: "true" }) : 0,
  ]);
  return { held, reported };
}

/** Resolves once no composition of an input method is in progress. */
async function composed() {
  while (isComposing) {
    await new Promise((resolve) => addEventListener("compositionend", resolve, { once: true }));
  }
}

let isComposing = false;
addEventListener("compositionstart", () => isComposing = true);
addEventListener("compositionend", () => isComposing = false);

/** The number of the current visit in this tab. */
let shown = 0;
let visits = 0;

/** Numbers the current visit, which distinguishes Back from a link. */
function numberVisit() {
  shown = history.state?.number ?? visits + 1;
  visits = Math.max(visits, shown);
  history.replaceState({ number: shown }, "");
}

/** Shows the place of a new address, after asking about open dialogs and work in progress. */
function move() {
  const to = location.hash;
  const number = history.state?.number;
  // A visit that was cancelled is still shown.
  if (number === shown) return;
  const go = () => {
    if (number === undefined) location.hash = to;
    else history.go(number - shown);
    isSure = true;
  };
  if (!isSure && !mayLeave({ isBack: number !== undefined, go })) {
    history.go(number === undefined ? -1 : shown - number);
    return;
  }
  isSure = false;
  numberVisit();
  show(false);
}

/** Whether the visitor was asked and wants to leave. */
let isSure = false;

/**
 * Shows a place; if it can't be loaded, the reason and a button that tries again.
 *
 * @param {Visit} visit
 * @param {readonly [name: string, place: Place] | undefined} known
 * @returns {Promise<Child>}
 */
async function contentOf(visit, known) {
  if (known === undefined) {
    const [name] = visit.parts;
    const scope = PLACES[name]?.scopes[0];
    const places = Object.entries(PLACES);
    if (!places.some(([, { scopes }]) => scopes.some(session.may))) return showScopes();
    return scope ? [head(word(name)), h("p", null, lacks(scope))] : head(t("nothingHere"));
  }
  const [name, place] = known;
  try {
    return await (await place.load(visit.parts)).show(visit);
  } catch (error) {
    const status = error instanceof client.ApiProblem ? error.status : undefined;
    if (visit.signal.aborted) return undefined;
    // A browser requests a module that failed to load only after a reload of the page.
    const isModule = error instanceof TypeError;
    if (isModule) connection.lose();
    const again = () => isModule && !connection.isLost ? location.reload() : show(true);
    const remedy = status === 404
      ? h("a", { class: "button", href: address([name]) }, word(name))
      : status !== 403 && button(t("again"), again);
    const text = status === undefined ? t("offline") : describe(error);
    const kind = { class: "empty", role: "alert", "data-module": isModule };
    return [
      head(word(name)),
      h("div", kind, h("p", null, text), remedy),
      status === 404 && showWordsAt(visit.parts.join("/")),
    ];
  }
}

/** Shows the rights of a key that opens no place, and the scopes that places need. */
function showScopes() {
  const named = (/** @type {readonly string[]} */ scopes) => scopes.map(word).join(", ");
  return [
    head(t("nothingHere")),
    h("p", null, t("opensNothing", { what: named(session.scopes()) })),
    facts(
      "facts",
      Object.entries(PLACES).filter(([, { scopes }]) => scopes.length > 0).map((
        [name, { scopes }],
      ) => [
        word(name),
        [named(scopes), h("small", null, h("code", null, scopes.join(" ")))],
      ]),
    ),
  ];
}

/** Saves all words, then forgets them, and the key or the session. */
async function signOut({ everywhere = false } = {}) {
  // Without a connection, neither this module nor a dialog can be loaded, unless a draft is open.
  const keeper = await import("./keeper.js").catch(() => undefined);
  await keeper?.saveAll();
  const unsaved = session.allDraftNames();
  if (unsaved.length > 0 && !confirm(t("unsavedAreLost", { n: unsaved.length }))) return;
  keeper?.forgetAll();
  for (const name of unsaved) session.browserStore.remove(name);
  await client.signOut({ everywhere });
  history.replaceState(history.state, "", "#/");
  void showSignIn();
}

addEventListener("hashchange", move);
addEventListener("refused", () => {
  const isKept = session.draftNames().length > 0;
  const reason = t(session.isMember() ? "sessionEnded" : "badKey");
  rememberOwner();
  session.forgetSession();
  void showSignIn(isKept ? `${reason} ${t("wordsAreKept")}` : reason);
});
addEventListener("signedout", (event) => {
  void signOut(event instanceof CustomEvent ? event.detail : undefined);
});
connection.addEventListener("lost", () => lost.textContent = t("offline"));
connection.addEventListener("back", () => {
  lost.textContent = "";
  say(t("backOnline"));
  if (document.querySelector("main > [data-module]")) location.reload();
  else if (document.querySelector("main > .empty[role=alert]")) show(true);
});

numberVisit();
if (await client.isSignedIn()) showShell();
else void showSignIn();
// Another tab has sent its key.
addEventListener("signedin", showShell);
