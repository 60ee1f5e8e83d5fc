/**
 * A visit to a place: `#/entries/dark-mode?state=draft` has the parts `entries` and `dark-mode`.
 *
 * @typedef {object} Visit
 * @property {string[]} parts
 * @property {URLSearchParams} query
 * @property {AbortSignal} signal Aborted when the visitor leaves.
 * @property {() => void} reload
 */

/**
 * Writes the address of a place; values that are empty are left out.
 *
 * @param {readonly string[]} parts
 * @param {Record<string, string | undefined>} [query]
 */
export function address(parts, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value);
  const text = new URLSearchParams(/** @type {[string, string][]} */ (given)).toString();
  return `#/${parts.map(encodeURIComponent).join("/")}${text && `?${text}`}`;
}

/** @param {string} hash */
export function parse(hash) {
  const [path, query] = hash.replace(/^#\/?/, "").split("?");
  return { parts: path.split("/").map(decode), query: new URLSearchParams(query) };
}

/** @param {string} part */
function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * Has `show` show each place that the visitor goes to. Returns a function that shows it once more, and
 * one that ends this.
 *
 * @param {(visit: Visit, isReload: boolean) => void} show
 */
export function startRouter(show) {
  let leaving = new AbortController();
  const stopped = new AbortController();

  /** @param {boolean} isReload */
  function visit(isReload) {
    leaving.abort();
    leaving = new AbortController();
    const reload = () => visit(true);
    show({ ...parse(location.hash), signal: leaving.signal, reload }, isReload);
  }

  addEventListener("hashchange", () => visit(false), { signal: stopped.signal });
  stopped.signal.addEventListener("abort", () => leaving.abort());
  visit(false);
  return { reload: () => visit(true), stop: () => stopped.abort() };
}
