import { BASE, call, connection, path, Problem, send } from "./client.js";

const SAVE_AFTER_MS = 800;
const PREFIX = `boardcast.draft.${BASE.pathname}`;

/** @typedef {{ title: string, body: string, labels: string, url: string }} Words */
/** @typedef {{ words: Words, stored: Words, etag: string }} Kept */

/**
 * @typedef {object} Entry
 * @property {string} entryId
 * @property {string} title
 * @property {string} body
 * @property {string[]} labels
 * @property {string | null} url
 * @property {string} state
 * @property {string | null} publishedAt
 * @property {string} updatedAt
 */

/** @typedef {"saved" | "unsaved" | "saving" | "incomplete" | "offline" | "conflict" | "failed"} Status */

const FIELDS = /** @type {const} */ (["title", "body", "labels", "url"]);

/**
 * @param {Pick<Entry, "title" | "body" | "labels" | "url">} entry
 * @returns {Words}
 */
export function wordsOf({ title, body, labels, url }) {
  return { title, body: body.replaceAll("\r\n", "\n"), labels: labels.join(" "), url: url ?? "" };
}

/**
 * @param {Words} one
 * @param {Words} other
 */
function difference(one, other) {
  return FIELDS.filter((field) => one[field] !== other[field]);
}

/**
 * Makes what the API takes of some of the words.
 *
 * @param {Words} words
 * @param {readonly (keyof Words)[]} fields
 */
function toJson(words, fields) {
  const { title, body, labels, url } = words;
  const all = {
    title,
    body,
    labels: labels.split(/[\s,]+/).filter(Boolean),
    url: url.trim() || null,
  };
  return Object.fromEntries(fields.map((field) => [field, all[field]]));
}

/**
 * Makes an identifier of a title, which will stand in the address of its page; `undefined` where
 * nothing is left of it.
 *
 * @param {string} title
 */
export function slug(title) {
  const plain = title.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60) || undefined;
}

/**
 * Makes a new entry of words that were kept for one that is gone. Returns whether there were any.
 *
 * @param {string} name
 */
export function rescue(name) {
  const kept = read(name);
  if (kept === undefined) return false;
  localStorage.setItem(`${PREFIX}new`, JSON.stringify(kept));
  discard(name);
  return true;
}

/** Whether the page may be gone before an answer comes; browsers then send only what is short. */
function isLeaving() {
  return document.visibilityState === "hidden";
}

/**
 * @param {string} name
 * @returns {Kept | undefined}
 */
function read(name) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + name) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

/** @param {string} name */
export function discard(name) {
  localStorage.removeItem(PREFIX + name);
}

/** What saves the editors that are open. @type {Set<() => Promise<unknown>>} */
const open = new Set();

/** Saves what is open, and returns how many drafts this browser still keeps. */
export async function saveAll() {
  await Promise.allSettled([...open].map((save) => save()));
  return keptNames().length;
}

/** Forgets all words that this browser keeps. */
export function forgetAll() {
  for (const name of keptNames()) localStorage.removeItem(name);
}

function keptNames() {
  return Object.keys(localStorage).filter((name) => name.startsWith(PREFIX));
}

/**
 * Keeps the words of an entry: in this browser at once, and on the server a moment later. Words that
 * others wrote meanwhile are never overwritten unasked.
 *
 * @param {Entry | undefined} entry What is stored; `undefined` for a new one.
 * @param {string} etag
 * @param {object} options
 * @param {() => Words} options.read Returns what is in the fields.
 * @param {(words: Words) => void} options.write
 * @param {(status: Status, problem?: unknown) => void} options.show
 * @param {(entry: Entry) => void} options.onSaved
 * @param {(theirs: Words, mine: Words) => void} options.onConflict
 * @param {boolean} options.isManual Whether only `save` sends anything.
 * @param {AbortSignal} options.signal Aborted when the editor is left.
 */
export function keepWords(entry, etag, options) {
  const { write, show, onSaved, onConflict, isManual, signal } = options;
  const empty = { title: "", body: "", labels: "", url: "" };
  /** What the fields had when they were last saved, and what the server made of it. */
  let sent = entry ? wordsOf(entry) : empty;
  let stored = sent;
  let isSaving = false;
  /** What others stored that is in the way. @type {{ theirs: Words, tag: string } | undefined} */
  let conflict;
  let timer = 0;
  const name = () => entry?.entryId ?? "new";

  const kept = read(name());
  if (kept !== undefined && difference(kept.words, sent).length > 0) {
    write(kept.words);
    // Changes that were stored meanwhile are then found as those of anybody else.
    if (entry !== undefined) [sent, stored, etag] = [kept.stored, kept.stored, kept.etag];
  }

  function changed() {
    return difference(options.read(), sent);
  }

  function touch() {
    const words = options.read();
    if (difference(words, sent).length === 0) {
      if (!conflict) discard(name());
      return show(entry ? "saved" : "incomplete");
    }
    const value = JSON.stringify({ words, stored, etag });
    try {
      localStorage.setItem(PREFIX + name(), value);
    } catch {
      // It is full, or forbidden: then the words are on the server alone.
    }
    if (conflict) return show("conflict");
    show("unsaved");
    clearTimeout(timer);
    if (!isManual) timer = setTimeout(() => void save(), SAVE_AFTER_MS);
  }

  /**
   * Saves what has changed. Returns whether everything is stored now.
   *
   * @returns {Promise<boolean>}
   */
  async function save() {
    clearTimeout(timer);
    if (isSaving || conflict) return false;
    const words = options.read();
    const fields = difference(words, sent);
    if (fields.length === 0 && entry) return true;
    if (words.title.trim() === "" || words.body === "") {
      show("incomplete");
      return false;
    }
    isSaving = true;
    show("saving");
    try {
      const response = await (entry ? change(entry, words, fields) : create(words));
      accept(await response.json(), response.headers.get("ETag") ?? "", words);
    } catch (error) {
      isSaving = false;
      return await recover(error, words, fields);
    }
    isSaving = false;
    touch();
    return changed().length === 0;
  }

  /**
   * @param {Entry} entry
   * @param {Words} words
   * @param {readonly (keyof Words)[]} fields
   */
  function change({ entryId }, words, fields) {
    const json = toJson(words, fields);
    return send("PATCH", path`changelogs/entries/${entryId}`, {
      json,
      match: etag,
      keepalive: isLeaving(),
    });
  }

  /**
   * @param {Words} words
   * @returns {Promise<Response>}
   */
  async function create(words) {
    const json = toJson(words, FIELDS);
    const entryId = slug(words.title);
    try {
      return await send("POST", "changelogs/entries", {
        json: { ...json, entryId },
        keepalive: isLeaving(),
      });
    } catch (error) {
      if (!(error instanceof Problem && error.code === "entry_exists")) throw error;
      const other = `${entryId}-${Date.now().toString(36).slice(-4)}`;
      return await send("POST", "changelogs/entries", { json: { ...json, entryId: other } });
    }
  }

  /**
   * @param {Entry} saved
   * @param {string} tag
   * @param {Words} words
   */
  function accept(saved, tag, words) {
    // Another tab may have kept words of its own meanwhile.
    const mine = read(name());
    if (mine && difference(mine.words, words).length === 0) discard(name());
    [entry, etag, sent, stored] = [saved, tag, words, wordsOf(saved)];
    onSaved(saved);
  }

  /**
   * @param {unknown} error
   * @param {Words} words
   * @param {readonly (keyof Words)[]} fields
   */
  async function recover(error, words, fields) {
    if (!(error instanceof Problem)) throw error;
    if (error.status === 412 && entry) {
      const response = await send("GET", path`changelogs/entries/${entry.entryId}`);
      const theirs = await response.json();
      const others = wordsOf(theirs);
      const tag = response.headers.get("ETag") ?? "";
      const both = difference(others, stored).filter((field) => fields.includes(field));
      if (both.some((field) => others[field] !== words[field])) {
        conflict = { theirs: others, tag };
        show("conflict");
        onConflict(others, words);
        return false;
      }
      // What they changed stands beside what was changed here.
      const now = options.read();
      const merged = { ...others };
      for (const field of difference(now, sent)) merged[field] = now[field];
      [sent, stored, etag] = [others, others, tag];
      write(merged);
      return await save();
    }
    show(error.code === "offline" || error.status > 500 ? "offline" : "failed", error);
    return false;
  }

  open.add(save);
  signal.addEventListener("abort", () => open.delete(save));
  connection.addEventListener("back", () => void (changed().length > 0 && !isManual && save()), {
    signal,
  });
  addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") void (!isManual && changed().length > 0 && save());
    else void refresh();
  }, { signal });

  /** Shows what was stored by others, where nothing is unsaved here. */
  async function refresh() {
    if (!entry || isSaving || conflict || changed().length > 0) return;
    const response = await send("GET", path`changelogs/entries/${entry.entryId}`, { signal }).catch(
      () => undefined,
    );
    const tag = response?.headers.get("ETag") ?? etag;
    if (!response || tag === etag || changed().length > 0) return;
    const theirs = await response.json();
    [entry, etag, sent, stored] = [theirs, tag, wordsOf(theirs), wordsOf(theirs)];
    write(sent);
    onSaved(theirs);
  }

  return {
    touch,
    save,
    hasChanges: () => changed().length > 0,
    entryId: () => entry?.entryId,
    /** Ends a conflict: with the words of this editor, those of the others, or both. */
    async resolve(/** @type {"mine" | "theirs" | "both"} */ choice) {
      if (conflict === undefined) return;
      if (choice === "both") {
        const json = toJson(options.read(), FIELDS);
        await call("POST", "changelogs/entries", { json });
      }
      const { theirs, tag } = conflict;
      [sent, stored, etag, conflict] = [theirs, theirs, tag, undefined];
      if (choice !== "mine") write(theirs);
      touch();
      if (choice === "mine") await save();
    },
  };
}
